/** What a workspace window answers to requests that were made of it alone (http.md 6.1). */
import type { ScriptOutcome } from '../contract/index.ts';
import { type RequestOptions, requestJson, type Transport } from './transport.ts';

export interface WindowRoutes {
  /** Refused with 404 when the request has ended. */
  answerScript(requestId: string, outcome: ScriptOutcome): Promise<void>;
  /** Refused with 404 when the request has ended. */
  sendPicture(requestId: string, picture: { type: string; bytes: Uint8Array<ArrayBuffer> }): Promise<void>;
  refusePicture(requestId: string, why: string): Promise<void>;
}

type Send = (method: string, path: string, body?: unknown) => RequestOptions & { path: string };

export function createWindowRoutes(transport: Transport, send: Send): { windows: WindowRoutes } {
  const done = async ({ path, ...options }: RequestOptions & { path: string }) => {
    await requestJson(transport, path, options);
  };
  const scripts = (id: string) => `/debug/scripts/${encodeURIComponent(id)}`;
  const pictures = (id: string) => `/ui/screenshots/${encodeURIComponent(id)}`;
  return {
    windows: {
      answerScript: (id, outcome) => done(send('POST', scripts(id), outcome)),
      sendPicture: (id, { type, bytes }) => {
        const asked = send('POST', pictures(id));
        return done({ ...asked, headers: { ...asked.headers, 'content-type': type }, body: bytes });
      },
      refusePicture: (id, why) => done(send('POST', pictures(id), { error: why })),
    },
  };
}
