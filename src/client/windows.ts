/** What a workspace window answers to requests that were made of it alone (http.md 6.1). */
import type { ScriptOutcome } from '../contract/index.ts';
import { type RequestOptions, requestJson, type Transport } from './transport.ts';

export interface WindowRoutes {
  /** Refused with 404 when the request has ended. */
  answerScript(requestId: string, outcome: ScriptOutcome): Promise<void>;
}

type Send = (method: string, path: string, body?: unknown) => RequestOptions & { path: string };

export function createWindowRoutes(transport: Transport, send: Send): { windows: WindowRoutes } {
  return {
    windows: {
      async answerScript(requestId, outcome) {
        const { path, ...options } = send('POST', `/debug/scripts/${encodeURIComponent(requestId)}`, outcome);
        await requestJson(transport, path, options);
      },
    },
  };
}
