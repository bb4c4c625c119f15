import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/index.ts';
import { createServiceScope } from './service-scope.ts';

const scopeOf = (settings: unknown, root: string | undefined = '/r/sub') =>
  createServiceScope(
    {
      sessions: { list: () => [] },
      peers: { get: () => undefined },
      repositories: { rootOf: async (path) => (path.startsWith('/r/') ? '/r' : path) },
    },
    async () => settings,
  )({ identity: undefined, root });

describe('UPC-8: servers of a repository', () => {
  it('are those that it names; none named is none, and no list is all', async () => {
    expect(await scopeOf({ repos: { '/r': { mcp_upstreams: ['a', 7] } } })).toEqual(new Set(['a']));
    expect(await scopeOf({ repos: { '/r': { mcp_upstreams: [] } } })).toEqual(new Set());
    expect(await scopeOf({ repos: { '/r': {} } })).toBeUndefined();
    expect(await scopeOf({ repos: { '/other': { mcp_upstreams: [] } } })).toBeUndefined();
    expect(await scopeOf({})).toBeUndefined();
  });

  it('are none while the settings cannot be read', async () => {
    const broken = createServiceScope(
      { sessions: { list: () => [] }, peers: { get: () => undefined }, repositories: { rootOf: async (path) => path } },
      async () => {
        throw new AppError('config_unreadable', { path: 'x', detail: 'y' });
      },
    );
    expect(await broken({ identity: undefined, root: '/r' })).toEqual(new Set());
  });

  it('concern only whoever is there', async () => {
    const settings = { repos: { '/r': { mcp_upstreams: [] } } };
    expect(await scopeOf(settings, '/elsewhere')).toBeUndefined();
    const nowhere = createServiceScope(
      { sessions: { list: () => [] }, peers: { get: () => undefined }, repositories: { rootOf: async (path) => path } },
      async () => settings,
    );
    expect(await nowhere({ identity: undefined, root: undefined })).toBeUndefined();
  });
});
