/**
 * Parameters as libsql can take them. A boolean or a bare Buffer aborts the process there, NaN turns into null and
 * missing parameters are null without a word: so everything is checked here, and passed as ONE array.
 */
export type SqlInput = null | number | bigint | string | boolean | Uint8Array;

type Bound = null | number | bigint | string | Buffer;

export function bind(parameters: readonly SqlInput[], expected: number): Bound[] {
  if (parameters.length !== expected) {
    throw new TypeError(`statement takes ${expected} parameters, got ${parameters.length}`);
  }
  return parameters.map(bindOne);
}

function bindOne(value: SqlInput, index: number): Bound {
  if (value === null) return null;
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    case 'bigint':
      if (value !== BigInt.asIntN(64, value)) throw new RangeError(`parameter ${index} does not fit 64 bits`);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError(`parameter ${index} is not a finite number`);
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        throw new RangeError(`parameter ${index} is beyond the safe integers`);
      }
      return value;
    default:
      if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      throw new TypeError(`parameter ${index} has a type SQL does not know`);
  }
}

/** Number of `?` placeholders outside of quotes and comments. Named and numbered parameters are not used here. */
export function countPlaceholders(sql: string): number {
  const bare = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, '');
  return bare.split('?').length - 1;
}
