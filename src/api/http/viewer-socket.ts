/**
 * One viewer of one session over a WebSocket (http.md 5). Owns the order of what the viewer sends and the bounds of both
 * directions. Promises: input reaches the session in the order it came, also what came before the session had opened the
 * viewer, and what came before the viewer left; what waits is at most LIMITS.viewerInput, else 1009; unsent output is at most
 * LIMITS.socketBuffer, else the connection is cut; a paste (`{type:"paste", id, bytes}`, then its bytes in any number of binary
 * frames) is written whole or not at all, and answered by `{type:"pasted", id}`, with `error` and `code` when nothing of it was
 * written. How far a viewer may fall behind is the session's decision: it asks `backlog` and is told `drained`.
 */
import { type RawData, WebSocket } from 'ws';
import { z } from 'zod';
import {
  AppError,
  BYTES_HEADER,
  type CloseReason,
  LIMITS,
  type StreamFormat,
  type StreamFrame,
  type StreamQuery,
} from '../../contract/index.ts';
import type { SessionService, Viewer, ViewerSink } from '../../domain/sessions/index.ts';
import type { Log } from '../../platform/log/index.ts';

export const CLOSE = {
  done: 1000,
  goingAway: 1001,
  unsupported: 1003,
  policy: 1008,
  tooBig: 1009,
  failed: 1011,
} as const;

/** What a close frame can hold. */
const REASON_BYTES = 123;

const controlSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ack'), offset: z.number().int().min(0) }),
  z.object({ type: z.literal('resize'), rows: z.number().int(), cols: z.number().int() }),
  z.object({ type: z.literal('visible'), visible: z.boolean() }),
  z.object({
    type: z.literal('paste'),
    id: z.number().int().min(0),
    bytes: z.number().int().min(1).max(LIMITS.writeQueue),
  }),
]);
type Control = z.output<typeof controlSchema>;
type PasteControl = Extract<Control, { type: 'paste' }>;
const KNOWN_CONTROLS: ReadonlySet<unknown> = new Set(['ack', 'resize', 'visible', 'paste']);

export interface ViewerSocketOptions {
  socket: WebSocket;
  sessions: SessionService;
  /** Any of the session's addresses. */
  reference: string;
  query: StreamQuery;
  log: Log;
  /** Told once, at the first input. */
  onInput?: () => void;
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export class ViewerSocket implements ViewerSink {
  readonly #socket: WebSocket;
  readonly #format: StreamFormat;
  readonly #options: ViewerSocketOptions;
  #viewer: Viewer | undefined;
  /** Everything the viewer sends runs after what it sent before; the first link is the opening itself. */
  #turn: Promise<void>;
  #waitingInput = 0;
  #hasToldClosed = false;
  /** We ended the connection, and the reason was told: what waits is dropped. */
  #hasClosed = false;
  #hasToldInput = false;
  /** Being received. It is handed on once all of it is here. */
  #paste: { id: number; bytes: number; parts: Buffer[] } | undefined;

  constructor(options: ViewerSocketOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#format = options.query.format;
    // Before anything is awaited: a message that finds no listener is gone.
    this.#socket.on('message', (data, isBinary) => this.#receive(toBuffer(data), isBinary));
    this.#socket.on('close', () => this.#viewer?.dispose());
    this.#socket.on('ping', () => this.#checkBuffer());
    this.#turn = this.#open();
  }

  bytes(offset: number, bytes: Uint8Array): void {
    const frame = Buffer.allocUnsafe(BYTES_HEADER + bytes.length);
    frame.writeBigUInt64LE(BigInt(offset), 0);
    frame.set(bytes, BYTES_HEADER);
    this.#send(frame);
  }

  frame(frame: StreamFrame): void {
    if (frame.type === 'closed') this.#hasToldClosed = true;
    this.#send(JSON.stringify(frame));
  }

  backlog(): number {
    return this.#socket.bufferedAmount;
  }

  end(reason: CloseReason): void {
    const { sessions, reference } = this.#options;
    if (!this.#hasToldClosed) this.frame({ type: 'closed', session_id: sessions.resolve(reference), reason });
    this.#close(CLOSE.done);
  }

  async #open(): Promise<void> {
    const { sessions, reference, query } = this.#options;
    try {
      const viewer = await sessions.openViewer(
        reference,
        {
          format: query.format,
          ...(query.offset === undefined ? {} : { offset: query.offset }),
          ...(query.events === '1' ? { events: true } : {}),
        },
        this,
      );
      this.#viewer = viewer;
      if (this.#socket.readyState !== WebSocket.OPEN) viewer.dispose();
      // Writes that finished during the opening had nobody to tell.
      else viewer.drained();
    } catch (error) {
      this.#fail(error);
    }
  }

  #send(data: string | Buffer): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(data, (error) => {
      // A failed write is followed by the socket's own error and close.
      if (error === undefined || error === null) this.#viewer?.drained();
    });
    this.#checkBuffer();
  }

  #checkBuffer(): void {
    if (this.#socket.bufferedAmount <= LIMITS.socketBuffer) return;
    this.#options.log.warn({ unsent: this.#socket.bufferedAmount }, 'a viewer that takes nothing was cut');
    this.#socket.terminate();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (isBinary || this.#format !== 'bytes') this.#receiveInput(data);
    else this.#receiveControl(data.toString('utf8'));
  }

  #receiveInput(data: Buffer): void {
    if (data.length === 0) return;
    if (!this.#hasToldInput) this.#options.onInput?.();
    this.#hasToldInput = true;
    this.#waitingInput += data.length;
    if (this.#waitingInput > LIMITS.viewerInput) {
      this.#close(CLOSE.tooBig, 'the program does not read its input');
      return;
    }
    if (this.#paste !== undefined) this.#receivePaste(this.#paste, data);
    else this.#after((viewer) => this.#input(viewer, data));
  }

  async #input(viewer: Viewer, data: Buffer): Promise<void> {
    try {
      await viewer.input(data);
    } finally {
      this.#waitingInput -= data.length;
    }
  }

  #receivePaste(paste: { id: number; bytes: number; parts: Buffer[] }, data: Buffer): void {
    paste.parts.push(data);
    const received = paste.parts.reduce((sum, part) => sum + part.length, 0);
    if (received < paste.bytes) return;
    this.#paste = undefined;
    if (received > paste.bytes) {
      this.#close(CLOSE.unsupported, 'paste: more bytes came than were announced');
      return;
    }
    this.#after(async (viewer) => {
      try {
        await this.#input(viewer, Buffer.concat(paste.parts));
        this.#send(JSON.stringify({ type: 'pasted', id: paste.id }));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        this.#send(JSON.stringify({ type: 'pasted', id: paste.id, code: error.code, error: error.message }));
      }
    });
  }

  #beginPaste({ id, bytes }: PasteControl): void {
    if (this.#paste === undefined) this.#paste = { id, bytes, parts: [] };
    else this.#close(CLOSE.unsupported, 'paste: the one before it is not complete');
  }

  #receiveControl(text: string): void {
    const message = parseObject(text);
    if (message === undefined) {
      this.#close(CLOSE.unsupported, 'text must be a JSON object');
      return;
    }
    if (!KNOWN_CONTROLS.has(message.type)) return;
    const control = controlSchema.safeParse(message);
    if (!control.success) {
      const [issue] = control.error.issues;
      this.#close(CLOSE.unsupported, `${String(message.type)}: ${issue?.path.join('.') ?? ''} is not valid`);
      return;
    }
    // At once, as the frames behind it are its own.
    const { data } = control;
    if (data.type === 'paste') {
      this.#beginPaste(data);
      return;
    }
    // An acknowledgement must not wait behind input that the program does not read: output would stop with it.
    if (this.#viewer === undefined) {
      this.#after((viewer) => {
        // The size and the state of somebody who has left count no more.
        if (this.#socket.readyState === WebSocket.OPEN) this.#apply(viewer, data);
      });
    } else this.#guard(() => this.#apply(this.#viewer, data));
  }

  #apply(viewer: Viewer | undefined, control: Exclude<Control, PasteControl>): void {
    if (control.type === 'ack') viewer?.acknowledge(control.offset);
    else if (control.type === 'resize') viewer?.resize(control.rows, control.cols);
    else viewer?.visible(control.visible);
  }

  #after(work: (viewer: Viewer) => Promise<void> | void): void {
    this.#turn = this.#turn.then(async () => {
      const viewer = this.#viewer;
      if (viewer === undefined || this.#hasClosed) return;
      try {
        await work(viewer);
      } catch (error) {
        this.#refuse(error);
      }
    });
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** The viewer is told that what it sent did not get through; the stream itself goes on. */
  #refuse(error: unknown): void {
    if (error instanceof AppError)
      this.#send(JSON.stringify({ type: 'error', code: error.code, error: error.message }));
    else this.#fail(error);
  }

  #fail(error: unknown): void {
    const isExpected = error instanceof AppError && error.status < 500;
    if (!isExpected) this.#options.log.error({ err: error }, 'a viewer failed');
    this.#close(CLOSE.failed, error instanceof AppError ? error.message : '');
  }

  /** From here on the session has no viewer, however long the other side takes to answer. */
  #close(code: number, reason = ''): void {
    let text = reason.slice(0, REASON_BYTES);
    while (Buffer.byteLength(text) > REASON_BYTES) text = text.slice(0, -1);
    this.#hasClosed = true;
    this.#socket.close(code, text);
    this.#viewer?.dispose();
  }
}
