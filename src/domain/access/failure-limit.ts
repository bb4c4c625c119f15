/**
 * Counts failed logins of an address and refuses more of them for a while (http.md 1.5). Forgets an address after its window, by
 * monotonic time: a clock that is set back or forth changes nothing.
 */
import { isIPv4, isIPv6 } from 'node:net';
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

/** Whoever has one IPv6 address has its whole /64. */
function subscriberOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...new Array<string>(missing).fill('0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

export class FailureLimit {
  readonly #clock: Clock;
  readonly #options: () => FailureLimitOptions;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, options: () => FailureLimitOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Seconds until the address may try again; 0 when it may now. */
  secondsToWait(address: string): number {
    const { max } = this.#options();
    const window = this.#current(subscriberOf(address));
    if (max === 0 || window === undefined || window.failures < max) return 0;
    return Math.max(1, Math.ceil((window.endsAt - this.#clock.monotonic()) / 1_000));
  }

  noteFailure(address: string): void {
    const { max, windowSeconds } = this.#options();
    if (max === 0) return;
    const subscriber = subscriberOf(address);
    const window = this.#current(subscriber);
    if (window !== undefined) {
      window.failures++;
      return;
    }
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= ADDRESSES && oldest !== undefined) this.#windows.delete(oldest);
    this.#windows.set(subscriber, { failures: 1, endsAt: this.#clock.monotonic() + windowSeconds * 1_000 });
  }

  forget(address: string): void {
    this.#windows.delete(subscriberOf(address));
  }

  #current(subscriber: string): Window | undefined {
    const window = this.#windows.get(subscriber);
    if (window === undefined || window.endsAt > this.#clock.monotonic()) return window;
    this.#windows.delete(subscriber);
    return undefined;
  }
}
