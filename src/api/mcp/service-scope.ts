/** Which MCP servers a caller may use: its repository may name them (UPC-8). Absent means all, an empty list none. */
import { isJsonObject } from '../../base/index.ts';
import { AppError } from '../../contract/index.ts';
import { createOriginFinder, type OriginSources } from './origin.ts';

export interface ScopedCaller {
  readonly identity: string | undefined;
  readonly root: string | undefined;
}

/** Undefined: all of them. */
export type ServiceScope = (caller: ScopedCaller) => Promise<ReadonlySet<string> | undefined>;

/** `readSettings` gives the content of repo-settings.json as it stands. */
export function createServiceScope(sources: OriginSources, readSettings: () => Promise<unknown>): ServiceScope {
  const find = createOriginFinder(sources);
  return async (caller) => {
    const { origin_repo_path: place } = await find(caller);
    if (place === undefined) return undefined;
    let settings: unknown;
    try {
      settings = await readSettings();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Whom a broken file would have kept out is kept out.
      return new Set();
    }
    const repositories = isJsonObject(settings) && isJsonObject(settings.repos) ? settings.repos : {};
    if (!Object.values(repositories).some((entry) => isJsonObject(entry) && Array.isArray(entry.mcp_upstreams))) {
      return undefined;
    }
    const root = await sources.repositories.rootOf(place);
    const entry = Object.hasOwn(repositories, root) ? repositories[root] : undefined;
    if (!isJsonObject(entry) || !Array.isArray(entry.mcp_upstreams)) return undefined;
    return new Set(entry.mcp_upstreams.filter((name) => typeof name === 'string'));
  };
}
