/** What the `url` of `ui tab` may name (UI-2). Pure: whether there is such a file is for tab-files.ts. */
import { fileURLToPath } from 'node:url';
import { AppError } from '../../contract/index.ts';

export type TabAddress =
  | { kind: 'web'; url: string }
  /** `suffix`: query and fragment, for the page itself. */
  | { kind: 'files'; path: string; suffix: string }
  /** Absolute, or from the active repository. */
  | { kind: 'preview'; path: string };

const ALLOWED = 'http://, https://, file:///<absolute path> or tuic://open/<path>';
const TUIC = /^tuic:\/\/([a-z]*)\/([^?#]*)/i;

function refuse(detail: string): AppError {
  return new AppError('invalid_input', { detail: `url: ${detail}` });
}

export function parseTabAddress(text: string): TabAddress {
  // The parser of URLs leaves control characters out, so what it reads would be another text.
  if (/\p{Cc}/u.test(text)) throw refuse('must not hold control characters');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text.trim())?.[1]?.toLowerCase();
  switch (scheme) {
    case 'http':
    case 'https':
      return parseWeb(text);
    case 'file':
      return parseFile(text);
    case 'tuic':
      return parseOwn(text.trim());
    case undefined:
      throw refuse(`begins with no scheme. Use ${ALLOWED}`);
    default:
      throw refuse(`a tab cannot show ${scheme}:. Use ${ALLOWED}`);
  }
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw refuse(`is no URL. Use ${ALLOWED}`);
  return new URL(text);
}

function parseWeb(text: string): TabAddress {
  const url = parseUrl(text);
  // Browsers frame no such page, and a password does not belong into lists and events.
  if (url.username !== '' || url.password !== '') throw refuse('must not hold a name or password');
  return { kind: 'web', url: url.href };
}

function parseFile(text: string): TabAddress {
  const url = parseUrl(text);
  if (url.host !== '') throw refuse('a file lies on this machine: file:///<absolute path>');
  const { search, hash } = url;
  url.search = '';
  url.hash = '';
  try {
    return { kind: 'files', path: checkPath(fileURLToPath(url)), suffix: search + hash };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_input', { detail: 'url: names no path of a file' }, { cause: error });
  }
}

function parseOwn(text: string): TabAddress {
  const [, verb = '', encoded = ''] = TUIC.exec(text) ?? [];
  if (verb.toLowerCase() === 'edit') {
    throw refuse(`there is no editor yet. Show the file by tuic://open/${encoded}`);
  }
  if (verb.toLowerCase() !== 'open') throw refuse(`is no address of a tab. Use ${ALLOWED}`);
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch (error) {
    throw new AppError('invalid_input', { detail: 'url: the path is not percent-encoded UTF-8' }, { cause: error });
  }
  if (path === '' || path === '/') throw refuse('tuic://open/ needs the path of a file');
  return { kind: 'preview', path: checkPath(path) };
}

function checkPath(path: string): string {
  if (path.includes('\0')) throw refuse('the path must not hold a zero character');
  if (path.split(/[\\/]/).includes('..')) throw new AppError('path_traversal');
  return path;
}
