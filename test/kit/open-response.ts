/** An HTTP answer that stays open, as it comes: for event streams and for calls that wait. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Cleanup } from './cleanup-steps.ts';
import { Signal } from './eventually.ts';
import type { Target } from './http.ts';

export interface OpenResponse {
  readonly status: number;
  readonly text: string;
  seen(wanted: string): Promise<void>;
  ended(): Promise<void>;
  /** The reader leaves. */
  close(): void;
}

export interface OpenRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The request is out; the answer may take its time. */
export function sendRequest(
  cleanup: Cleanup,
  target: Target,
  { method, path, headers = {}, body }: OpenRequest,
): { answered: Promise<OpenResponse>; close(): void } {
  const to = 'socketPath' in target ? { socketPath: target.socketPath } : { host: '127.0.0.1', port: target.port };
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  const request = httpRequest({ ...to, method, path, headers: { ...content, ...headers } });
  const close = () => {
    request.destroy();
  };
  cleanup.defer(async () => close());
  // A request that its own side gave up fails; nobody waits for its answer then.
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject);
  }).then((response) => follow(response, close));
  answered.catch(() => undefined);
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return { answered, close };
}

function follow(response: IncomingMessage, close: () => void): OpenResponse {
  const signal = new Signal();
  let text = '';
  let hasEnded = false;
  response.on('error', () => undefined);
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    signal.notify();
  });
  response.on('close', () => {
    hasEnded = true;
    signal.notify();
  });
  return {
    status: response.statusCode ?? 0,
    get text() {
      return text;
    },
    seen: async (wanted) =>
      void (await signal.until(
        wanted,
        () => text.includes(wanted),
        () => text,
      )),
    ended: async () => void (await signal.until('the end of the answer', () => hasEnded)),
    close,
  };
}
