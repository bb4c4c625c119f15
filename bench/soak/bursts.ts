/**
 * Sessions that wait a little, print a file and end with a code; each is checked when it has ended, closed, and replaced.
 * Whether a creation that a kill cut has happened, the list tells afterwards.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionInfo } from '../../src/contract/index.ts';
import { makeText, sha256, turnedOut } from '../../test/kit/cases.ts';
import { CutByKill } from './lives.ts';
import type { SessionSum } from './model.ts';
import type { Soak } from './soak.ts';

interface Burst {
  readonly id: string;
  readonly size: number;
  readonly code: number;
}

const SIZES = [200, 20_000, 90_000, 200_000];
/** Where an ended session may be looked for before it counts as gone. */
const PATIENCE = 30_000;

export class Bursts {
  readonly #soak: Soak;
  readonly #open = new Map<string, Burst & { since: number }>();
  readonly #hashes = new Map<number, { sha256: string; bytes: number; lines: number }>();
  readonly sums: SessionSum[] = [];
  #folder = '';
  #next = 1;

  constructor(soak: Soak) {
    this.#soak = soak;
  }

  async prepare(): Promise<void> {
    this.#folder = await this.#soak.cleanup.temporaryDirectory('tuic-b-');
    for (const size of SIZES) {
      const text = makeText(size, size);
      await writeFile(join(this.#folder, String(size)), text);
      const turned = Buffer.from(turnedOut(text));
      this.#hashes.set(size, { sha256: sha256(turned), bytes: turned.length, lines: text.split('\n').length - 1 });
    }
  }

  /** Opens one more; ids are ours, so that one is never opened twice. */
  async open(): Promise<void> {
    const { api, lives } = this.#soak;
    const number = this.#next++;
    const burst: Burst = { id: `burst-${number}`, size: this.#soak.pick(SIZES) ?? 200, code: number % 200 };
    const wait = this.#soak.between(0.2, 6).toFixed(2);
    const script = `sleep ${wait}; cat ${join(this.#folder, String(burst.size))}; exit ${burst.code}`;
    const create = () => api.createSession({ session_id: burst.id, shell: '/bin/sh', args: ['-c', script] });
    for (;;) {
      try {
        const { session_id } = await lives.once(create);
        if (session_id !== burst.id) throw new Error(`${burst.id} was given the id ${session_id}`);
        break;
      } catch (error) {
        if (!(error instanceof CutByKill)) throw error;
        const all = await lives.ask(() => api.listSessions(true));
        if (all.some((session) => session.session_id === burst.id)) break;
      }
    }
    this.#open.set(burst.id, { ...burst, since: performance.now() });
  }

  /** Until the load ends: looks who has ended, twice a second. */
  async replace(): Promise<void> {
    await this.#soak.repeat('bursts', async () => {
      await this.#soak.rest(500);
      const ended = await this.#collect();
      for (let count = 0; count < ended && this.#soak.isLoaded; count++) await this.open();
    });
  }

  /** Waits until the last ones have ended. */
  async finish(): Promise<void> {
    while (this.#open.size > 0 && !this.#soak.stopped.aborted) {
      if ((await this.#collect()) === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #collect(): Promise<number> {
    const { api, lives } = this.#soak;
    const all = new Map((await lives.ask(() => api.listSessions(true))).map((entry) => [entry.session_id, entry]));
    let ended = 0;
    for (const burst of [...this.#open.values()]) {
      const entry = all.get(burst.id);
      if (entry?.lifecycle === 'live') continue;
      if (entry === undefined && performance.now() - burst.since < PATIENCE) continue;
      this.#open.delete(burst.id);
      ended++;
      this.#soak.counts.exits++;
      await this.#check(burst, entry);
    }
    return ended;
  }

  async #check(burst: Burst, entry: SessionInfo | undefined): Promise<void> {
    const { api, lives } = this.#soak;
    const expected = this.#hashes.get(burst.size);
    const faults: string[] = [];
    let read = 0;
    if (entry === undefined) faults.push('it is in no list');
    else {
      if (entry.lifecycle !== 'exited' || entry.exit_code !== burst.code) {
        faults.push(`${entry.lifecycle} with code ${entry.exit_code}, expected ${burst.code}`);
      }
      const answer = await lives.ask(() => api.get(`/sessions/${burst.id}/raw-ring`));
      read = answer.body.length;
      if (sha256(answer.body) !== expected?.sha256) {
        faults.push(`${read} bytes of ${expected?.bytes} were kept (status ${answer.status})`);
      }
      const log = await lives.ask(() => api.logOutput(burst.id, { limit: 1 }));
      const lines = log.total_lines + log.screen.filter((line) => line.spans.length > 0).length;
      if (lines !== expected?.lines) faults.push(`${lines} of ${expected?.lines} lines are in log and on the screen`);
      await lives.ask(() => api.request('DELETE', `/sessions/${burst.id}`));
    }
    this.#soak.counts.bytesRead += read;
    for (const fault of faults) this.#soak.fault(`${burst.id}: ${fault}`);
    const printed = expected?.bytes ?? 0;
    if (faults.length > 0) this.sums.push({ id: burst.id, kind: 'burst', printed, read, told: 0, logLines: 0, faults });
  }
}
