/** Reading and checking the JSON documents of the configuration. Messages name places and keys, never content. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { isJsonWithinDepth } from '../../base/index.ts';
import { AppError, LIMITS } from '../../contract/index.ts';
import { FileUnusable, readSmallFile } from '../../platform/fs/index.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** The content is no JSON document. Somebody may have been interrupted while writing it. */
export class DocumentBroken extends Error {
  override readonly name = 'DocumentBroken';
  /** There is nothing in it at all, so nothing can be lost either. */
  readonly isEmpty: boolean;

  constructor(message: string, isEmpty = false) {
    super(message);
    this.isEmpty = isEmpty;
  }
}

/** Where a text stops being JSON. The parser's own message quotes the text, which may hold a secret. */
function describePlace(text: string, error: unknown): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (position === undefined) return 'it is no complete JSON';
  const before = text.slice(0, Number(position)).split('\n');
  return `it is not valid JSON at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

export function parseDocument(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DocumentBroken('it is not valid UTF-8');
  }
  if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
  if (text.trim() === '') throw new DocumentBroken('it is empty', true);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DocumentBroken(describePlace(text, error));
  }
  if (!isJsonWithinDepth(value, LIMITS.configDepth)) {
    throw new DocumentBroken(`it is nested deeper than ${LIMITS.configDepth} levels`);
  }
  return value;
}

export interface ReadDocument {
  value: unknown;
  etag: string;
}

/** Undefined when there is no such file. Rejects with DocumentBroken for wrong content, with the system's error otherwise. */
export async function readDocument(path: string): Promise<ReadDocument | undefined> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readSmallFile(path, LIMITS.configFile);
  } catch (error) {
    if (error instanceof FileUnusable) throw new DocumentBroken(error.message);
    throw error;
  }
  return bytes === undefined ? undefined : { value: parseDocument(bytes), etag: makeEtag(bytes) };
}

export function makeEtag(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`;
}

/** True when an If-Match header allows the write. `etag` is undefined while there is no file. */
export function matchesEtag(header: string | undefined, etag: string | undefined, emptyEtag: string): boolean {
  if (header === undefined) return true;
  if (header.trim() === '*') return etag !== undefined;
  return header.split(',').some((part) => part.trim() === (etag ?? emptyEtag));
}

export function formatDocument(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The text to store. Refused when it could not be read again. */
export function formatForFile(value: unknown): string {
  const text = formatDocument(value);
  if (Buffer.byteLength(text) > LIMITS.configFile) {
    throw new AppError('invalid_input', { detail: `the file would be larger than ${LIMITS.configFile} bytes` });
  }
  return text;
}

export function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it does not match';
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

export function refuseDepth(value: unknown): void {
  if (isJsonWithinDepth(value, LIMITS.configDepth)) return;
  throw new AppError('invalid_input', { detail: `it is nested deeper than ${LIMITS.configDepth} levels` });
}
