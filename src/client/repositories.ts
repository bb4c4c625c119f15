/** The person's repositories and their state. */
import type { ActiveRepository, RepositoryEntry, RepositoryInfo } from '../contract/index.ts';
import { type RequestOptions, requestJson, type Transport } from './transport.ts';

export interface RepositoryRoutes {
  /** Of any folder, registered or not. */
  info(path: string): Promise<RepositoryInfo>;
  /** The registered ones, in the order of the person. */
  list(): Promise<RepositoryEntry[]>;
  active(): Promise<ActiveRepository>;
}

type Send = (method: string, path: string) => RequestOptions & { path: string };

export function createRepositoryRoutes(transport: Transport, send: Send): { repositories: RepositoryRoutes } {
  const read = <T>(asked: string) => {
    const { path, ...options } = send('GET', asked);
    return requestJson<T>(transport, path, options);
  };
  return {
    repositories: {
      info: (path) => read(`/repo/info?${new URLSearchParams({ path })}`),
      list: () => read('/repo/list'),
      active: () => read('/repo/active'),
    },
  };
}
