/** The journal of a repository. */
import type { CorrectProgress, ProgressEntry, ProgressKind, ProgressList } from '../contract/index.ts';
import { type RequestOptions, request, requestJson, type Transport } from './transport.ts';

export interface ProgressRoutes {
  /** Without `since` the newest; with it the oldest after it. */
  list(path: string, options?: { limit?: number; since?: number; kind?: ProgressKind }): Promise<ProgressList>;
  pause(path: string, paused: boolean): Promise<void>;
  /** How many went. */
  clear(path: string, before?: number): Promise<number>;
  correct(entryId: string, change: CorrectProgress): Promise<ProgressEntry>;
  /** The whole journal as a document. */
  export(path: string, format: 'md' | 'json'): Promise<string>;
}

type Send = (method: string, path: string, body?: unknown) => RequestOptions & { path: string };

export function createProgressRoutes(transport: Transport, send: Send): { progress: ProgressRoutes } {
  const ask = <T>({ path, ...options }: RequestOptions & { path: string }) => requestJson<T>(transport, path, options);
  return {
    progress: {
      list(path, options = {}) {
        const query = new URLSearchParams({ path });
        for (const [name, value] of Object.entries(options)) if (value !== undefined) query.set(name, String(value));
        return ask(send('GET', `/progress?${query}`));
      },
      pause: async (path, paused) => void (await ask<unknown>(send('POST', '/progress/pause', { path, paused }))),
      clear: async (path, before) =>
        (await ask<{ removed: number }>(send('POST', '/progress/clear', { path, before }))).removed,
      correct: (entryId, change) => ask(send('PUT', `/progress/${encodeURIComponent(entryId)}`, change)),
      async export(asked, format) {
        const { path, ...options } = send('GET', `/progress/export?${new URLSearchParams({ path: asked, format })}`);
        return (await request(transport, path, options)).text();
      },
    },
  };
}
