/**
 * Edits one table of a TOML file, leaving every other byte as it is: the file is cut into statements, and only the lines of
 * the table's own keys are replaced. The result is read again and must hold what was meant, else nothing is changed.
 */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError } from 'smol-toml';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** Throws UnreadableFile. */
export function readToml(text: string): JsonObject {
  try {
    // Without the parser's own prototypes, so that it compares with what is to be written.
    return structuredClone(parse(text)) as JsonObject;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UnreadableFile(error.line, error.message.split('\n')[0] ?? 'not TOML');
  }
}

/** Puts `entry` into the table at `path`, or removes it with its sub-tables when undefined. Throws UnreadableFile. */
export function editToml(text: string, path: readonly string[], entry: JsonObject | undefined): string {
  const document = readToml(text);
  const existing = at(document, path);
  if (existing === undefined && entry === undefined) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const statements = cut(text);
  const edited =
    existing === undefined
      ? append(text, path, entry ?? {}, eol)
      : entry === undefined
        ? remove(text, statements, path)
        : replace(text, statements, path, existing, entry, eol);
  const wanted = structuredClone(document);
  put(wanted, path, entry);
  if (edited === undefined || !isSame(edited, wanted)) {
    throw new UnreadableFile(1, `[${path.join('.')}] stands in a form that is not edited here; change it by hand`);
  }
  return edited;
}

function isSame(text: string, wanted: JsonObject): boolean {
  try {
    return isDeepStrictEqual(plain(parse(text)), plain(wanted));
  } catch {
    return false;
  }
}

/** Without prototypes and empty parents, so that two readings compare by what they hold. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, plain(item)] as const);
  return Object.fromEntries(
    entries
      .filter(([, item]) => !isJsonObject(item) || Object.keys(item).length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function at(document: JsonObject, path: readonly string[]): JsonObject | undefined {
  let value: unknown = document;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(value) ? value : undefined;
}

function put(document: JsonObject, path: readonly string[], entry: JsonObject | undefined): void {
  let parent: JsonObject = document;
  for (const key of path.slice(0, -1)) {
    const next = parent[key];
    if (isJsonObject(next)) parent = next;
    else {
      const created: JsonObject = {};
      parent[key] = created;
      parent = created;
    }
  }
  const last = path.at(-1) ?? '';
  if (entry === undefined) delete parent[last];
  else parent[last] = entry;
}

interface Statement {
  kind: 'header' | 'list' | 'key';
  path: string[];
  start: number;
  /** After its line end. */
  end: number;
}

/** Headers and keys of the file with their places; what stands between them are comments and blank lines. */
function cut(text: string): Statement[] {
  const found: Statement[] = [];
  let position = 0;
  while (position < text.length) {
    const lineEnd = endOfLine(text, position);
    const line = text.slice(position, lineEnd).trim();
    if (line === '' || line.startsWith('#')) {
      position = lineEnd;
      continue;
    }
    const header = /^(\[\[?)([^#]*?)\]\]?\s*(#.*)?$/.exec(line);
    if (header?.[1] !== undefined && header[2] !== undefined && !/^\s*\[/.test(header[2])) {
      const kind = header[1] === '[[' ? 'list' : 'header';
      found.push({ kind, path: readKey(header[2]), start: position, end: lineEnd });
      position = lineEnd;
      continue;
    }
    const end = endOfStatement(text, position);
    found.push({ kind: 'key', path: readKey(keyPart(text.slice(position, end))), start: position, end });
    position = end;
  }
  return found;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}

/** The line end after a value: outside of strings, lists, inline tables and comments. */
function endOfStatement(text: string, from: number): number {
  let depth = 0;
  let position = from;
  while (position < text.length) {
    const character = text[position];
    if (character === '"' || character === "'") position = endOfString(text, position);
    else if (character === '#') position = endOfLine(text, position) - 1;
    else if (character === '\n' && depth === 0) return position + 1;
    else {
      if (character === '[' || character === '{') depth++;
      if (character === ']' || character === '}') depth--;
      position++;
    }
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  const quote = text[from] ?? '';
  const delimiter = text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  let position = from + delimiter.length;
  while (position < text.length) {
    if (quote === '"' && text[position] === '\\') position += 2;
    else if (text.startsWith(delimiter, position)) {
      position += delimiter.length;
      // Up to two quotes may stand before the closing three.
      if (delimiter.length === 3) while (text[position] === quote) position++;
      return position;
    } else position++;
  }
  return text.length;
}

function keyPart(statement: string): string {
  let position = 0;
  while (position < statement.length && statement[position] !== '=') {
    const character = statement[position];
    position = character === '"' || character === "'" ? endOfString(statement, position) : position + 1;
  }
  return statement.slice(0, position);
}

/** A dotted key as its parts, read by the parser itself. */
function readKey(text: string): string[] {
  const parts: string[] = [];
  let value: unknown = parse(`${text.trim()} = 0`);
  while (isJsonObject(value)) {
    const [key] = Object.keys(value);
    if (key === undefined) break;
    parts.push(key);
    value = value[key];
  }
  return parts;
}

const startsWith = (path: readonly string[], prefix: readonly string[]) =>
  prefix.every((part, index) => path[index] === part);

function tableText(path: readonly string[], entry: JsonObject, eol: string): string {
  // Written as one table; a nested one becomes an inline value, so that the entry stays in one place.
  const lines = Object.entries(entry).map(([key, value]) => keyText(key, value));
  return [`[${path.join('.')}]`, ...lines, ''].join(eol);
}

function keyText(key: string, value: unknown): string {
  return `${bareKey(key)} = ${valueText(value)}`;
}

const bareKey = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (isJsonObject(value)) {
    return `{ ${Object.entries(value)
      .map(([key, item]) => keyText(key, item))
      .join(', ')} }`;
  }
  return stringify({ value }).trim().slice('value = '.length);
}

function append(text: string, path: readonly string[], entry: JsonObject, eol: string): string {
  const lead = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return text + lead + tableText(path, entry, eol);
}

/** Where the body of the table ends: before the next header. */
function bodyOf(statements: readonly Statement[], path: readonly string[]): Statement[] | undefined {
  const header = statements.findIndex(({ kind, path: own }) => kind === 'header' && isDeepStrictEqual(own, [...path]));
  if (header === -1) return undefined;
  const rest = statements.slice(header + 1);
  const next = rest.findIndex(({ kind }) => kind !== 'key');
  return statements.slice(header, next === -1 ? undefined : header + 1 + next);
}

function replace(
  text: string,
  statements: readonly Statement[],
  path: readonly string[],
  existing: JsonObject,
  entry: JsonObject,
  eol: string,
): string | undefined {
  const body = bodyOf(statements, path);
  const [header] = body ?? [];
  if (body === undefined || header === undefined) return undefined;
  let result = text;
  const added: string[] = [];
  const edits: { start: number; end: number; text: string }[] = [];
  for (const key of new Set([...Object.keys(existing), ...Object.keys(entry)])) {
    if (isDeepStrictEqual(plain(existing[key]), plain(entry[key]))) continue;
    const own = body.filter(({ kind, path: parts }) => kind === 'key' && parts[0] === key);
    const [only] = own;
    if (own.length > 1 || (only !== undefined && only.path.length > 1)) return undefined;
    const line = key in entry ? keyText(key, entry[key]) + eol : '';
    if (only !== undefined) edits.push({ start: only.start, end: only.end, text: line });
    else if (key in existing) return undefined;
    else added.push(line);
  }
  const last = body.at(-1) ?? header;
  if (added.length > 0) {
    const lead = text.slice(0, last.end).endsWith('\n') ? '' : eol;
    edits.push({ start: last.end, end: last.end, text: lead + added.join('') });
  }
  for (const edit of edits.sort((a, b) => b.start - a.start || b.end - a.end)) {
    result = result.slice(0, edit.start) + edit.text + result.slice(edit.end);
  }
  return result;
}

function remove(text: string, statements: readonly Statement[], path: readonly string[]): string | undefined {
  let result = text;
  const own = statements.filter(({ kind, path: parts }) => kind !== 'key' && startsWith(parts, path));
  if (own.length === 0) return undefined;
  for (const header of own.reverse()) {
    const index = statements.indexOf(header);
    let last = index;
    while (statements[last + 1]?.kind === 'key') last++;
    const end = statements[last]?.end ?? header.end;
    // The blank line that was put before the table goes with it.
    const before = /(\r?\n)\r?\n$/.exec(text.slice(0, header.start));
    const start = before === null ? header.start : header.start - (before[0].length - (before[1]?.length ?? 0));
    result = result.slice(0, start) + result.slice(end);
  }
  return result;
}
