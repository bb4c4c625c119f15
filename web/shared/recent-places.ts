/** Where terminals were opened lately, and with which shell: what the choice of a new terminal begins with. */
import type { SessionInfo } from '../../src/contract/index.ts';
import { type Memory, parseObject } from './preferences.ts';

const MOST_FOLDERS = 8;
const MOST_REMEMBERED = 12;
/** Longer paths than systems know; a stored one beyond this is not used. */
const LONGEST_PATH = 4_096;
const KEY = 'tuicommander.launch';

export interface RememberedLaunch {
  /** The newest first, each once. */
  places: readonly string[];
  /** Program that was chosen last; empty for the usual one. */
  shell: string;
}

/** Folders of the sessions there are, the newest first, each once. */
export function recentFolders(sessions: Iterable<SessionInfo>): string[] {
  const newest = [...sessions].sort((a, b) => b.created_at - a.created_at);
  const folders = newest.map((session) => session.cwd).filter((cwd) => cwd !== null);
  return [...new Set(folders)].slice(0, MOST_FOLDERS);
}

export function readLaunch(memory: Memory): RememberedLaunch {
  const { places, shell } = parseObject(memory.read(KEY));
  const isPath = (value: unknown): value is string =>
    typeof value === 'string' && value !== '' && value.length <= LONGEST_PATH;
  return {
    places: Array.isArray(places) ? [...new Set(places.filter(isPath))].slice(0, MOST_REMEMBERED) : [],
    shell: isPath(shell) ? shell : '',
  };
}

export function rememberPlace(memory: Memory, path: string): void {
  const known = readLaunch(memory);
  const places = [path, ...known.places.filter((one) => one !== path)].slice(0, MOST_REMEMBERED);
  memory.write(KEY, JSON.stringify({ ...known, places }));
}

export function rememberShell(memory: Memory, shell: string): void {
  memory.write(KEY, JSON.stringify({ ...readLaunch(memory), shell }));
}

/** Takes a place out of the list. */
export function forgetPlace(memory: Memory, path: string): void {
  const known = readLaunch(memory);
  memory.write(KEY, JSON.stringify({ ...known, places: known.places.filter((one) => one !== path) }));
}
