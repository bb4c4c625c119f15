/** Counts failed logins of an address and refuses more of them for a while (http.md 1.5). Forgets an address after its window. */
import type { Clock } from '../../base/index.ts';

const ADDRESSES = 1_000;

export interface FailureLimitOptions {
  /** 0 turns the limit off. */
  max: number;
  windowSeconds: number;
}

interface Window {
  failures: number;
  endsAt: number;
}

export class FailureLimit {
  readonly #clock: Clock;
  readonly #options: FailureLimitOptions;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, options: FailureLimitOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Seconds until the address may try again; 0 when it may now. */
  secondsToWait(address: string): number {
    const window = this.#current(address);
    if (this.#options.max === 0 || window === undefined || window.failures < this.#options.max) return 0;
    return Math.max(1, Math.ceil((window.endsAt - this.#clock.monotonic()) / 1_000));
  }

  noteFailure(address: string): void {
    if (this.#options.max === 0) return;
    const window = this.#current(address);
    if (window !== undefined) {
      window.failures++;
      return;
    }
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= ADDRESSES && oldest !== undefined) this.#windows.delete(oldest);
    this.#windows.set(address, {
      failures: 1,
      endsAt: this.#clock.monotonic() + this.#options.windowSeconds * 1_000,
    });
  }

  forget(address: string): void {
    this.#windows.delete(address);
  }

  #current(address: string): Window | undefined {
    const window = this.#windows.get(address);
    if (window === undefined || window.endsAt > this.#clock.monotonic()) return window;
    this.#windows.delete(address);
    return undefined;
  }
}
