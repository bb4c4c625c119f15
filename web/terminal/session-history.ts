/** What stands above the screen of one session: read from its log, first a part of it and all of it once that is asked for. */
import { type Client, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { DEADLINES, LIMITS, type LogLine } from '../../src/contract/index.ts';
import { readLogPages } from '../shared/log-pages.ts';
import { HISTORY_LINES } from './history.ts';

export class SessionHistory {
  readonly #client: Client;
  readonly #sessionId: string;
  #most: number = HISTORY_LINES;
  /** The log holds lines above those that were read. */
  #hasMore = false;

  constructor(client: Client, sessionId: string) {
    this.#client = client;
    this.#sessionId = sessionId;
  }

  /** True when the next read brings more than the last one. */
  askForAll(): boolean {
    if (!this.#hasMore || this.#most === LIMITS.logLines) return false;
    this.#most = LIMITS.logLines;
    return true;
  }

  /** Lines above the screen. Without `end` the seam may be a line off, as output goes on between snapshot and question. */
  async above(end: number | undefined): Promise<LogLine[]> {
    if (end === 0) return [];
    const most = this.#most;
    this.#hasMore = end === undefined || end > most;
    try {
      const signal = AbortSignal.timeout(DEADLINES.historyFetch);
      if (end === undefined)
        return (await this.#client.sessions.logOutput(this.#sessionId, { limit: most, signal })).lines;
      return (await readLogPages(this.#client, this.#sessionId, { from: Math.max(0, end - most), end, signal })).lines;
    } catch (error) {
      // The screen matters more than what is above it; a session that is gone has neither.
      const isExpected = error instanceof RequestRefused || error instanceof ServerUnreachable;
      if (isExpected || (error instanceof DOMException && error.name === 'TimeoutError')) return [];
      throw error;
    }
  }

  /** Log and last screen of a session that has ended. */
  async record(): Promise<{ lines: LogLine[]; screen: LogLine[] }> {
    const { lines, screen, offset } = await this.#client.sessions.logOutput(this.#sessionId, { limit: this.#most });
    this.#hasMore = offset > 0;
    return { lines, screen };
  }
}
