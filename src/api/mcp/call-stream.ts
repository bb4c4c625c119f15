/**
 * TRN-33: a call is answered by JSON; only when something of it has to go out before its result, and its client takes events, the
 * answer becomes a stream that ends with the result. A comment now and then keeps it open on its way (M29).
 */
import { type Clock, isJsonObject, type JsonObject } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import { restoreExactJson } from '../../platform/mcp-links/index.ts';
import type { McpAnswer } from './message.ts';
import type { ToolContext } from './tool-context.ts';

const encoder = new TextEncoder();

function toEvent(message: JsonObject): Uint8Array {
  return encoder.encode(`event: message\ndata: ${restoreExactJson(JSON.stringify(message))}\n\n`);
}

/** `work` may send messages until it resolves. */
export async function answerOrStream(
  clock: Clock,
  headers: Record<string, string>,
  work: (send: (message: JsonObject) => void) => Promise<McpAnswer>,
): Promise<McpAnswer> {
  let output: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isOpen = false;
  let tellFirst = () => {};
  const first = new Promise<void>((resolve) => {
    tellFirst = resolve;
  });
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      output = controller;
    },
    // The signal of the request tells the work.
    cancel() {
      isOpen = false;
    },
  });
  const write = (bytes: Uint8Array) => {
    if (isOpen) output?.enqueue(bytes);
  };
  let hasBegun = false;
  const answering = work((message) => {
    // Only the first one opens it: what comes after its reader left is for nobody.
    isOpen ||= !hasBegun;
    hasBegun = true;
    write(toEvent(message));
    tellFirst();
  });
  const answer = await Promise.race([answering, first]);
  if (answer !== undefined && !hasBegun) return answer;
  const ping = clock.every(DEADLINES.eventKeepAlive, () => write(encoder.encode(': ping\n\n')));
  answering
    .then(
      ({ body }) => {
        if (body !== undefined) write(toEvent(body));
        if (isOpen) output?.close();
      },
      (error: unknown) => {
        if (isOpen) output?.error(error);
      },
    )
    .finally(() => ping.dispose());
  return { status: 200, headers, stream };
}

/** A stream of events whose numbers are written back; an event is handed on when it is whole. */
export function restoreEvents(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        rest += decoder.decode(bytes, { stream: true });
        const end = rest.lastIndexOf('\n\n') + 2;
        if (end === 1) return;
        controller.enqueue(encoder.encode(restoreExactJson(rest.slice(0, end))));
        rest = rest.slice(end);
      },
      flush(controller) {
        if (rest !== '') controller.enqueue(encoder.encode(restoreExactJson(rest)));
      },
    }),
  );
}

/** M16: nothing is said of the progress of a call that did not ask for it; else it comes under the call's own token. */
export function progressOf(
  { _meta: meta }: JsonObject,
  send: (message: JsonObject) => void,
): Pick<ToolContext, 'meta' | 'onProgress'> {
  if (!isJsonObject(meta)) return {};
  const { progressToken } = meta;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return { meta };
  return {
    meta,
    onProgress: (progress) =>
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...progress, progressToken } }),
  };
}
