/** What all parts of a running soak share. */
import type { Cleanup } from '../../test/kit/cleanup-steps.ts';
import type { ApiClient } from '../../test/kit/http.ts';
import type { Lives } from './lives.ts';
import { Counts } from './model.ts';
import { makeRandom } from './texts.ts';

export class Soak {
  readonly lives: Lives;
  readonly cleanup: Cleanup;
  /** Ends the load; what runs under it goes on to its checks. */
  readonly #ended = new AbortController();
  /** Ends everything, checks included. */
  readonly stopped: AbortSignal;
  readonly counts = new Counts();
  readonly faults: string[] = [];
  readonly random = makeRandom(20_261_202);
  readonly #progress: (text: string) => void;
  #started = performance.now();

  constructor(lives: Lives, cleanup: Cleanup, stopped: AbortSignal, progress: (text: string) => void) {
    this.lives = lives;
    this.cleanup = cleanup;
    this.stopped = stopped;
    this.#progress = progress;
  }

  get api(): ApiClient {
    return this.lives.server.ipc;
  }

  get isLoaded(): boolean {
    return !this.#ended.signal.aborted && !this.stopped.aborted;
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }

  begin(): void {
    this.#started = performance.now();
  }

  endLoad(): void {
    this.#ended.abort();
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)];
  }

  say(text: string): void {
    const seconds = Math.floor(this.seconds);
    const clock = `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
    this.#progress(`${clock}  ${text}`);
  }

  fault(text: string): void {
    this.faults.push(text);
    this.say(`FAULT  ${text}`);
  }

  /** Rests, or wakes early when the load ends. */
  rest(milliseconds: number): Promise<void> {
    return rest(milliseconds, AbortSignal.any([this.#ended.signal, this.stopped]));
  }

  /** Runs this again and again while there is load. A failure is a fault, not the end. */
  async repeat(what: string, step: () => Promise<void>): Promise<void> {
    while (this.isLoaded) {
      try {
        await step();
      } catch (error) {
        if (this.stopped.aborted) return;
        this.fault(`${what}: ${error instanceof Error ? error.message : String(error)}`);
        await this.rest(1_000);
      }
    }
  }
}

export function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener('abort', wake);
  });
}
