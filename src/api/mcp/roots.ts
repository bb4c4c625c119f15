/** The folder that a client works in, as it says at `initialize` (TRN-8). */
import { fileURLToPath } from 'node:url';
import { isJsonObject } from '../../base/index.ts';

const LONGEST_PATH = 4_096;

/** A path, or the address of a file, of which `%20` is a blank; what is not quite an address loses its scheme only. */
function pathOf(text: string): string {
  if (!text.startsWith('file://')) return text;
  try {
    return fileURLToPath(text);
  } catch (error) {
    if (error instanceof TypeError || error instanceof URIError) return text.slice('file://'.length);
    throw error;
  }
}

/** Undefined when the client names none, or none that is the absolute path of a folder. */
export function firstRoot(roots: unknown): string | undefined {
  const first: unknown = Array.isArray(roots) ? roots[0] : undefined;
  const text = isJsonObject(first) ? first.uri : first;
  if (typeof text !== 'string' || text.length > LONGEST_PATH) return undefined;
  const path = pathOf(text).replace(/(?<=.)\/+$/, '');
  return path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..') ? path : undefined;
}
