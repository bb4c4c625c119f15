/** A connection to one MCP server, whatever carries it. */
import type { JsonObject } from '../../base/index.ts';

/**
 * Why a request has no answer. `never`: it did not reach the server and may be sent again. `maybe`: it may have run there. A server that
 * refused our session has not run it either.
 */
export type FailureKind =
  | 'unreachable'
  | 'session_lost'
  | 'needs_oauth'
  | 'auth_failed'
  | 'refused'
  | 'timeout'
  | 'cancelled'
  | 'broken'
  | 'too_large'
  | 'closed';

export class LinkFailure extends Error {
  override readonly name = 'LinkFailure';
  readonly kind: FailureKind;
  readonly reach: 'never' | 'maybe';

  constructor(kind: FailureKind, reach: 'never' | 'maybe', message: string) {
    super(message);
    this.kind = kind;
    this.reach = reach;
  }
}

/** The server's own JSON-RPC error: an answer, not a failure of the link. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface RequestOptions {
  /** Milliseconds. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** Params of a progress notification of this request; without it none is asked for. */
  onProgress?: ((params: JsonObject) => void) | undefined;
}

export interface LinkEvents {
  /** Of no request in particular. */
  onNotification(method: string, params: JsonObject): void;
  /** Once, when the link is over by itself; not after `close`. */
  onEnd(failure: LinkFailure): void;
  /** Something that is worth a line of the log; each kind is told once. */
  onOddity(what: string): void;
}

export interface McpLink {
  /** The result as it came. Rejects with LinkFailure or RemoteError. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown>;
  notify(method: string, params?: JsonObject): void;
  /** What the handshake settled. */
  adopt(handshake: { revision: string; isModern: boolean }): void;
  /** The newest of its program's stderr; empty where there is none. */
  readonly diagnostics: string;
  close(): Promise<void>;
}
