/**
 * Any value of the page as plain JSON within a limit, for who asked a script to give it. What JSON does not know is told in words; what
 * leads back to itself, throws when it is read, or does not fit any more is told as such. Never throws.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

const DEEPEST = 12;
/** For what is said about things left out, one a level. */
const RESERVE = 1_024;
const LONGEST_NAME = 200;

/** At most `limit` characters once it is written as JSON. */
export function toJsonValue(value: unknown, limit: number): JsonValue {
  let left = Math.max(0, limit - RESERVE);
  const open = new Set<object>();

  /** Counts a text as it is written, and cuts it where it does not fit. */
  function text(value: string, most = Number.POSITIVE_INFINITY): string {
    let kept = value.length > most ? `${value.slice(0, most)}…` : value;
    for (let size = JSON.stringify(kept).length; size > left && kept !== ''; size = JSON.stringify(kept).length) {
      // Escapes make it longer than its letters.
      kept = kept.slice(0, Math.min(Math.max(0, left - 2), Math.floor(kept.length / 2)));
    }
    left -= JSON.stringify(kept).length + 1;
    return kept.length < value.length && !kept.endsWith('…') ? `${kept}…` : kept;
  }

  function list(values: Iterable<unknown>, depth: number, count: number): JsonValue[] {
    const out: JsonValue[] = [];
    left -= 2;
    for (const each of values) {
      if (left <= 0) {
        out.push(`[${count - out.length} more]`);
        break;
      }
      out.push(walk(each, depth));
    }
    return out;
  }

  function record(value: object, depth: number): JsonValue {
    const keys = Object.keys(value);
    const entries: [string, JsonValue][] = [];
    left -= 2;
    for (const key of keys) {
      if (left <= 0) {
        entries.push(['…', `${keys.length - entries.length} more`]);
        break;
      }
      const name = text(key, LONGEST_NAME);
      entries.push([name, guard(() => walk((value as Record<string, unknown>)[key], depth))]);
    }
    return Object.fromEntries(entries);
  }

  function guard(read: () => JsonValue): JsonValue {
    try {
      return read();
    } catch (error) {
      return text(`[threw ${describeError(error)}]`, LONGEST_NAME);
    }
  }

  function inside(value: object, depth: number): JsonValue {
    const told = describeObject(value);
    if (told !== undefined) return text(told);
    if (depth > DEEPEST) return text('[deeper]');
    if (Array.isArray(value)) return list(value, depth, value.length);
    if (value instanceof Set) return list(value, depth, value.size);
    if (value instanceof Map) {
      const isNamed = [...value.keys()].every((key) => typeof key === 'string');
      return isNamed ? record(Object.fromEntries(value), depth) : list(value, depth, value.size);
    }
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return walk(toJSON.call(value), depth);
    return record(value, depth);
  }

  function walk(value: unknown, depth: number): JsonValue {
    switch (typeof value) {
      case 'string':
        return text(value);
      case 'number':
        left -= 25;
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
        left -= 6;
        return value;
      case 'bigint':
        return text(`${value}n`);
      case 'symbol':
        return text(String(value));
      case 'function':
        return text(`[function ${value.name}]`, LONGEST_NAME);
      case 'object': {
        if (value === null) break;
        if (open.has(value)) return text('[circular]');
        open.add(value);
        try {
          return guard(() => inside(value, depth + 1));
        } finally {
          open.delete(value);
        }
      }
    }
    left -= 5;
    return null;
  }

  return walk(value, 0);
}

/** What stands for an object that has nothing to list, or far too much. */
function describeObject(value: object): string | undefined {
  if (value === globalThis) return '[window]';
  if (value instanceof Error) return `[${describeError(value)}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return '[promise]';
  if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`;
  if (typeof Node === 'function' && value instanceof Node) return describeNode(value);
  return undefined;
}

function describeNode(node: Node): string {
  if (!(node instanceof Element)) return `[${node.nodeName}]`;
  const id = node.id === '' ? '' : `#${node.id}`;
  const classes = [...node.classList].map((name) => `.${name}`).join('');
  return `[${node.nodeName.toLowerCase()}${id}${classes}]`;
}

/** Whatever was thrown, as one text. */
export function describeError(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
    return String(error);
  } catch {
    // An object without a way to text.
    return 'something that cannot be told';
  }
}
