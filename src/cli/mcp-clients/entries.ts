/** Reads and changes the entry of TUICommander in a client's own configuration. */
import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { Launch, McpClient, Place } from './clients.ts';
import { editJson, readJson } from './json-file.ts';
import { editToml, readToml } from './toml-file.ts';
import { UnreadableFile } from './unreadable-file.ts';

export type EntryState = 'installed' | 'stale' | 'different' | 'absent' | 'unreadable';

export interface EntryStatus {
  client: string;
  name: string;
  /** The client's folder is on this machine. */
  present: boolean;
  state: EntryState;
  file: string;
  /** What is wrong, for stale, different and unreadable ones. */
  detail?: string;
}

export interface EntryChange {
  client: string;
  name: string;
  file: string;
  /** `none` when the file says what it should already. */
  change: 'added' | 'repaired' | 'removed' | 'none';
  before: string;
  after: string;
  isNewFile: boolean;
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw error;
  }
}

/** The file in use, else the one to create. */
async function chooseFile(client: McpClient, place: Place): Promise<{ file: string; text: string | undefined }> {
  const files = client.files(place);
  for (const file of files) {
    const text = await readIfThere(file);
    if (text !== undefined) return { file, text };
  }
  return { file: files[0] ?? '', text: undefined };
}

const readDocument = (client: McpClient, text: string) => (client.format === 'json' ? readJson(text) : readToml(text));

function findEntry(client: McpClient, document: JsonObject): JsonObject | undefined {
  let value: unknown = document;
  for (const key of client.path(document)) value = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** The settings of a client as they are; an empty object while there are none. Throws UnreadableFile. */
export async function readClientDocument(
  client: McpClient,
  place: Place,
): Promise<{ file: string; document: JsonObject }> {
  const { file, text } = await chooseFile(client, place);
  return { file, document: readDocument(client, text ?? '') };
}

export async function readStatus(client: McpClient, place: Place, launch: Launch): Promise<EntryStatus> {
  const { file, text } = await chooseFile(client, place);
  const status = { client: client.id, name: client.name, present: await isThere(client.folder(place)), file };
  try {
    const existing = findEntry(client, readDocument(client, text ?? ''));
    if (existing === undefined) return { ...status, state: 'absent' };
    if (isDeepStrictEqual(existing, client.entry(launch, existing))) return { ...status, state: 'installed' };
    for (const word of client.launched(existing)) {
      if (/^([/\\]|[A-Za-z]:)/.test(word) && !(await isThere(word)))
        return { ...status, state: 'stale', detail: `${word} is gone` };
    }
    return { ...status, state: 'different', detail: `starts ${client.launched(existing).join(' ') || 'nothing'}` };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { ...status, state: 'unreadable', detail: `line ${error.line}: ${error.message}` };
  }
}

/** What `tuic mcp install` (with a launch) or `remove` (without) would do. Throws UnreadableFile. */
export async function planChange(client: McpClient, place: Place, launch: Launch | undefined): Promise<EntryChange> {
  const { file, text } = await chooseFile(client, place);
  const before = text ?? '';
  const document = readDocument(client, before);
  const existing = findEntry(client, document);
  const wanted = launch === undefined ? undefined : client.entry(launch, existing ?? {});
  const change = { client: client.id, name: client.name, file, before, isNewFile: text === undefined };
  if (isDeepStrictEqual(existing, wanted)) return { ...change, change: 'none', after: before };
  const path = client.path(document);
  const after = client.format === 'json' ? editJson(before, path, wanted) : editToml(before, path, wanted);
  return { ...change, after, change: wanted === undefined ? 'removed' : existing === undefined ? 'added' : 'repaired' };
}

/**
 * Writes a planned change at once, beside a copy of the old file; resolves to the copy's path. A link is followed. Refuses
 * when the file was changed since it was read.
 */
export async function applyChange({ file, before, after, isNewFile }: EntryChange): Promise<string | undefined> {
  const now = await readIfThere(file);
  if ((now ?? '') !== before) throw new Error(`${file} was changed by another program just now; try again`);
  if (isNewFile) await mkdir(dirname(file), { recursive: true });
  const target = isNewFile ? file : await realpath(file);
  const draft = `${target}.${process.pid}.draft`;
  const copy = isNewFile ? undefined : `${target}.before-tuic`;
  try {
    if (copy !== undefined) await copyFile(target, copy);
    await writeFile(draft, after, { mode: 0o600 });
    if (!isNewFile) await chmod(draft, (await stat(target)).mode & 0o777);
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
  return copy;
}
