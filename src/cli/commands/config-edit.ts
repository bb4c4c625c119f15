/**
 * tuic config edit: a document of the configuration in the person's editor.
 *
 * What was typed lies in a file of its own (`edits/` in the configuration directory, readable by its owner alone) from the first moment,
 * and goes only when the server has stored it. A change that somebody else made meanwhile is joined with it when no key is in both;
 * otherwise nothing is written, and the file and the keys are named.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { type Client, RequestRefused, type Tagged } from '../../client/index.ts';
import { EXIT_CODES, INSTANCE_FILES, LIMITS } from '../../contract/index.ts';
import { diff, findOverlap, formatKey, type Setting } from '../config-document.ts';
import { type DocumentName, MAIN_FILE, readDocument, requireDocument, storeChanges } from '../config-store.ts';
import type { Context } from '../context.ts';
import { chooseEditor } from '../editor.ts';
import { CliFailure } from '../failure.ts';
import { formatCount } from '../text.ts';

export interface EditOptions {
  json?: boolean;
}

/** Why the text cannot be stored; the person may edit again. */
class Unusable extends Error {}

function parseText(text: string, name: DocumentName): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /position (\d+)/.exec(error.message)?.[1];
    if (position === undefined) throw new Unusable('It is no complete JSON');
    const before = text.slice(0, Number(position)).split('\n');
    throw new Unusable(`It is no valid JSON at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`);
  }
  if (name === MAIN_FILE && !isJsonObject(value)) throw new Unusable('It must be a JSON object');
  return value;
}

async function readEdited(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.length > LIMITS.configFile) throw new Unusable('It is larger than 4 MiB');
  return bytes.toString('utf8');
}

/** Stores the changes, also onto a newer state when that changed other keys. */
async function store(
  client: Client,
  name: DocumentName,
  base: Tagged<unknown>,
  changes: readonly Setting[],
): Promise<'stored' | 'joined'> {
  try {
    await storeChanges(client, name, base, changes);
    return 'stored';
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    if (error.status === 400) throw new Unusable(error.message);
    if (error.status !== 412) throw error;
  }
  const newer = await readDocument(client, name);
  const both = findOverlap(changes, diff(base.value, newer.value));
  if (both.length > 0) {
    const keys = both.map((key) => (key.length === 0 ? 'the whole document' : formatKey(key))).join(', ');
    throw new CliFailure(
      EXIT_CODES.failure,
      `${name}.json was changed by somebody else in the meantime, and so were keys of yours: ${keys}. Nothing was written`,
    );
  }
  await storeChanges(client, name, newer, changes);
  return 'joined';
}

async function prepareDraft(context: Context, name: DocumentName, value: unknown): Promise<string> {
  const folder = join(context.configDirectory, INSTANCE_FILES.edits);
  const path = join(folder, `${name}-${context.now()}.json`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new CliFailure(EXIT_CODES.storage, `The file to edit cannot be written: ${detail}`);
  }
  return path;
}

/** True when nothing was typed, or the file was taken away. */
async function isSame(path: string, before: string): Promise<boolean> {
  try {
    return (await readFile(path, 'utf8')) === before;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
    throw error;
  }
}

export async function editConfig(context: Context, file: string | undefined, options: EditOptions): Promise<void> {
  const name = file === undefined ? MAIN_FILE : requireDocument(file);
  const editor = chooseEditor(context.env, context.ask !== undefined);
  const base = await readDocument(await context.connect(), name);
  const path = await prepareDraft(context, name, base.value);
  const before = await readFile(path, 'utf8');
  let isStored = false;
  try {
    const changes = await editUntilStored(context, name, base, path, editor);
    isStored = true;
    if (options.json) context.printJson({ file: name, changed: changes.map(({ key }) => formatKey(key)) });
  } finally {
    if (isStored || (await isSame(path, before))) await rm(path, { force: true });
    else context.warn(`What you typed is kept in ${path}\n`);
  }
}

/** Resolves to what was stored; the person may go back to the editor as long as the text is unusable. */
async function editUntilStored(
  context: Context,
  name: DocumentName,
  base: Tagged<unknown>,
  path: string,
  editor: string,
): Promise<readonly Setting[]> {
  for (;;) {
    const code = await context.edit(editor, path);
    if (code !== 0) throw new CliFailure(EXIT_CODES.failure, `"${editor}" ended with ${code}. Nothing was written`);
    try {
      const changes = diff(base.value, parseText(await readEdited(path), name));
      const removed = changes.filter(({ value }) => value === undefined);
      const isMerged = name === MAIN_FILE;
      const stored = isMerged ? changes.filter(({ value }) => value !== undefined) : changes;
      // The editor had its time; the server may be another one by now.
      const how = stored.length === 0 ? undefined : await store(await context.connect(), name, base, stored);
      if (how === undefined) context.warn('Nothing was changed\n');
      else context.warn(`${formatCount(stored.length, 'setting')} of ${name}.json stored\n`);
      if (how === 'joined')
        context.warn('Somebody else had changed other keys in the meantime; both changes are in it\n');
      if (isMerged && removed.length > 0) {
        const keys = removed.map(({ key }) => formatKey(key)).join(', ');
        context.warn(`Keys that you took away keep their value: ${keys}\n`);
      }
      return stored;
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      const answer = await context.ask?.(`${error.message}\nEdit again? [Y/n] `);
      if (answer === undefined || /^n/i.test(answer.trim())) {
        throw new CliFailure(EXIT_CODES.failure, `${error.message}. Nothing was written`);
      }
    }
  }
}
