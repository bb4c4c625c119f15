import type { Link } from './terminal-state.ts';

/** Links remembered at once; more are shown as plain text. */
export const LINKS_MAX = 2_048;
const SWEEP_EVERY = 256;

/** Numbers for hyperlinks, as cells carry them. The same link has one number; numbers no cell carries are given up when it is full. */
export class LinkTable {
  readonly #inUse: () => Set<number>;
  readonly #links = new Map<number, Link>();
  readonly #numbers = new Map<string, number>();
  #next = 1;
  #refusals = 0;

  /** `inUse` tells which numbers cells carry. */
  constructor(inUse: () => Set<number>) {
    this.#inUse = inUse;
  }

  get next(): number {
    return this.#next;
  }

  get(number: number): Link | undefined {
    return this.#links.get(number);
  }

  entries(): [number, Link][] {
    return [...this.#links];
  }

  /** 0 when there is no room. */
  numberOf(link: Link): number {
    const known = this.#numbers.get(keyOf(link));
    if (known !== undefined) return known;
    if (this.#links.size >= LINKS_MAX) {
      // Looking for unused numbers reads every row: not for each of a flood of links.
      if (this.#refusals++ % SWEEP_EVERY === 0) this.#sweep();
      if (this.#links.size >= LINKS_MAX) return 0;
      this.#refusals = 0;
    }
    const number = this.#next++;
    this.#keep(number, link);
    return number;
  }

  restore(links: readonly [number, Link][], next: number): void {
    for (const [number, link] of links) this.#keep(number, link);
    this.#next = next;
  }

  #keep(number: number, link: Link): void {
    this.#links.set(number, link);
    this.#numbers.set(keyOf(link), number);
  }

  #sweep(): void {
    const used = this.#inUse();
    for (const [number, link] of this.#links) {
      if (used.has(number)) continue;
      this.#links.delete(number);
      this.#numbers.delete(keyOf(link));
    }
  }
}

function keyOf(link: Link): string {
  return `${link.name};${link.uri}`;
}
