/** What a piece of a terminal's text names on this machine. Looks at metadata only, and opens nothing. */
import { resolve } from 'node:path';
import type { ResolvedPath } from '../../contract/index.ts';
import { describeFolderFailure, fileKind } from '../../platform/fs/index.ts';

/** `:line`, `:line:column`, `(line,column)`, as compilers write them behind a path. */
const PLACE = /(?::\d{1,9}(?::\d{1,9})?:?|\(\d{1,9}(?:,\s?\d{1,9})?\):?)$/;

/**
 * The first of `folders` in which the text names something that is there; null when none does. A name that really ends as a
 * place does is found before the place is taken off.
 */
export async function resolveTerminalPath(
  folders: readonly string[],
  candidate: string,
  home: string,
): Promise<ResolvedPath | null> {
  if (candidate === '' || candidate.includes('\0')) return null;
  const texts = [...new Set([candidate, candidate.replace(PLACE, '')])].filter((text) => text !== '');
  for (const folder of folders) {
    for (const text of texts) {
      const path = absolutePath(folder, text, home);
      const kind = path === undefined ? undefined : await kindOf(path);
      if (path !== undefined && kind !== undefined) return { absolute_path: path, is_directory: kind === 'folder' };
    }
  }
  return null;
}

function absolutePath(folder: string, text: string, home: string): string | undefined {
  if (text === '~' || text.startsWith('~/')) return resolve(home, text.slice(2));
  if (text.startsWith('~') || !folder.startsWith('/')) return text.startsWith('/') ? resolve(text) : undefined;
  return resolve(folder, text);
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    return await fileKind(path);
  } catch (error) {
    // Nothing there, or nothing this user may see: for a link that is the same.
    if (describeFolderFailure(error) !== undefined) return undefined;
    throw error;
  }
}
