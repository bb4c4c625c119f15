/**
 * A program in a terminal of the soak: soak-load CONTROL ID KIND SEED. It prints what texts.ts says until the control socket
 * tells it to stop, then answers what it printed: bytes as the terminal turns them out, their hash, and lines. It ends with
 * that socket.
 */
import { writeSync } from 'node:fs';
import { connect } from 'node:net';
import {
  Account,
  COLUMNS,
  chattyLine,
  FILL_BYTES,
  FILL_LINES,
  FLOOD_LINE,
  floodText,
  lastPicture,
  makeRandom,
  ROWS,
} from '../soak/texts.ts';

const [, , controlPath = '', id = '', kind = '', seedText = '1'] = process.argv;
const seed = Number(seedText);
const random = makeRandom(seed * 7919);
const total = new Account();
/** Bytes of one write while a log is filled, and the pause after it: no viewer may fall behind yet. */
const FILL_STEP = 49_152;
const FILL_PAUSE = 60;
const FLOOD_BURST = 1_600_000;
const wait = new Int32Array(new SharedArrayBuffer(4));
let isStopped = false;
let lines = 0;
/** Bytes since the burst began. */
let poured = 0;

function say(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(wait, 0, 0, 2);
    }
  }
  total.note(text);
}

function makeLines(count: number, make: (number: number) => string): string {
  let text = '';
  for (let turn = 0; turn < count; turn++) text += make(++lines);
  return text;
}

/** Each step says something and answers after how many milliseconds the next one comes. */
const steps: Record<string, () => number> = {
  chatty() {
    if (lines < FILL_LINES) {
      say(makeLines(700, (number) => chattyLine(seed, number)));
      return FILL_PAUSE;
    }
    say(makeLines(1 + Math.floor(random() * 8), (number) => chattyLine(seed, number)));
    return 40 + random() * 400;
  },
  flood() {
    const count = 200;
    say(makeLines(count, (number) => `${floodText(number)}\n`));
    poured += count * FLOOD_LINE;
    if (poured < FLOOD_BURST) return 0;
    poured = 0;
    return 1_000;
  },
  screen() {
    if (total.bytes === 0) say('\x1b[?1049h\x1b[2J');
    const isFilling = total.bytes < FILL_BYTES;
    let text = '';
    do {
      const row = 1 + Math.floor(random() * ROWS);
      const column = 1 + Math.floor(random() * 40);
      const length = 5 + Math.floor(random() * (COLUMNS - column - 6));
      const colour = 16 + Math.floor(random() * 200);
      text += `\x1b[${row};${column}H\x1b[38;5;${colour}m${'▇'.repeat(length)}\x1b[0m`;
    } while (text.length < (isFilling ? FILL_STEP / 3 : 400));
    say(text);
    return isFilling ? FILL_PAUSE : 80;
  },
};

function finish(): void {
  if (kind === 'screen') {
    const rows = lastPicture(seed).map((text, row) => `\x1b[${row + 1};1H\x1b[2K${text}`);
    say(`\x1b[0m\x1b[2J${rows.join('')}`);
  }
  control.write(`${JSON.stringify({ id, sum: { bytes: total.bytes, sha256: total.sha256(), lines } })}\n`);
}

function next(): void {
  if (isStopped) {
    finish();
    return;
  }
  const pause = steps[kind]?.();
  if (pause === undefined) throw new Error(`there is no load ${kind}`);
  setTimeout(next, pause);
}

const control = connect(controlPath);
control.on('connect', () => {
  control.write(`${JSON.stringify({ id })}\n`);
  next();
});
control.on('data', () => {
  isStopped = true;
});
control.on('close', () => process.exit(0));
control.on('error', () => process.exit(1));
