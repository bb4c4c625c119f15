/** The few JSON-RPC shapes the bridge itself reads and writes. Everything else passes through as it came. */
import { isJsonObject, type JsonObject } from '../base/index.ts';

export type MessageId = string | number;

export interface Message {
  /** The line as it came, forwarded unchanged. */
  text: string;
  value: JsonObject;
  id: MessageId | undefined;
  method: string | undefined;
}

export const LIST_CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

/** Undefined for what is no JSON-RPC message: not JSON, a batch, a bare value. */
export function readMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const id = typeof value.id === 'string' || typeof value.id === 'number' ? value.id : undefined;
  const method = typeof value.method === 'string' ? value.method : undefined;
  return { text, value, id, method };
}

/** A raw line break cannot stand inside a JSON string, so a message of several lines becomes one without being read. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').trim();
}

export function answer(id: MessageId, result: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function failure(id: MessageId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** What a tool call answers when the call itself could not be made (mcp.md 1.7). */
export function toolFailure(id: MessageId, message: string): string {
  const text = JSON.stringify({ error: message });
  return answer(id, { content: [{ type: 'text', text }], isError: true });
}

/** Revision of one modern request (TRN-31): what its body states; undefined for a legacy one. */
export function modernRevision(message: Message): string | undefined {
  const params = message.value.params;
  const meta = isJsonObject(params) ? params._meta : undefined;
  const revision = isJsonObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined;
  return typeof revision === 'string' ? revision : undefined;
}

/** A value for a header: as it is when it is plain, else in the sentinel form of the modern revision. */
export function headerValue(value: string): string {
  return /^[\x21-\x7e]{1,256}$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** A name for the User-Agent (BRG-4): `[A-Za-z0-9._-]`, at most 64 characters. */
export function agentWord(value: unknown): string {
  return (typeof value === 'string' ? value : '').replace(/[^A-Za-z0-9._-]/g, '').slice(0, 64);
}
