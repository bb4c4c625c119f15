/**
 * A program for the inside of a terminal, moved from outside over a control socket (argv[2]): it is the scripted shell and
 * the stub TUI of the tests. It reports exactly what it read, with the boundaries of its reads, and the hash of what it
 * wrote as the terminal turns it out (LF becomes CR LF, unless output processing is off). It ends with its control socket.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { ReadStream } from 'node:tty';

const [, , controlPath, mode = 'cooked'] = process.argv;
const control = connect(controlPath);
const input = new ReadStream(0);
let pouring;

function tell(message) {
  control.write(`${JSON.stringify(message)}\n`);
}

function writeFully(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

class Account {
  count = 0;
  hash = createHash('sha256');

  note(text) {
    const turned = Buffer.from(text.replaceAll('\n', '\r\n'));
    this.count += turned.length;
    this.hash.update(turned);
  }

  get sum() {
    return { bytes: this.count, sha256: this.hash.copy().digest('hex') };
  }
}

// All this program ever wrote.
const total = new Account();

function say(text, ...accounts) {
  writeFully(Buffer.from(text));
  for (const account of [total, ...accounts]) account.note(text);
}

function line(number, width) {
  const label = `line ${number} `;
  return `${label}${'abcdefghijklmnopqrstuvwxyz0123456789'.repeat(16).slice(0, Math.max(0, width - label.length))}\n`;
}

function startChild(kind) {
  const forever = 'process.on("SIGHUP", () => {}); setInterval(() => {}, 1000)';
  const options = { stdio: ['ignore', 'inherit', 'inherit'], detached: false };
  if (kind === 'ignores-everything') {
    const script =
      'for (const name of ["SIGHUP", "SIGTERM", "SIGINT"]) process.on(name, () => {}); setInterval(() => {}, 1000)';
    return spawn(process.execPath, ['-e', script], { ...options, detached: true });
  }
  if (kind === 'own-group') {
    // Bash job control gives the job a process group of its own in the same session.
    return spawn(process.execPath, ['-e', forever], options);
  }
  if (kind === 'new-session') return spawn(process.execPath, ['-e', forever], { ...options, detached: true });
  return spawn('sleep', ['1000'], options);
}

/** A grandchild in a session of its own whose parent is gone: nothing but its environment ties it to the terminal. */
function startEscapee() {
  const script = `
    const child = require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    child.unref();
    console.log(child.pid);`;
  const middle = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  middle.stdout.on('data', (part) => {
    text += part;
  });
  return new Promise((resolve) => middle.on('close', () => resolve(Number(text.trim()))));
}

const actions = {
  write({ text, hex }) {
    if (hex !== undefined) writeFully(Buffer.from(hex, 'hex'));
    else say(text);
    return total.sum;
  },
  async lines({ from, to, width = 60 }) {
    const account = new Account();
    for (let number = from; number <= to; ) {
      let text = '';
      for (; number <= to && text.length < 16_384; number++) text += line(number, width);
      say(text, account);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return account.sum;
  },
  /** Writes numbered lines, without an end, until `stop`. */
  pour({ width = 60, burst = 40, from = 1 }) {
    pouring = { next: from, width, burst };
    const step = () => {
      if (pouring === undefined) return;
      let text = '';
      for (let count = 0; count < pouring.burst; count++) text += line(pouring.next++, pouring.width);
      say(text);
      setTimeout(step, 1);
    };
    step();
    return {};
  },
  stop() {
    const last = (pouring?.next ?? 1) - 1;
    pouring = undefined;
    return { last, ...total.sum };
  },
  sum: () => total.sum,
  raw({ on }) {
    input.setRawMode(on);
    return {};
  },
  /** From now on nothing is read, or reading goes on. */
  deaf({ on }) {
    if (on) input.pause();
    else input.resume();
    return {};
  },
  /** One blocking read right now, past the stream: for a program that exits before it reads an answer. */
  readNow: ({ size = 65_536 }) => {
    const buffer = Buffer.alloc(size);
    return { hex: buffer.subarray(0, readSync(0, buffer)).toString('hex') };
  },
  environment: () => ({ environment: process.env, directory: process.cwd() }),
  size: () => ({ columns: process.stdout.columns, rows: process.stdout.rows }),
  child({ kind }) {
    return { pid: startChild(kind).pid };
  },
  async escapee() {
    return { pid: await startEscapee() };
  },
  ignore({ signals }) {
    for (const name of signals) process.on(name, () => tell({ signal: name }));
    return {};
  },
  exit({ code, text = '' }) {
    say(text);
    control.end(`${JSON.stringify({ goodbye: total.sum })}\n`, () => process.exit(code));
    return undefined;
  },
  kill({ signal }) {
    process.kill(process.pid, signal);
    return {};
  },
};

let rest = '';
control.setEncoding('utf8');
control.on('data', async (part) => {
  rest += part;
  for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
    const message = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    const result = await actions[message.do](message);
    if (result !== undefined) tell({ id: message.id, result });
  }
});
control.on('close', () => process.exit(97));
control.on('error', () => process.exit(98));
process.stdout.on('resize', () => tell({ size: { columns: process.stdout.columns, rows: process.stdout.rows } }));
input.on('data', (bytes) => tell({ read: bytes.toString('hex') }));
input.on('error', (error) => tell({ inputError: error.code }));
if (mode === 'raw') input.setRawMode(true);
control.on('connect', () =>
  tell({ hello: { pid: process.pid, columns: process.stdout.columns, rows: process.stdout.rows } }),
);
