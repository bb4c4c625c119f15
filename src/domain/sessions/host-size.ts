/**
 * The size that is asked of the host for one terminal. What is in force follows as a record in the output stream.
 *
 * Ordering: the newest wish counts. A wish that fails is taken back unless a newer one was made meanwhile.
 */
import { AppError, type PtyHost } from '../../contract/index.ts';
import type { TerminalSize } from './size-rule.ts';

export class HostSize {
  readonly #id: string;
  readonly #host: () => PtyHost | undefined;
  #wanted: TerminalSize;

  /** `host`: the connected host that has the session, if any. */
  constructor(id: string, size: TerminalSize, host: () => PtyHost | undefined) {
    this.#id = id;
    this.#host = host;
    this.#wanted = size;
  }

  /** What the host says it has. */
  settle(size: TerminalSize): void {
    this.#wanted = size;
  }

  /** Same size: nothing happens. Throws host_unavailable while no host is connected. */
  async ask(size: TerminalSize): Promise<void> {
    if (size.rows === this.#wanted.rows && size.cols === this.#wanted.cols) return;
    const host = this.#host();
    if (host === undefined) throw new AppError('host_unavailable', { detail: 'it is not connected' });
    const before = this.#wanted;
    this.#wanted = size;
    try {
      await host.resize(this.#id, size.cols, size.rows);
    } catch (error) {
      if (this.#wanted === size) this.#wanted = before;
      throw error;
    }
  }
}
