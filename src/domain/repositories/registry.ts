/** What the person has registered, as it stands in repositories.json (http.md 11.3). Pure; the file is somebody else's: each part of it may be anything. */
import { posix } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { AppError } from '../../contract/index.ts';
import { expandPath } from '../sessions/index.ts';

export interface RegisteredRepository {
  /** Absolute, without a slash at its end. */
  path: string;
  name: string;
  initials: string;
  group: string | undefined;
  /** It lies on another machine, where only the person's window looks; as that last saw it. */
  elsewhere: { branch: string; isGitRepo: boolean } | undefined;
}

export interface Registry {
  /** In the person's order. */
  repositories: readonly RegisteredRepository[];
  active: RegisteredRepository | undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** One spelling for one folder. Throws what the rule of paths refuses. */
export function toRepositoryPath(path: string, home: string): string {
  const normal = posix.normalize(expandPath(path, home));
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

export function nameOf(path: string): string {
  return posix.basename(path) || path;
}

/** Two characters: of the first two words, or of the only one. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '?', second] = words;
  const letters = second === undefined ? [...first] : [[...first][0], [...second][0]];
  const [one = '?', two = one] = [...letters.join('').toUpperCase()];
  return one + two;
}

interface GroupNames {
  /** Name of the group by the path of its member. */
  names: Map<string, string>;
  /** Members in the order of the groups. */
  order: string[];
}

function readGroups(document: Record<string, unknown>): GroupNames {
  const groups = isJsonObject(document.groups) ? document.groups : {};
  const names = new Map<string, string>();
  const order: string[] = [];
  for (const id of new Set([...textsOf(document.groupOrder), ...Object.keys(groups)])) {
    const group = Object.hasOwn(groups, id) ? groups[id] : undefined;
    if (!isJsonObject(group)) continue;
    const name = textOf(group.name);
    for (const key of textsOf(group.repoOrder)) {
      order.push(key);
      if (name !== undefined && !names.has(key)) names.set(key, name);
    }
  }
  return { names, order };
}

function readEntry(
  key: string,
  value: unknown,
  group: string | undefined,
  home: string,
): RegisteredRepository | undefined {
  const entry = isJsonObject(value) ? value : {};
  try {
    const path = toRepositoryPath(key, home);
    const name = textOf(entry.displayName) ?? nameOf(path);
    const elsewhere =
      textOf(entry.connectionId) === undefined
        ? undefined
        : { branch: textOf(entry.activeBranch) ?? '', isGitRepo: entry.isGitRepo !== false };
    return { path, name, initials: textOf(entry.initials) ?? initialsOf(name), group, elsewhere };
  } catch (error) {
    // A key that names no folder is no repository.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

export function readRegistry(value: unknown, home: string): Registry {
  const document = isJsonObject(value) ? value : {};
  // The alias is what some programs write; where both stand the real name wins.
  const entries = {
    ...(isJsonObject(document.repositories) ? document.repositories : {}),
    ...(isJsonObject(document.repos) ? document.repos : {}),
  };
  const groups = readGroups(document);
  const keys = new Set([...textsOf(document.repoOrder), ...groups.order, ...Object.keys(entries)]);
  const found = new Map<string, RegisteredRepository>();
  const byKey = new Map<string, RegisteredRepository>();
  for (const key of keys) {
    if (!Object.hasOwn(entries, key)) continue;
    const entry = readEntry(key, entries[key], groups.names.get(key), home);
    if (entry === undefined) continue;
    if (!found.has(entry.path)) found.set(entry.path, entry);
    byKey.set(key, found.get(entry.path) ?? entry);
  }
  return { repositories: [...found.values()], active: byKey.get(textOf(document.activeRepoPath) ?? '') };
}

/** TRN-8: the longest of `roots` that is `path` or lies above it, whole names compared. */
export function findRoot(path: string, roots: readonly string[]): string | undefined {
  const isAbove = (root: string) => path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
  return roots.filter(isAbove).sort((a, b) => b.length - a.length)[0];
}
