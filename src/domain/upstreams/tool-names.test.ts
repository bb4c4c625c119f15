import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildNameTable, isReservedName, passesFilter, visibleName } from './tool-names.ts';

const usual = { bare: false, longest: 45 };
const server = (name: string, tools: string[], bare = false) => ({
  name,
  bare,
  tools: tools.map((tool) => ({ name: tool })),
});

describe('visible names', () => {
  it('UPX-9: stay as they are when every model API takes them', () => {
    expect(visibleName('github', 'create_issue', usual)).toBe('github__create_issue');
    expect(visibleName('github', 'create_issue', { bare: true, longest: 45 })).toBe('create_issue');
    expect(visibleName('a', 'b'.repeat(42), usual)).toBe(`a__${'b'.repeat(42)}`);
  });

  it('N01: a name of 40 and a tool of 40 characters end in a hash, and fit with the prefix of a client', () => {
    const name = visibleName('s'.repeat(40), 't'.repeat(40), usual);
    expect(name).toMatch(/^s{38}_[0-9a-f]{6}$/);
    expect(`mcp__tuicommander__${name}`).toHaveLength(64);
    expect(visibleName('s'.repeat(40), `${'t'.repeat(39)}u`, usual)).not.toBe(name);
  });

  it('UPX-9: what no API takes becomes _, and the hash keeps two such apart', () => {
    const [dot, slash] = [visibleName('x', 'a.b', usual), visibleName('x', 'a/b', usual)];
    expect(dot).toMatch(/^x__a_b_[0-9a-f]{6}$/);
    expect(slash).not.toBe(dot);
    expect(visibleName('x', 'ä', { bare: true, longest: 45 })).toMatch(/^__[0-9a-f]{6}$/);
    expect(visibleName('x', '', { bare: true, longest: 45 })).toMatch(/^_[0-9a-f]{6}$/);
  });

  it('UPX-9: fit whatever the parts are, and are the same each time', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.boolean(),
        fc.integer({ min: 16, max: 64 }),
        (one, two, bare, longest) => {
          const name = visibleName(one, two, { bare, longest });
          expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(name.length).toBeLessThanOrEqual(longest);
          expect(visibleName(one, two, { bare, longest })).toBe(name);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the table', () => {
  it('N05: separators inside of names lead to the right server', () => {
    const { byName } = buildNameTable({ upstreams: [server('my_db', ['exec-sql', 'a__b'])], longest: 45 });
    expect(byName.get('my_db__exec-sql')).toMatchObject({ upstream: 'my_db', tool: { name: 'exec-sql' } });
    expect(byName.get('my_db__a__b')).toMatchObject({ upstream: 'my_db', tool: { name: 'a__b' } });
  });

  it('N04: two that come to one name never answer for each other: the first server has it, the other is told', () => {
    for (const [one, two] of [
      [server('a__b', ['c']), server('a', ['b__c'])],
      [server('evil_', ['_x']), server('evil', ['__x'])],
    ] as const) {
      const { byName, setAside } = buildNameTable({ upstreams: [one, two], longest: 45 });
      expect([...byName.values()].map(({ upstream }) => upstream)).toEqual([one.name]);
      expect(setAside.get(two.name)).toEqual([
        { tool: two.tools[0]?.name, reason: expect.stringContaining(`of ${one.name}`) },
      ]);
    }
  });

  it('TRN-18: native and meta names are reserved, also those that are switched off', () => {
    const { byName, setAside } = buildNameTable({
      upstreams: [server('x', ['session', 'call_tool', 'debug', 'ai_terminal_new', 'fine'], true)],
      longest: 45,
    });
    expect([...byName.keys()]).toEqual(['fine']);
    expect(setAside.get('x')?.map(({ tool }) => tool)).toEqual(['session', 'call_tool', 'debug', 'ai_terminal_new']);
    expect(isReservedName('x__session')).toBe(false);
  });

  it('a tool that a server lists twice is there once', () => {
    const { byName, setAside } = buildNameTable({ upstreams: [server('x', ['one', 'one'])], longest: 45 });
    expect([byName.size, setAside.get('x')?.length]).toEqual([1, 1]);
  });
});

describe('filter', () => {
  it('allows or denies exact names and beginnings', () => {
    const patterns = ['read_*', 'list'];
    const names = ['read_file', 'list', 'listing', 'write_file'];
    expect(names.filter((name) => passesFilter(name, { mode: 'allow', patterns }))).toEqual(['read_file', 'list']);
    expect(names.filter((name) => passesFilter(name, { mode: 'deny', patterns }))).toEqual(['listing', 'write_file']);
    expect(names.filter((name) => passesFilter(name, undefined))).toEqual(names);
    expect(passesFilter('x', { mode: 'allow', patterns: [] })).toBe(false);
    expect(passesFilter('x', { mode: 'deny', patterns: ['*'] })).toBe(false);
  });
});
