/**
 * A session that says nothing by itself: `cat` gives back the words that are typed into it, over kills of the server. A word
 * whose write was answered comes back once; one whose answer a kill cut comes back once or never.
 */

import { CutByKill } from './lives.ts';
import { readLog } from './log.ts';
import type { SessionSum } from './model.ts';
import type { Soak } from './soak.ts';
import { Witness } from './witness.ts';

export class SilentSession {
  readonly #soak: Soak;
  readonly id: string;
  readonly #witness: Witness;
  readonly #answered: number[] = [];
  readonly #cut: number[] = [];
  readonly #parts: string[] = [];
  #next = 1;
  #running: Promise<unknown> = Promise.resolve();

  constructor(soak: Soak, number: number) {
    this.#soak = soak;
    this.id = `silent-${number}`;
    this.#witness = new Witness(soak, this.id, {
      stays: false,
      onBytes: (bytes) => this.#parts.push(Buffer.from(bytes).toString('latin1')),
    });
  }

  async open(): Promise<void> {
    const { api } = this.#soak;
    await api.createSession({
      session_id: this.id,
      shell: '/bin/sh',
      args: ['-c', 'stty -echo; echo ready; exec cat'],
    });
    const watching = this.#witness.watch();
    this.#running = Promise.all([watching, this.#type()]);
  }

  async check(): Promise<SessionSum> {
    await this.#running;
    // Its answer is the last thing the program prints.
    const { api, lives } = this.#soak;
    await lives.once(() => api.write(this.id, 'end\n'));
    const seen = () => this.#parts.join('');
    const end = 'end\r\n';
    for (let read = this.#witness.recorder.next ?? 0; !seen().endsWith(end); read++) {
      await this.#witness.readUntil(read + 1);
    }
    const { recorder } = this.#witness;
    const faults = [...recorder.faults];
    if (this.#witness.told > 0) faults.push(`${this.#witness.told} bytes were missed: ${recorder.gaps[0]?.reason}`);
    const lines = seen().split('\r\n').slice(0, -1);
    const words = lines.slice(1, -1);
    if (lines[0] !== 'ready') faults.push(`it began with ${JSON.stringify(lines[0])}`);
    const times = (word: number) => words.filter((known) => known === `<${word}>`).length;
    for (const word of this.#answered) if (times(word) !== 1) faults.push(`word ${word} came ${times(word)} times`);
    for (const word of this.#cut) if (times(word) > 1) faults.push(`word ${word} came ${times(word)} times`);
    const strange = words.find((word) => !/^<\d+>$/.test(word));
    if (strange !== undefined) faults.push(`nobody typed ${JSON.stringify(strange)}`);
    const log = await readLog(this.#soak, this.id);
    const kept = [...log.lines, ...log.screen.filter((line) => line !== '')];
    if (JSON.stringify(kept) !== JSON.stringify(lines)) faults.push('log and screen differ from what was read');
    const { received } = recorder;
    const printed = lines.join('\r\n').length + 2;
    return { id: this.id, kind: 'silent', printed, read: received, told: 0, logLines: log.lines.length, faults };
  }

  async #type(): Promise<void> {
    const { api, lives, counts } = this.#soak;
    await this.#soak.repeat(`typing into ${this.id}`, async () => {
      await this.#soak.rest(this.#soak.between(300, 4_000));
      if (!this.#soak.isLoaded) return;
      const word = this.#next++;
      try {
        await lives.once(() => api.write(this.id, `<${word}>\n`));
        this.#answered.push(word);
        counts.words++;
      } catch (error) {
        if (!(error instanceof CutByKill)) throw error;
        this.#cut.push(word);
      }
    });
  }
}
