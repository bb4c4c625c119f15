/** The ways to a server, injected: a browser gives `fetch` and `WebSocket`, node.ts the IPC socket. */
import { RequestRefused, ServerUnreachable } from './errors.ts';

/** The part of a WebSocket that the streams use; browsers and `ws` both have it. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

export interface Transport {
  /** `path` begins with a slash and may carry a query. Rejects when no answer comes; any status is an answer. */
  fetch(path: string, options: RequestOptions): Promise<Response>;
  /** Opens a WebSocket; errors come by its events. */
  openSocket(path: string): SocketLike;
}

/** Runs one request and turns refusals and silence into the two error types. */
export async function request(transport: Transport, path: string, options: RequestOptions = {}): Promise<Response> {
  let response: Response;
  try {
    response = await transport.fetch(path, options);
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new ServerUnreachable(error);
  }
  if (response.status >= 400) {
    const { text, code } = await readRefusal(response);
    throw new RequestRefused(response.status, text, code);
  }
  return response;
}

/** Routes answer `{"error": text}`, some plain text (http.md 1.4); both are read. */
async function readRefusal(response: Response): Promise<{ text: string; code?: string }> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw new ServerUnreachable(error);
  }
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string') {
      return { text: body.error, ...('code' in body && typeof body.code === 'string' ? { code: body.code } : {}) };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { text: text.trim() === '' ? `The server answered ${response.status}` : text.trim() };
}

/** Reads a JSON answer. Server and client share the contract, so its shape is taken as declared. */
export async function requestJson<T>(transport: Transport, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await request(transport, path, options);
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new ServerUnreachable(error);
  }
}

/** A document with the tag that says which state of it was read; send the tag back, and a newer state is not overwritten. */
export interface Tagged<T> {
  value: T;
  etag: string;
}

export async function requestTagged<T>(
  transport: Transport,
  path: string,
  options: RequestOptions = {},
): Promise<Tagged<T>> {
  const response = await request(transport, path, options);
  try {
    return { value: (await response.json()) as T, etag: response.headers.get('etag') ?? '' };
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new ServerUnreachable(error);
  }
}
