/** Sessions whose programs count and hash what they print (bench/programs/soak-load.ts), and the socket they answer on. */
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Signal } from '../../test/kit/eventually.ts';
import { program } from '../kit/machine.ts';
import { readLog } from './log.ts';
import type { Kind, SessionSum, Sum } from './model.ts';
import type { Soak } from './soak.ts';
import { chattyText, floodBytes, floodText, lastPicture } from './texts.ts';
import { Witness } from './witness.ts';

interface FromProgram {
  id: string;
  sum?: Sum;
}

export class ProgramControl {
  readonly #sockets = new Map<string, Socket>();
  readonly #sums = new Map<string, Sum>();
  readonly #signal = new Signal();
  path = '';

  async listen(soak: Soak): Promise<void> {
    this.path = join(await soak.cleanup.temporaryDirectory('tuic-s-'), 'control');
    const server = createServer((socket) => {
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
          const message = JSON.parse(text.slice(0, end)) as FromProgram;
          text = text.slice(end + 1);
          this.#sockets.set(message.id, socket);
          if (message.sum !== undefined) this.#sums.set(message.id, message.sum);
        }
        this.#signal.notify();
      });
      // A program that is killed resets its connection.
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.path, resolve);
    });
    soak.cleanup.defer(() => {
      for (const socket of this.#sockets.values()) socket.destroy();
      server.close();
    });
  }

  started(id: string): Promise<Socket> {
    return this.#signal.until(`the program of ${id} to start`, () => this.#sockets.get(id));
  }

  /** Tells the program to stop printing; resolves to what it printed in all. */
  async stop(id: string): Promise<Sum> {
    (await this.started(id)).write('stop\n');
    return await this.#signal.until(`the program of ${id} to tell its sum`, () => this.#sums.get(id));
  }
}

/** Where the numbers that the lines carry are not one after the other, and whether all texts are what they must be. */
function findBreaks(lines: readonly string[], first: number, textOf: (number: number) => string): string[] {
  const breaks: string[] = [];
  // Line 1 of the program is line 0 of the log.
  let expected = first + 1;
  for (const [index, line] of lines.entries()) {
    if (line !== textOf(expected)) {
      const number = Number(/\d+/.exec(line)?.[0]);
      breaks.push(`line ${first + index} of the log is ${JSON.stringify(line)}, expected number ${expected}`);
      if (Number.isFinite(number)) expected = number;
      if (breaks.length === MOST_BREAKS) return breaks;
    }
    expected++;
  }
  return breaks;
}

const MOST_BREAKS = 4;

export class ProgramSession {
  readonly #soak: Soak;
  readonly #control: ProgramControl;
  readonly #seed: number;
  readonly id: string;
  readonly kind: Exclude<Kind, 'silent' | 'burst'>;
  readonly witness: Witness;
  watching: Promise<void> = Promise.resolve();

  constructor(soak: Soak, control: ProgramControl, kind: Exclude<Kind, 'silent' | 'burst'>, seed: number) {
    this.#soak = soak;
    this.#control = control;
    this.#seed = seed;
    this.kind = kind;
    this.id = `${kind}-${seed}`;
    this.witness = new Witness(soak, this.id, {
      stays: kind === 'flood',
      ...(kind === 'flood' ? { expect: floodBytes } : {}),
    });
  }

  async open(): Promise<void> {
    await this.#soak.api.createSession({
      session_id: this.id,
      shell: process.execPath,
      args: [program('soak-load'), this.#control.path, this.id, this.kind, String(this.#seed)],
    });
    await this.#control.started(this.id);
    this.watching = this.witness.watch();
  }

  /** After the load: what the program says against what its witness read and what the log holds. */
  async check(): Promise<SessionSum> {
    await this.watching;
    const sum = await this.#control.stop(this.id);
    const { recorder } = this.witness;
    await this.witness.readUntil(sum.bytes);
    const faults = [...recorder.faults];
    const told = this.witness.told;
    if (recorder.received + told !== sum.bytes) {
      faults.push(`${sum.bytes} bytes were printed, ${recorder.received} read, ${told} told as missed`);
    }
    if (told === 0 && recorder.sha256() !== sum.sha256) faults.push('the hash of what was read is another one');
    // Only a flood can leave a viewer behind that reads all the time.
    if (told > 0 && this.kind !== 'flood') faults.push(`${told} bytes were missed: ${recorder.gaps[0]?.reason}`);
    const logLines = this.kind === 'screen' ? await this.#checkPicture(faults) : await this.#checkLog(sum, faults);
    return { id: this.id, kind: this.kind, printed: sum.bytes, read: recorder.received, told, logLines, faults };
  }

  async #checkLog(sum: Sum, faults: string[]): Promise<number> {
    const textOf = this.kind === 'flood' ? floodText : (number: number) => chattyText(this.#seed, number);
    const log = await readLog(this.#soak, this.id);
    const lines = [...log.lines, ...log.screen.filter((line) => line !== '')];
    // Line 1 of the program is line 0 of the log.
    faults.push(...findBreaks(lines, log.first, textOf));
    if (log.first + lines.length !== sum.lines) {
      faults.push(`${sum.lines} lines were printed, log and screen end with ${log.first + lines.length}`);
    }
    return log.lines.length;
  }

  async #checkPicture(faults: string[]): Promise<number> {
    const { data } = await this.#soak.lives.ask(() => this.#soak.api.textOutput(this.id));
    const rows = data.split('\n').map((row) => row.trimEnd());
    if (JSON.stringify(rows) !== JSON.stringify(lastPicture(this.#seed))) {
      faults.push(`the screen shows ${JSON.stringify(rows.slice(0, 3))}`);
    }
    return 0;
  }
}
