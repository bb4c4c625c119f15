import { describe, expect, it } from 'vitest';
import { processEntry as entry } from '../../../test/kit/fake-processes.ts';
import type { ProcessEntry } from '../../platform/process/index.ts';
import { findOwners, inTreeOrder, type MembershipInput, processKey } from './membership.ts';

const owners = (entries: ProcessEntry[], change: Partial<MembershipInput> = {}) =>
  Object.fromEntries(
    [
      ...findOwners({
        entries,
        serverPid: 50,
        hostPid: 60,
        roots: new Map([
          [100, 'a'],
          [200, 'b'],
        ]),
        known: () => undefined,
        ...change,
      }),
    ].map(([pid, owner]) => [pid, owner.kind === 'session' ? owner.sessionId : owner.kind]),
  );

describe('http.md 7: whose process it is', () => {
  it('follows parents, in whatever order the table comes, and leaves strangers out', () => {
    const entries = [
      entry(103, 102),
      entry(102, 100),
      entry(100, 60),
      entry(200, 60),
      entry(60, 1),
      entry(50, 1),
      entry(51, 50),
      entry(1, 0),
      entry(300, 1),
    ];
    // 51 is the server's own child and no session's.
    expect(owners(entries)).toEqual({ 50: 'server', 60: 'host', 100: 'a', 102: 'a', 103: 'a', 200: 'b' });
  });

  it('keeps what outlived its parent in the kernel session, also when the first process is gone', () => {
    const left = entry(110, 1, { session: 100 });
    expect(owners([entry(60, 1), entry(100, 60), left])).toMatchObject({ 110: 'a' });
    expect(owners([entry(60, 1), left])).toMatchObject({ 110: 'a' });
  });

  it('a number that went to somebody else is nobody’s, with all below it', () => {
    const entries = [entry(60, 1), entry(100, 1), entry(101, 100), entry(102, 1, { session: 100 })];
    expect(owners(entries)).toEqual({ 60: 'host' });
  });

  it('asks what was known for the rest only', () => {
    const daemon = entry(400, 1);
    const entries = [entry(60, 1), entry(100, 60), daemon, entry(401, 400)];
    const known = (asked: ProcessEntry) => (processKey(asked) === processKey(daemon) ? 'b' : undefined);
    expect(owners(entries, { known })).toEqual({ 60: 'host', 100: 'a', 400: 'b', 401: 'b' });
  });

  it('a server that runs inside a session of its own is the server', () => {
    const entries = [entry(60, 50), entry(100, 60), entry(50, 100), entry(104, 50)];
    expect(owners(entries)).toEqual({ 50: 'server', 60: 'host', 100: 'a' });
  });

  it('a ring of parents ends', () => {
    expect(owners([entry(300, 301), entry(301, 300)])).toEqual({});
  });
});

describe('order of a tree', () => {
  const order = (entries: ProcessEntry[]) => inTreeOrder(entries, 100).map(({ pid }) => pid);

  it('is depth first, siblings by start, with the orphans after the first process', () => {
    const entries = [entry(90, 1), entry(103, 101), entry(102, 100), entry(101, 100), entry(100, 60)];
    expect(order(entries)).toEqual([100, 101, 103, 102, 90]);
  });

  it('loses nobody, even in a ring', () => {
    expect(order([entry(100, 60), entry(7, 8), entry(8, 7)]).sort((a, b) => a - b)).toEqual([7, 8, 100]);
  });
});
