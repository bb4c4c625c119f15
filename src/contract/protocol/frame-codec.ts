/**
 * Frames between server and pty host: a 16-byte header (see pty-host.ts) and a raw payload. Pure bytes, for both ends.
 * The parser copies a payload at most once; one that lies inside a pushed chunk is a view of that chunk.
 */
import { FRAME_HEADER } from './pty-host.ts';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** Short name of a session on this connection, given by the client. */
  readonly slot: number;
  readonly offset: number;
  readonly payload: Uint8Array;
}

const NOTHING = new Uint8Array(0);
const HIGH = 0x1_0000_0000;

export function writeOffset(view: DataView, at: number, offset: number): void {
  view.setUint32(at, offset % HIGH, true);
  view.setUint32(at + 4, Math.floor(offset / HIGH), true);
}

export function readOffset(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * HIGH + view.getUint32(at, true);
}

/** The header alone, for a payload that is sent after it without copying. */
export function encodeHeader(type: number, flags: number, slot: number, offset: number, length: number): Uint8Array {
  const header = new Uint8Array(FRAME_HEADER);
  putHeader(header, type, flags, slot, offset, length);
  return header;
}

export function encodeFrame(
  type: number,
  payload: Uint8Array = NOTHING,
  { flags = 0, slot = 0, offset = 0 }: { flags?: number; slot?: number; offset?: number } = {},
): Uint8Array {
  const frame = new Uint8Array(FRAME_HEADER + payload.length);
  putHeader(frame, type, flags, slot, offset, payload.length);
  frame.set(payload, FRAME_HEADER);
  return frame;
}

function putHeader(into: Uint8Array, type: number, flags: number, slot: number, offset: number, length: number): void {
  const view = new DataView(into.buffer, into.byteOffset, FRAME_HEADER);
  view.setUint32(0, length, true);
  view.setUint8(4, type);
  view.setUint8(5, flags);
  view.setUint16(6, slot, true);
  writeOffset(view, 8, offset);
}

/** A frame announced more bytes than the receiver takes. Nothing after it can be trusted: the connection has to be closed. */
export class OversizedFrameError extends Error {
  constructor(length: number, limit: number) {
    super(`a frame of ${length} bytes is over the limit of ${limit}`);
    this.name = 'OversizedFrameError';
  }
}

/** Incremental parser of one connection. Calls come in order; frames of unknown type are delivered too, the receiver skips them. */
export class FrameParser {
  /** Largest payload taken; may be raised once the peer is known. */
  limit: number;
  readonly #onFrame: (frame: Frame) => void;
  readonly #header = new Uint8Array(FRAME_HEADER);
  readonly #view = new DataView(this.#header.buffer);
  #headerBytes = 0;
  #payload: Uint8Array = NOTHING;
  #payloadBytes = 0;
  #stopped = false;

  constructor(limit: number, onFrame: (frame: Frame) => void) {
    this.limit = limit;
    this.#onFrame = onFrame;
  }

  /** Delivers nothing any more, even from within a delivery. */
  stop(): void {
    this.#stopped = true;
    this.#payload = NOTHING;
  }

  push(data: Uint8Array): void {
    // A plain view: subclasses (Node's buffers) have another idea of slice().
    const chunk = new Uint8Array(data.buffer, data.byteOffset, data.length);
    let at = 0;
    while (!this.#stopped && at < chunk.length) {
      if (this.#headerBytes < FRAME_HEADER) {
        const take = Math.min(FRAME_HEADER - this.#headerBytes, chunk.length - at);
        this.#header.set(chunk.subarray(at, at + take), this.#headerBytes);
        this.#headerBytes += take;
        at += take;
        if (this.#headerBytes < FRAME_HEADER) return;
        const length = this.#view.getUint32(0, true);
        if (length > this.limit) {
          this.stop();
          throw new OversizedFrameError(length, this.limit);
        }
        if (length <= chunk.length - at) {
          this.#deliver(chunk.subarray(at, at + length));
          at += length;
          continue;
        }
        this.#payload = new Uint8Array(length);
        this.#payloadBytes = 0;
      }
      const take = Math.min(this.#payload.length - this.#payloadBytes, chunk.length - at);
      this.#payload.set(chunk.subarray(at, at + take), this.#payloadBytes);
      this.#payloadBytes += take;
      at += take;
      if (this.#payloadBytes === this.#payload.length) {
        const payload = this.#payload;
        this.#payload = NOTHING;
        this.#deliver(payload);
      }
    }
  }

  #deliver(payload: Uint8Array): void {
    this.#headerBytes = 0;
    this.#onFrame({
      type: this.#view.getUint8(4),
      flags: this.#view.getUint8(5),
      slot: this.#view.getUint16(6, true),
      offset: readOffset(this.#view, 8),
      payload,
    });
  }
}
