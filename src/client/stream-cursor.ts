/**
 * Where a byte viewer stands in a session's output. Pure: it decides, its owner acts.
 *
 * Promise: what it lets through is every byte once, in order, apart from ranges a `gap` frame named. A byte that was there
 * before is cut off, a hole nobody announced is refused so that the owner reconnects. A snapshot starts over at its offset.
 */
export type Accepted =
  | { kind: 'deliver'; offset: number; bytes: Uint8Array }
  | { kind: 'nothing' }
  /** Bytes are missing that no gap named. */
  | { kind: 'hole'; expected: number; got: number };

export class StreamCursor {
  #position: number | undefined;
  #needsSnapshot: boolean;

  constructor(offset: number | undefined) {
    this.#position = offset;
    this.#needsSnapshot = offset === undefined;
  }

  /** Offset just past the newest byte let through, undefined before the first frame of a stream without offset. */
  get position(): number | undefined {
    return this.#position;
  }

  /** What to ask for on the next connection: undefined means a snapshot, because the screen here is not complete. */
  get resumeOffset(): number | undefined {
    return this.#needsSnapshot ? undefined : this.#position;
  }

  /** The screen on show cannot be continued: the next connection must begin with a snapshot. */
  requireSnapshot(): void {
    this.#needsSnapshot = true;
  }

  acceptBytes(offset: number, bytes: Uint8Array): Accepted {
    const position = this.#position ?? offset;
    if (offset > position) return { kind: 'hole', expected: position, got: offset };
    const end = offset + bytes.length;
    if (end <= position) return { kind: 'nothing' };
    this.#position = end;
    return {
      kind: 'deliver',
      offset: position,
      bytes: offset === position ? bytes : bytes.subarray(position - offset),
    };
  }

  acceptGap(to: number): void {
    this.#position = Math.max(this.#position ?? to, to);
    this.#needsSnapshot = true;
  }

  /** Returns the range that this snapshot jumps over and no gap named, when there is one. */
  acceptSnapshot(offset: number): { from: number; to: number } | undefined {
    const from = this.#position;
    this.#position = offset;
    this.#needsSnapshot = false;
    return from !== undefined && from < offset ? { from, to: offset } : undefined;
  }
}
