/** Settings by key: how a key is written, what stands there, and what differs between two documents. Pure. */
import { isJsonObject, type JsonObject, setJsonKey } from '../base/index.ts';

export type Key = readonly string[];

/** `services.server.port`; a part that holds a dot or blank stands in double quotes. Undefined for what is no key. */
export function parseKey(text: string): Key | undefined {
  const parts: string[] = [];
  const part = /(?:"((?:[^"\\]|\\.)*)"|([^".\s]+))(\.|$)/y;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return undefined;
    const [, quoted, plain, dot] = match;
    parts.push(quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1'));
    if (dot === '.' && part.lastIndex === text.length) return undefined;
  }
  return parts.length === 0 ? undefined : parts;
}

export function formatKey(key: Key): string {
  return key.map((part) => (/^[^".\s]+$/.test(part) ? part : `"${part.replace(/["\\]/g, '\\$&')}"`)).join('.');
}

export function valueAt(document: unknown, key: Key): unknown {
  let value = document;
  for (const part of key) {
    if (!isJsonObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** The document with this value at this key; `undefined` takes the key away. Objects on the way are made. */
export function withValue(document: unknown, [part, ...rest]: Key, value: unknown): unknown {
  if (part === undefined) return value;
  const copy: JsonObject = {};
  const before = isJsonObject(document) ? document : {};
  for (const name of Object.keys(before)) if (name !== part) setJsonKey(copy, name, before[name]);
  const inner = withValue(Object.hasOwn(before, part) ? before[part] : undefined, rest, value);
  if (inner !== undefined) setJsonKey(copy, part, inner);
  return copy;
}

export interface Setting {
  key: Key;
  value: unknown;
}

/** Every value that is no object with something in it, in the order of the document. */
export function flatten(document: unknown, prefix: Key = []): Setting[] {
  if (!isJsonObject(document) || (Object.keys(document).length === 0 && prefix.length > 0)) {
    return [{ key: prefix, value: document }];
  }
  return Object.keys(document).flatMap((name) => flatten(document[name], [...prefix, name]));
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What makes `after` out of `before`; a value of `undefined` was taken away. */
export function diff(before: unknown, after: unknown, prefix: Key = []): Setting[] {
  if (!isJsonObject(before) || !isJsonObject(after)) {
    return isEqual(before, after) ? [] : [{ key: prefix, value: after }];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const key = [...prefix, name];
    if (!Object.hasOwn(after, name)) return [{ key, value: undefined }];
    return diff(Object.hasOwn(before, name) ? before[name] : undefined, after[name], key);
  });
}

export function applyChanges(document: unknown, changes: readonly Setting[]): unknown {
  return changes.reduce((result, { key, value }) => withValue(result, key, value), document);
}

/** Keys that both change, or of which one lies inside the other. */
export function findOverlap(mine: readonly Setting[], theirs: readonly Setting[]): Key[] {
  const isWithin = (outer: Key, inner: Key) => outer.every((part, index) => inner[index] === part);
  return mine
    .map(({ key }) => key)
    .filter((key) => theirs.some((other) => isWithin(key, other.key) || isWithin(other.key, key)));
}

const TRUE = /^(?:true|on|yes)$/i;
const FALSE = /^(?:false|off|no)$/i;

export type ParsedValue = { value: unknown } | { problem: string };

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What a person typed, in the type of the value that stands there now. */
export function parseValue(text: string, present: unknown): ParsedValue {
  switch (typeof present) {
    case 'string':
      return { value: text };
    case 'boolean':
      if (TRUE.test(text)) return { value: true };
      return FALSE.test(text) ? { value: false } : { problem: 'must be true or false' };
    case 'number': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      return Number.isFinite(value) ? { value } : { problem: 'must be a number' };
    }
  }
  const json = parseJson(text);
  if (present === null || present === undefined) return json ?? { value: text };
  if (json === undefined) return { problem: `must be JSON, as ${JSON.stringify(present)}` };
  if (Array.isArray(present) && !Array.isArray(json.value)) return { problem: 'must be a list in JSON, as ["a","b"]' };
  return json;
}
