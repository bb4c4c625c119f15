/** Enters a repository into repositories.json and takes one out. Pure; whatever else stands in the document stays as it is. */
import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { RepositoryInfo } from '../contract/index.ts';
import { type Key, valueAt, withValue } from './config-document.ts';

/** Both names that the keys are read from. */
const PLACES = ['repos', 'repositories'] as const;

function spell(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}

function keysOf(document: unknown, place: (typeof PLACES)[number]): string[] {
  const entries = valueAt(document, [place]);
  return isJsonObject(entries) ? Object.keys(entries) : [];
}

export function hasRepository(document: unknown, path: string): boolean {
  return PLACES.some((place) => keysOf(document, place).some((key) => spell(key) === spell(path)));
}

/** What every reader of the document expects to find in it. */
const EMPTY: JsonObject = { repos: {}, repoOrder: [], activeRepoPath: null, groups: {}, groupOrder: [] };

export function addRepository(
  document: unknown,
  { path, name, initials, branch, is_git_repo }: RepositoryInfo,
): unknown {
  const whole = isJsonObject(document) ? { ...EMPTY, ...document } : EMPTY;
  const entry = {
    path,
    displayName: name,
    initials,
    isGitRepo: is_git_repo,
    expanded: true,
    collapsed: false,
    parked: false,
    branches: {},
    activeBranch: branch === '' ? null : branch,
  };
  const order = Array.isArray(whole.repoOrder) ? whole.repoOrder : [];
  return withValue(withValue(whole, ['repos', path], entry), ['repoOrder'], [...order, path]);
}

export function removeRepository(document: unknown, path: string): unknown {
  const isIt = (key: unknown) => typeof key === 'string' && spell(key) === spell(path);
  let result = document;
  const change = (key: Key, value: unknown) => {
    result = withValue(result, key, value);
  };
  const dropFrom = (key: Key) => {
    const order = valueAt(result, key);
    if (Array.isArray(order) && order.some(isIt))
      change(
        key,
        order.filter((each) => !isIt(each)),
      );
  };
  for (const place of PLACES) for (const key of keysOf(document, place)) if (isIt(key)) change([place, key], undefined);
  dropFrom(['repoOrder']);
  const groups = valueAt(document, ['groups']);
  for (const id of isJsonObject(groups) ? Object.keys(groups) : []) dropFrom(['groups', id, 'repoOrder']);
  if (isIt(valueAt(result, ['activeRepoPath']))) change(['activeRepoPath'], null);
  return result;
}
