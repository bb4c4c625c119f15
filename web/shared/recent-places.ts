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
  /** Agent that was chosen last; empty for the first one of the machine. */
  agent: string;
}

/** Folders of the sessions there are, the newest first, each once. */
export function recentFolders(sessions: Iterable<SessionInfo>): string[] {
  const newest = [...sessions].sort((a, b) => b.created_at - a.created_at);
  const folders = newest.map((session) => session.cwd).filter((cwd) => cwd !== null);
  return [...new Set(folders)].slice(0, MOST_FOLDERS);
}

export function readLaunch(memory: Memory): RememberedLaunch {
  const { places, shell, agent } = parseObject(memory.read(KEY));
  const isPath = (value: unknown): value is string =>
    typeof value === 'string' && value !== '' && value.length <= LONGEST_PATH;
  return {
    places: Array.isArray(places) ? [...new Set(places.filter(isPath))].slice(0, MOST_REMEMBERED) : [],
    shell: isPath(shell) ? shell : '',
    agent: isPath(agent) ? agent : '',
  };
}

/** As the server reads it, so that a place stands in the list once; one that is not absolute means another each time. */
export function rememberPlace(memory: Memory, written: string): void {
  if (!written.startsWith('/')) return;
  const path = written.replace(/\/+$/, '') || '/';
  const known = readLaunch(memory);
  const places = [path, ...known.places.filter((one) => one !== path)].slice(0, MOST_REMEMBERED);
  memory.write(KEY, JSON.stringify({ ...known, places }));
}

export function rememberShell(memory: Memory, shell: string): void {
  memory.write(KEY, JSON.stringify({ ...readLaunch(memory), shell }));
}

export function rememberAgent(memory: Memory, agent: string): void {
  memory.write(KEY, JSON.stringify({ ...readLaunch(memory), agent }));
}

/** Takes a place out of the list. */
export function forgetPlace(memory: Memory, path: string): void {
  const known = readLaunch(memory);
  memory.write(KEY, JSON.stringify({ ...known, places: known.places.filter((one) => one !== path) }));
}
