/**
 * The merge rule of the configuration (http.md 10): objects merge key by key; everything else, an explicit null and an array
 * included, replaces as a whole; an absent key keeps its value.
 */

export type JsonObject = { [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a key as data, whatever it is called: an assignment to `__proto__` would change the object instead. */
export function setJsonKey(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function copyOf(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) setJsonKey(copy, key, object[key]);
  return copy;
}

/** A new document; neither argument changes. Untouched parts are shared with them. */
export function mergeJson(base: JsonObject, changes: JsonObject): JsonObject {
  const merged = copyOf(base);
  for (const key of Object.keys(changes)) {
    const change = changes[key];
    if (!isJsonObject(change)) {
      setJsonKey(merged, key, change);
      continue;
    }
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    setJsonKey(merged, key, mergeJson(isJsonObject(before) ? before : {}, change));
  }
  return merged;
}

/** True when no value lies deeper than `limit` levels. Walks without recursion, so that no input can exhaust the stack. */
export function isJsonWithinDepth(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const inner of Object.values(item)) next.push(inner);
    }
    level = next;
  }
  return true;
}
