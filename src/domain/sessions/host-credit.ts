/**
 * Grants the host what one session's engine has consumed, which bounds what waits here. While any viewer that keeps up is
 * waited for, nothing is granted.
 */
import { LIMITS, type PtyHost } from '../../contract/index.ts';
import type { ScreenEngine } from './screen/model.ts';

const ACKNOWLEDGE_EVERY = LIMITS.ringChunk;

export class HostCredit {
  readonly #id: string;
  readonly #engine: ScreenEngine;
  readonly #host: () => PtyHost | undefined;
  readonly #holders = new Set<object>();
  #acknowledged: number;

  /** `host`: the connected host that has the session, if any. */
  constructor(id: string, engine: ScreenEngine, host: () => PtyHost | undefined) {
    this.#id = id;
    this.#engine = engine;
    this.#host = host;
    this.#acknowledged = engine.ingestedOffset;
  }

  /** A new attachment: its stream begins behind everything that has come. */
  restart(): void {
    this.#acknowledged = this.#engine.ingestedOffset;
  }

  /** More was parsed. */
  grant(): void {
    if (this.#holders.size > 0) return;
    const { parsedOffset } = this.#engine;
    if (parsedOffset - this.#acknowledged < ACKNOWLEDGE_EVERY) return;
    this.#acknowledged = parsedOffset;
    this.#host()?.acknowledge(this.#id, parsedOffset);
  }

  hold(viewer: object): void {
    this.#holders.add(viewer);
  }

  release(viewer: object): void {
    if (this.#holders.delete(viewer)) this.grant();
  }
}
