import type { SessionInfo } from '../../src/contract/index.ts';

const MOST = 8;

/** Folders of the sessions there are, the newest first, each once. */
export function recentFolders(sessions: Iterable<SessionInfo>): string[] {
  const newest = [...sessions].sort((a, b) => b.created_at - a.created_at);
  const folders = newest.map((session) => session.cwd).filter((cwd) => cwd !== null);
  return [...new Set(folders)].slice(0, MOST);
}
