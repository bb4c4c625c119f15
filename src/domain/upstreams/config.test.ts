import { describe, expect, it } from 'vitest';
import { type UpstreamConfig, upstreamConfigSchema } from '../../contract/index.ts';
import { applyDelta, isSame } from './config-delta.ts';
import { findProblems } from './config-rules.ts';

const http = (id: string, more: object = {}) => ({
  id,
  name: id,
  transport: { type: 'http', url: `http://${id}.example/mcp` },
  ...more,
});
const stdio = (id: string, transport: object = {}) => ({
  id,
  name: id,
  transport: { type: 'stdio', command: 'x', ...transport },
});
const config = (...servers: object[]): UpstreamConfig => upstreamConfigSchema.parse({ servers });
const own = { ports: [9_876] };

describe('rules', () => {
  it('UPC-1: every error is told, not the first one', () => {
    const found = findProblems(
      config(
        http('Bad Name'),
        http('twice'),
        { ...http('two'), name: 'twice' },
        http('empty', { name: '' }),
        http('url', { transport: { type: 'http', url: '' } }),
        http('scheme', { transport: { type: 'http', url: 'file:///etc/passwd' } }),
        http('none', { transport: { type: 'http', url: 'nonsense' } }),
        http('secret', { transport: { type: 'http', url: 'https://me:word@x.example/' } }),
        stdio('command', { command: ' ' }),
        stdio('variable', { env: { 'A=B': 'x' } }),
        http('client', { auth: { type: 'oauth2', client_id: '' } }),
      ),
      own,
    );
    expect(found).toHaveLength(11);
    expect(found.join('; ')).toContain('"twice" is the name of two servers');
  });

  it.each([
    'http://127.0.0.1:9876/mcp',
    'http://localhost:9876/',
    'http://[::1]:9876/mcp',
    'http://127.1:9876/mcp',
    'http://0.0.0.0:9876/mcp',
    'http://[::ffff:127.0.0.1]:9876/mcp',
  ])('UPC-1: %s is this server itself', (url) => {
    expect(findProblems(config(http('self', { transport: { type: 'http', url } })), own)).toEqual([
      '"self": the URL is that of this server itself',
    ]);
  });

  it('UPC-1: another port of this machine, and our port of another machine, are fine', () => {
    for (const url of ['http://127.0.0.1:9875/mcp', 'http://example.org:9876/mcp']) {
      expect(findProblems(config(http('a', { transport: { type: 'http', url } })), own)).toEqual([]);
    }
  });
});

describe('delta', () => {
  it('UPC-3: removes, clears, changes; what somebody else added stays', () => {
    const base = config(http('a', { auth: { type: 'bearer' } }), http('b'), http('c'));
    const stored = config(...base.servers, http('new'));
    const [a, , c] = base.servers;
    const { auth: _, ...withoutAuth } = a as object & { auth: unknown };
    const next = applyDelta(stored, base, config(withoutAuth, { ...c, timeout_secs: 5 }));
    expect(next.servers.map(({ id, auth, timeout_secs }) => [id, auth, timeout_secs])).toEqual([
      ['a', undefined, 30],
      ['c', undefined, 5],
      ['new', undefined, 30],
    ]);
  });

  it('UPC-4: a save from an old view keeps what was stored meanwhile, also in the same server', () => {
    const base = config(http('a'), http('b'));
    const auth = { type: 'oauth2', client_id: 'from registration' };
    const stored = config(http('a', { auth }), http('b'));
    const renamed = applyDelta(stored, base, config(http('a'), http('b', { name: 'other' })));
    expect(renamed.servers.map(({ name, auth: kept }) => [name, kept?.type])).toEqual([
      ['a', 'oauth2'],
      ['other', undefined],
    ]);
    const slower = applyDelta(stored, base, config(http('a', { timeout_secs: 99 }), http('b')));
    expect(slower.servers[0]).toMatchObject({ timeout_secs: 99, auth });
  });

  it('UPC-3: the same id added by two is a conflict', () => {
    expect(() => applyDelta(config(http('a')), config(), config(http('a')))).toThrow(/same time.*added/);
  });

  it('UPC-5: removing what was changed removes it; changing what was removed is a conflict', () => {
    expect(applyDelta(config(http('a', { timeout_secs: 1 })), config(http('a')), config()).servers).toEqual([]);
    expect(applyDelta(config(), config(http('a')), config(http('a'))).servers).toEqual([]);
    expect(() => applyDelta(config(), config(http('a')), config(http('a', { timeout_secs: 1 })))).toThrow(/taken out/);
  });

  it('keeps what it does not know, in the file and in a server', () => {
    const stored: UpstreamConfig = { ...config(http('a', { later: 1 })), note: 'x' };
    const view = config(http('a', { later: 1 }));
    const next = applyDelta(
      stored,
      { ...view, note: 'x' },
      { ...config(http('a', { later: 1, bare: true })), note: 'x' },
    );
    expect(next).toMatchObject({ note: 'x', servers: [{ later: 1, bare: true }] });
  });

  it('compares values, not the order of their keys', () => {
    expect(isSame({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 })).toBe(true);
    expect(isSame({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(isSame([1, 2], [2, 1])).toBe(false);
  });
});
