import type { SocketLike } from '../../src/client/index.ts';

/** A WebSocket whose other end is the test: it opens, feeds and ends it. */
export class FakeSocket implements SocketLike {
  binaryType = 'blob';
  bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readonly url: URL;
  readonly sent: (string | Uint8Array)[] = [];
  closedWith: number | undefined;
  isClosed = false;

  constructor(path: string) {
    this.url = new URL(path, 'ws://fake');
  }

  send(data: string | Uint8Array): void {
    if (this.isClosed) throw new Error('the socket is closed');
    this.sent.push(data);
  }

  close(code?: number): void {
    this.isClosed = true;
    this.closedWith = code;
  }

  open(): void {
    (this.onopen as (() => void) | null)?.();
  }

  /** A message as it is, or an object as JSON. */
  frame(frame: object | string): void {
    this.raw(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  raw(data: unknown): void {
    (this.onmessage as ((event: { data: unknown }) => void) | null)?.({ data });
  }

  /** The connection ends; 1006 is what a browser tells of a broken one. */
  break(code = 1006): void {
    this.isClosed = true;
    (this.onclose as ((event: { code: number }) => void) | null)?.({ code });
  }
}
