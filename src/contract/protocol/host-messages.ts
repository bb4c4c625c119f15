/**
 * JSON payloads of the pty host's control frames. The client opens with `hello`, the host answers `welcome` and closes after
 * a refusal. Before a session is named by its slot in a frame, the client binds the slot to the id (`bind`, unanswered).
 *
 * - `request` {id, op, ...} → `response` {id, result} or {id, error}. With `body: true` a `data` frame follows the response
 *   at once: its payload is the answer's bytes, its offset their offset.
 * - `write`: offset is a number chosen by the client, echoed by `written`; an empty payload means queued, else {code, data}.
 * - `notice` is the last frame before the host closes a connection by its own will.
 */
import type { ErrorCode } from '../errors.ts';
import type { Hello, SpawnRequest } from './pty-host.ts';

/** An observer may list, read the status and shut the host down; a server owns the streams, and a newer one replaces it. */
export type HostRole = 'server' | 'observer';

export interface HelloMessage extends Hello {
  token: string;
  role: HostRole;
}

export interface HostFailure {
  code: ErrorCode;
  data: Record<string, string | number>;
}

export interface WelcomeMessage extends Hello {
  /** Highest common protocol; absent when there is none. */
  protocol?: number;
  error?: HostFailure;
}

export type HostOperation =
  | { op: 'list' }
  | { op: 'status' }
  | { op: 'spawn'; request: SpawnRequest }
  | { op: 'checkpoint'; session: string }
  | { op: 'attach'; session: string; slot: number; since: number }
  | { op: 'detach'; session: string }
  | { op: 'read'; session: string; from: number; to: number }
  | { op: 'resize'; session: string; cols: number; rows: number }
  | { op: 'pause'; session: string }
  | { op: 'resume'; session: string }
  | { op: 'kill'; session: string; mode: 'close' | 'kill' }
  | { op: 'forget'; session: string }
  | { op: 'shutdown' };

export type RequestMessage = { id: number } & HostOperation;
export interface BindMessage {
  op: 'bind';
  slot: number;
  session: string;
}

export interface ResponseMessage {
  id: number;
  result?: unknown;
  error?: HostFailure;
  body?: boolean;
}

export interface NoticeMessage {
  reason: 'replaced' | 'shutdown';
}

/** Names of the files of a pty host inside the configuration directory. */
export const HOST_FILES = {
  socket: 'pty-host.sock',
  /** Holds the path of the socket when `socket` itself would be too long for the system. */
  pointer: 'pty-host.sock.path',
  token: 'pty-host.token',
  lock: 'pty-host.lock',
  log: 'pty-host.log',
} as const;

/** What a starting host says on its ready descriptor before it closes it; anything else is why it could not start. */
export const HOST_READY = {
  listening: 'listening',
  /** Another host has this directory. */
  gaveWay: 'gave way',
} as const;
