import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { fillDisk, mountSmall } from '../../../test/kit/mounts.ts';
import { LIMITS } from '../../contract/index.ts';
import { ConnectedClients, FailureLimit, openAccess, Tickets } from './index.ts';

const cleanup = cleanupAfterEach();
let folder: string;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  folder = await mkdtemp(join(tmpdir(), 'tuic-access-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function open() {
  return openAccess({
    configDirectory: folder,
    clock,
    log: { warn() {} },
    sessionSeconds: 60,
    failureLimit: { max: 5, windowSeconds: 300 },
  });
}

describe('credentials', () => {
  it('P2: outlive the server', async () => {
    const first = await open();
    const second = await open();
    expect(second.holderOfSession(first.issueSession('user-7'))).toBe('user-7');
    expect(second.isBearerToken((await readFile(join(folder, 'token'), 'utf8')).trim())).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(['session-key', 'token']);
  });

  it('X01: accepts nothing but the whole token, and never one for the other', async () => {
    const access = await open();
    const token = (await readFile(join(folder, 'token'), 'utf8')).trim();
    const session = access.issueSession('user-7');
    for (const wrong of ['', token.slice(1), `${token}x`, ` ${token}`, session, 'undefined']) {
      expect(access.isBearerToken(wrong)).toBe(false);
    }
    const [, mark = ''] = session.split('.');
    for (const wrong of ['', '.', mark, `.${mark}`, `user-8.${mark}`, `user-7.${mark}x`, `user-7.`, 'user-7', token]) {
      expect([wrong, access.holderOfSession(wrong)]).toEqual([wrong, undefined]);
    }
  });
});

describe('a full disk', () => {
  it('gives one clear error that names the file', async () => {
    const path = await mountSmall(cleanup, 64);
    await fillDisk(path);
    const opening = openAccess({
      configDirectory: path,
      clock,
      log: { warn() {} },
      sessionSeconds: 60,
      failureLimit: { max: 5, windowSeconds: 300 },
    });
    await expect(opening).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringMatching(/no space left.*|ENOSPC/i),
    });
    expect((await readdir(path)).filter((name) => name.startsWith('token'))).toEqual([]);
  });
});

describe('tickets', () => {
  it('X10: work once, for their purpose, for 60 s', () => {
    const tickets = new Tickets(clock);
    const login = tickets.issue('login', false);
    expect(tickets.redeem(login, 'stream')).toBeUndefined();
    expect(tickets.redeem(login, 'login')).toEqual({ isLoggedIn: false });
    expect(tickets.redeem(login, 'login')).toBeUndefined();
    const late = tickets.issue('stream', true);
    const early = tickets.issue('stream', true);
    clock.advance(59_999);
    expect(tickets.redeem(early, 'stream')).toEqual({ isLoggedIn: true });
    clock.jump(-1_000_000);
    clock.advance(1);
    expect(tickets.redeem(late, 'stream')).toBeUndefined();
    expect(tickets.size).toBe(0);
  });

  it('are bounded: the oldest go first', () => {
    const tickets = new Tickets(clock);
    const issued = Array.from({ length: LIMITS.tickets + 50 }, () => tickets.issue('login', false));
    expect(tickets.size).toBeLessThanOrEqual(LIMITS.tickets + 1);
    expect(tickets.redeem(issued[0] ?? '', 'login')).toBeUndefined();
    expect(tickets.redeem(issued.at(-1) ?? '', 'login')).toBeDefined();
  });
});

describe('failed logins', () => {
  it('are counted for an address and forgotten after the window', () => {
    const limit = new FailureLimit(clock, { max: 2, windowSeconds: 10 });
    limit.noteFailure('a');
    expect(limit.secondsToWait('a')).toBe(0);
    clock.advance(1_000);
    limit.noteFailure('a');
    expect([limit.secondsToWait('a'), limit.secondsToWait('b')]).toEqual([9, 0]);
    clock.advance(8_999);
    expect(limit.secondsToWait('a')).toBe(1);
    clock.advance(1);
    expect(limit.secondsToWait('a')).toBe(0);
    limit.noteFailure('a');
    limit.noteFailure('a');
    limit.forget('a');
    expect(limit.secondsToWait('a')).toBe(0);
  });

  it('can be switched off, and cost bounded memory', () => {
    const off = new FailureLimit(clock, { max: 0, windowSeconds: 10 });
    for (let index = 0; index < 10; index++) off.noteFailure('a');
    expect(off.secondsToWait('a')).toBe(0);
    const on = new FailureLimit(clock, { max: 1, windowSeconds: 10 });
    for (let index = 0; index < 5_000; index++) on.noteFailure(String(index));
    expect([on.secondsToWait('0'), on.secondsToWait('4999')]).toEqual([0, 10]);
  });
});

describe('connected clients', () => {
  const clientId = 'f3b1c7de-0000-4000-8000-000000000001';

  it('live as long as their subscriptions', () => {
    const clients = new ConnectedClients(clock);
    const first = clients.connect({ clientId, kind: 'workspace', isLoggedIn: true });
    const second = clients.connect({ clientId, kind: 'workspace', isLoggedIn: true });
    first.dispose();
    first.dispose();
    expect(clients.list()).toEqual([
      { client_id: clientId, kind: 'workspace', connected_at: clock.now(), last_focused_at: null },
    ]);
    second.dispose();
    expect(clients.list()).toEqual([]);
    expect(() => clients.setFocus(clientId, true)).toThrow('Not found');
  });

  it('remember when they were focused', () => {
    const clients = new ConnectedClients(clock);
    clients.connect({ clientId, kind: 'phone', isLoggedIn: true });
    clock.advance(5);
    clients.setFocus(clientId, true);
    const at = clock.now();
    clock.advance(5);
    clients.setFocus(clientId, false);
    expect(clients.list()[0]?.last_focused_at).toBe(at);
  });

  it('are a workspace only when every subscription was logged in', () => {
    const clients = new ConnectedClients(clock);
    const own = clients.connect({ clientId, kind: 'workspace', isLoggedIn: true });
    expect(clients.isWorkspace(clientId)).toBe(true);
    const script = clients.connect({ clientId, kind: 'workspace', isLoggedIn: false });
    expect(clients.isWorkspace(clientId)).toBe(false);
    own.dispose();
    script.dispose();
    expect(clients.isWorkspace(clientId)).toBe(false);
    clients.connect({ clientId, kind: 'phone', isLoggedIn: true });
    expect(clients.isWorkspace(clientId)).toBe(false);
  });
});
