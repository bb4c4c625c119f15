/** What a leg of /mcp gets and gives: HTTP only as status, headers and a body. */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { Caller } from '../actions.ts';

export interface McpRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  caller: Caller;
  /** Aborts when the caller leaves, and at the deadline. */
  signal: AbortSignal;
}

/** What the list of tools and the instructions depend on. */
export interface ClientTraits {
  /** As the client calls itself; empty when unknown. */
  readonly name: string;
  readonly isClaudeCode: boolean;
}

export interface McpAnswer {
  status: number;
  headers: Record<string, string>;
  /** A JSON-RPC message; undefined for an empty answer. */
  body?: JsonObject | undefined;
  /** Server-sent events instead of a body. */
  stream?: ReadableStream<Uint8Array>;
}

export const RPC_ERRORS = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParameters: -32_602,
  internal: -32_603,
} as const;

export function headerOf({ headers }: Pick<McpRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function failure(status: number, id: unknown, code: number, message: string): McpAnswer {
  return { status, headers: {}, body: { jsonrpc: '2.0', id, error: { code, message } } };
}

/** What the protocol itself puts into `_meta` of a request; it is between us and our client. */
const OWN_META = /^(progressToken$|io\.modelcontextprotocol\/)/;

/** Params as another server gets them: everything of them but that. */
export function forwardedParams({ _meta: meta, ...params }: JsonObject): JsonObject {
  const kept = Object.entries(isJsonObject(meta) ? meta : {}).filter(([key]) => !OWN_META.test(key));
  return kept.length === 0 ? params : { ...params, _meta: Object.fromEntries(kept) };
}
