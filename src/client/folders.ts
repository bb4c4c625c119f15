/** Folders of the server's machine, and what its data folder holds. */
import type {
  FolderList,
  FolderQuery,
  LaunchChoices,
  ResolvedPath,
  ResolvePathQuery,
  StorageReport,
} from '../contract/index.ts';
import { type RequestOptions, requestJson, type Transport } from './transport.ts';

export interface FolderRoutes {
  list(query: FolderQuery, signal?: AbortSignal): Promise<FolderList>;
  /** What a piece of a terminal's text names; null when there is no such thing. */
  resolvePath(query: ResolvePathQuery): Promise<ResolvedPath | null>;
  launchChoices(): Promise<LaunchChoices>;
  storage(): Promise<StorageReport>;
}

type Send = (method: string, path: string, body?: unknown) => RequestOptions & { path: string };

export function createFolderRoutes(transport: Transport, send: Send): { folders: FolderRoutes } {
  const json = <T>({ path, ...options }: RequestOptions & { path: string }) => requestJson<T>(transport, path, options);
  return {
    folders: {
      list: ({ path = '~', prefix = '' }, signal) => {
        const options = send('GET', `/fs/directories?${new URLSearchParams({ path, prefix })}`);
        return json(signal === undefined ? options : { ...options, signal });
      },
      resolvePath: ({ cwd = '', candidate, session }) => {
        const query = new URLSearchParams({ cwd, candidate, ...(session === undefined ? {} : { session }) });
        return json(send('GET', `/fs/resolve-terminal-path?${query}`));
      },
      launchChoices: () => json(send('GET', '/api/launch')),
      storage: () => json(send('GET', '/diagnostics/storage')),
    },
  };
}
