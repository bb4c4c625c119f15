/**
 * A notification stream of the MCP endpoint, GET /mcp (TRN-21 to TRN-24). One that does not read keeps at most LIMITS.mcpNotices waiting; what
 * comes then is left out, since each notice only says to ask again.
 */
import type { ServerResponse } from 'node:http';
import { type Clock, toDisposable } from '../../base/index.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import { restoreExactJson } from '../../platform/mcp-links/index.ts';
import type { McpEndpoint } from '../mcp/index.ts';

export interface McpStreamOptions {
  endpoint: McpEndpoint;
  session: string;
  response: ServerResponse;
  headers: Record<string, string>;
  clock: Clock;
  onClose: () => void;
}

export class McpStream {
  readonly #response: ServerResponse;

  constructor(options: McpStreamOptions) {
    const { response, clock, session } = options;
    this.#response = response;
    let waiting: string[] = [];
    const write = (text: string): boolean => {
      if (response.destroyed || response.writableEnded) return false;
      if (!response.writableNeedDrain) response.write(text);
      else if (waiting.length < LIMITS.mcpNotices) waiting.push(text);
      else return false;
      return true;
    };
    const close = options.endpoint.openStream(session, {
      send: (message) => write(`event: message\ndata: ${restoreExactJson(JSON.stringify(message))}\n\n`),
      end: () => this.end(),
    });
    const ping = clock.every(DEADLINES.eventKeepAlive, () => {
      if (!response.writableNeedDrain) response.write(': ping\n\n');
    });
    const teardown = toDisposable(() => {
      close();
      ping.dispose();
      options.onClose();
    });
    response.on('close', () => teardown.dispose());
    response.on('drain', () => {
      const texts = waiting;
      waiting = [];
      for (const text of texts) write(text);
    });
    response.writeHead(200, {
      ...options.headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'mcp-session-id': session,
    });
    response.write(': open\n\n');
    // A client that left while it was being identified sends no further event.
    if (response.destroyed) teardown.dispose();
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }
}
