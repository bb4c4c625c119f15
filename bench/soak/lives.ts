/**
 * The server under soak, through all its lives. Every request goes through `ask`: it waits while no server is there, and
 * goes again when a kill cut it. A connection that is cut without a kill is a fault.
 */
import type { ServerUnderTest } from '../../test/kit/server.ts';
import type { Kill } from './model.ts';

const CUTS = new Set(['ECONNRESET', 'ECONNREFUSED', 'ENOENT', 'EPIPE']);

export function isCut(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return CUTS.has(code ?? '') || /socket hang up|closed before the connection/.test(message ?? '');
}

/** A request whose connection a kill cut: it may have been done or not. */
export class CutByKill extends Error {}

export class Lives {
  readonly server: ServerUnderTest;
  readonly kills: Kill[] = [];
  /** Which server it is; 1 is the first. */
  number = 1;
  since = performance.now();
  #up: Promise<void> = Promise.resolve();
  isUp = true;

  constructor(server: ServerUnderTest) {
    this.server = server;
  }

  get age(): number {
    return (performance.now() - this.since) / 1000;
  }

  /** Resolves as soon as a server answers. */
  up(): Promise<void> {
    return this.#up;
  }

  /** Kills the server with -9 and starts the next one; rejects when that does not come up. */
  async kill(at: number, listAll: () => Promise<void>): Promise<Kill> {
    const since = performance.now();
    this.isUp = false;
    this.#up = (async () => {
      await this.server.kill9();
      await this.server.start();
      this.number++;
      this.since = performance.now();
      this.isUp = true;
    })();
    await this.#up;
    const answered = performance.now() - since;
    await listAll();
    const kill = { at, answered, complete: performance.now() - since };
    this.kills.push(kill);
    return kill;
  }

  /** Does it once; rejects with CutByKill when the server was killed meanwhile. */
  async once<T>(request: () => Promise<T>): Promise<T> {
    await this.#up;
    const life = this.number;
    try {
      return await request();
    } catch (error) {
      if (isCut(error) && (!this.isUp || this.number !== life)) throw new CutByKill();
      throw error;
    }
  }

  /** Does it until it is answered: for what may be done twice. */
  async ask<T>(request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.once(request);
      } catch (error) {
        if (!(error instanceof CutByKill)) throw error;
      }
    }
  }
}
