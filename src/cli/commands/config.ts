/** tuic config get, set, ls. */
import { isJsonObject } from '../../base/index.ts';
import { RequestRefused } from '../../client/index.ts';
import { CONFIG_SECRETS, EXIT_CODES } from '../../contract/index.ts';
import { flatten, formatKey, type Key, parseKey, parseValue, type Setting, valueAt } from '../config-document.ts';
import {
  DOCUMENT_NAMES,
  type DocumentName,
  MAIN_FILE,
  readDocument,
  requireDocument,
  storeChanges,
} from '../config-store.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { readAllInput } from '../standard-input.ts';
import { formatCount, formatTable, toSafeText } from '../text.ts';

export interface ConfigOptions {
  file?: string;
  json?: boolean;
}

/** Kept elsewhere than in what the server shows; they can be set all the same. */
const WRITE_ONLY: readonly string[] = [
  ...CONFIG_SECRETS.map(({ path }) => path.join('.')),
  'services.auth.password_hash',
];
/** Somebody else writes all the time then. */
const MOST_ATTEMPTS = 5;
/** Not every key below these is listed before it is set. */
const OPEN: readonly string[] = ['collapse_clients', 'ego_env', 'services.tls'];

function fileOf({ file }: ConfigOptions): DocumentName {
  return file === undefined ? MAIN_FILE : requireDocument(file);
}

function requireKey(text: string): Key {
  const key = parseKey(text);
  if (key !== undefined) return key;
  const example = 'write one as services.server.port, with a part that holds a dot in double quotes';
  throw new CliFailure(EXIT_CODES.usage, `"${toSafeText(text)}" is no key; ${example}`);
}

/** How many letters of one word stand in the other, in order: enough to find what was meant by a typing error. */
function likeness(one: string, other: string): number {
  let row = new Array<number>(other.length + 1).fill(0);
  for (const letter of one) {
    const next = [0];
    for (let at = 1; at <= other.length; at++) {
      const same = letter === other[at - 1] ? (row[at - 1] ?? 0) + 1 : 0;
      next.push(Math.max(same, row[at] ?? 0, next[at - 1] ?? 0));
    }
    row = next;
  }
  return (2 * (row[other.length] ?? 0)) / (one.length + other.length);
}

function unknownKey(document: unknown, key: Key): CliFailure {
  let parent = key.slice(0, -1);
  while (parent.length > 0 && !isJsonObject(valueAt(document, parent))) parent = parent.slice(0, -1);
  const wanted = formatKey(key);
  const near = flatten(document)
    .map((setting) => ({ name: formatKey(setting.key), value: likeness(wanted, formatKey(setting.key)) }))
    .filter(({ value }) => value > 0.75)
    .sort((a, b) => b.value - a.value)
    .slice(0, 3)
    .map(({ name }) => name);
  const below = valueAt(document, parent);
  const names = isJsonObject(below) ? Object.keys(below) : [];
  const choices =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : parent.length > 0
        ? `Below ${formatKey(parent)} there are: ${names.join(', ')}`
        : '"tuic config ls" shows all';
  return new CliFailure(EXIT_CODES.notFound, `There is no setting "${toSafeText(wanted)}". ${choices}`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? toSafeText(value) : JSON.stringify(value);
}

export async function getConfig(context: Context, text: string | undefined, options: ConfigOptions): Promise<void> {
  const key = text === undefined ? [] : requireKey(text);
  const { value: document } = await readDocument(await context.connect(), fileOf(options));
  const value = valueAt(document, key);
  if (value === undefined) throw unknownKey(document, key);
  if (options.json || (typeof value === 'object' && value !== null)) return context.printJson(value);
  context.print(show(value));
}

export async function listConfig(
  context: Context,
  prefix: string | undefined,
  options: ConfigOptions & { files?: boolean },
): Promise<void> {
  if (options.files) {
    if (options.json) return context.printJson(DOCUMENT_NAMES);
    return context.print(DOCUMENT_NAMES.join('\n'));
  }
  const key = prefix === undefined ? [] : requireKey(prefix);
  const { value: document } = await readDocument(await context.connect(), fileOf(options));
  const value = valueAt(document, key);
  if (value === undefined) throw unknownKey(document, key);
  const settings = flatten(value, key);
  if (options.json) {
    return context.printJson(Object.fromEntries(settings.map((setting) => [formatKey(setting.key), setting.value])));
  }
  const { style } = context;
  const rows = settings.map(({ key: own, value: inner }) => {
    return [toSafeText(formatKey(own)), inner === '' ? '""' : show(inner)];
  });
  context.print(formatTable(['KEY', 'VALUE'], rows, (cell, row) => (row < 0 ? style.dim(cell) : cell)));
}

function parseSetting(
  document: unknown,
  name: DocumentName,
  [keyText, text]: readonly [string, string],
  options: SetOptions,
): Setting {
  const key = requireKey(keyText);
  const present = valueAt(document, key);
  const path = key.join('.');
  const isSecret = name === MAIN_FILE && WRITE_ONLY.includes(path);
  const isOpen = OPEN.some((parent) => path.startsWith(`${parent}.`));
  if (present === undefined && name === MAIN_FILE && !isSecret && !isOpen && options.new !== true) {
    const failure = unknownKey(document, key);
    throw new CliFailure(failure.exitCode, `${failure.message}\nNothing was changed; --new sets it all the same`);
  }
  if (options.text || isSecret) return { key, value: text };
  const parsed = parseValue(text, present);
  if ('value' in parsed) return { key, value: parsed.value };
  throw new CliFailure(EXIT_CODES.usage, `${formatKey(key)} ${parsed.problem}. Nothing was changed`);
}

export interface SetOptions extends ConfigOptions {
  new?: boolean;
  text?: boolean;
}

/** Pairs of key and value; a value of `-` comes over standard input, once. */
async function readPairs(context: Context, words: readonly string[]): Promise<[string, string][]> {
  if (words.length % 2 !== 0) {
    throw new CliFailure(EXIT_CODES.usage, `Give a value after each key; ${toSafeText(words.at(-1) ?? '')} has none`);
  }
  const pairs: [string, string][] = [];
  for (let at = 0; at < words.length; at += 2) pairs.push([words[at] ?? '', words[at + 1] ?? '']);
  const piped = pairs.filter(([, value]) => value === '-');
  if (piped.length > 1) throw new CliFailure(EXIT_CODES.usage, 'Only one value can come over standard input');
  for (const pair of piped) {
    pair[1] = (await readAllInput(context)).replace(/\r?\n$/, '');
    // The program before the pipe has failed; an empty value would take the setting away.
    if (pair[1] === '')
      throw new CliFailure(EXIT_CODES.failure, 'Nothing came over standard input. Nothing was changed');
  }
  return pairs;
}

/** All or nothing. A change that somebody made at the same time stays, unless it is to the same keys: then this one is the newer. */
export async function setConfig(context: Context, words: readonly string[], options: SetOptions): Promise<void> {
  const name = fileOf(options);
  const pairs = await readPairs(context, words);
  const client = await context.connect();
  for (let attempt = 1; ; attempt++) {
    const base = await readDocument(client, name);
    const settings = pairs.map((pair) => parseSetting(base.value, name, pair, options));
    try {
      await storeChanges(client, name, base, settings);
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 412 && attempt < MOST_ATTEMPTS) continue;
      throw error;
    }
    if (options.json) return context.printJson({ file: name, set: settings.map(({ key }) => formatKey(key)) });
    if (context.isTerminal) context.warn(`${formatCount(settings.length, 'setting')} stored\n`);
    return;
  }
}
