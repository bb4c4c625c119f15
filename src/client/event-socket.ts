/**
 * The event stream over a WebSocket, given as the answer of a fetch, so that whoever follows events needs to know one way only.
 * A page has to take this one: a browser holds six HTTP connections to a server for all its windows together, and a seventh
 * window would stand still.
 *
 * Promises: resolves once the connection stands; a connection that is refused is answered by what `probe` answers, since a
 * browser does not tell why; the body ends or fails with the connection, and an abort closes it.
 */
import type { SocketLike } from './transport.ts';

export interface EventSocketOptions {
  openSocket(path: string): SocketLike;
  /** Path and query of the stream. */
  path: string;
  lastEventId: string | undefined;
  signal: AbortSignal | undefined;
  /** Asks for something that stands behind the same door. */
  probe(): Promise<Response>;
}

export function openEventSocket(options: EventSocketOptions): Promise<Response> {
  const { path, lastEventId, signal } = options;
  const [, query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  if (lastEventId !== undefined) parameters.set('last_event_id', lastEventId);
  const text = parameters.toString();
  const socket = options.openSocket(`/events/socket${text === '' ? '' : `?${text}`}`);
  const encoder = new TextEncoder();

  return new Promise((resolve, reject) => {
    let isOver = false;
    const close = () => {
      isOver = true;
      signal?.removeEventListener('abort', onAbort);
      socket.onopen = socket.onmessage = socket.onclose = null;
      // A socket that is closed while it connects reports an error; without a listener `ws` would throw it.
      socket.onerror = () => undefined;
      socket.close(1000);
    };
    let fail = reject;
    const onAbort = () => {
      close();
      fail(signal?.reason);
    };
    if (signal?.aborted === true) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    // A close event follows each error; it carries the decision.
    socket.onerror = () => undefined;
    socket.onclose = () => {
      close();
      options.probe().then((answer) => {
        if (answer.ok) reject(new TypeError('the connection for events could not be made'));
        else resolve(answer);
      }, reject);
    };
    socket.onopen = () => {
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          fail = (reason) => controller.error(reason);
          socket.onmessage = ({ data }: { data: unknown }) => {
            if (typeof data === 'string') controller.enqueue(encoder.encode(data));
          };
          socket.onclose = () => {
            close();
            controller.close();
          };
        },
        cancel() {
          if (!isOver) close();
        },
      });
      resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    };
  });
}
