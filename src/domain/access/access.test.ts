import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { fillDisk, mountSmall } from '../../../test/kit/mounts.ts';
import { AppError, DEADLINES, LIMITS } from '../../contract/index.ts';
import { openSecretStore, type SecretStore } from '../../platform/secrets/index.ts';
import { type AccessSettings, ConnectedClients, FailureLimit, openAccess, PasswordCheck, Tickets } from './index.ts';

const cleanup = cleanupAfterEach();
let folder: string;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  folder = await mkdtemp(join(tmpdir(), 'tuic-access-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const settings: AccessSettings = {
  username: 'owner',
  password_hash: 'hash of right',
  session_token_duration_secs: 60,
  auth_rate_limit_max: 5,
  auth_rate_limit_window_secs: 300,
};

async function open(
  directory = folder,
  own: AccessSettings = settings,
  change: (store: SecretStore) => Partial<SecretStore> = () => ({}),
) {
  const log = { warn() {} };
  const store = await openSecretStore({
    configDirectory: directory,
    openKeyring: async () => ({ absent: 'a test has none' }),
    log,
  });
  return openAccess({
    configDirectory: directory,
    clock,
    log,
    secrets: { ...store, ...change(store) },
    settings: () => own,
    verifyPassword: async (password, hash) => hash === `hash of ${password}`,
  });
}

describe('credentials', () => {
  it('P2: outlive the server', async () => {
    const first = await open();
    const second = await open();
    expect(second.holderOfSession(first.issueSession('user-7'))).toBe('user-7');
    expect(second.isBearerToken((await readFile(join(folder, 'token'), 'utf8')).trim())).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(['secrets.json', 'token']);
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

describe('sessions of the remote listener', () => {
  it('belong to the name and password they were opened with', async () => {
    const own = { ...settings };
    const access = await open(folder, own);
    const holder = access.remoteHolder();
    expect(access.holderOfSession(access.issueSession(holder))).toBe(holder);
    own.password_hash = 'hash of another';
    expect(access.remoteHolder()).not.toBe(holder);
    Object.assign(own, settings, { username: 'other' });
    expect(access.remoteHolder()).not.toBe(holder);
    expect(holder).not.toContain('hash of right');
  });

  it('end with the key: the new one is stored before it counts, and a failing store changes nothing', async () => {
    let isLocked = false;
    const refusal = new AppError('secrets_unavailable', { detail: 'locked' });
    const access = await open(folder, settings, (store) => ({
      set: (name, value) => (isLocked ? Promise.reject(refusal) : store.set(name, value)),
    }));
    const session = access.issueSession('x');
    isLocked = true;
    await expect(access.rotateSessions()).rejects.toBe(refusal);
    expect(access.holderOfSession(session)).toBe('x');
    isLocked = false;
    await access.rotateSessions();
    expect(access.holderOfSession(session)).toBeUndefined();
    const next = access.issueSession('x');
    expect((await open()).holderOfSession(next)).toBe('x');
  });

  it('a key that somebody else stored is taken over', async () => {
    const first = await open();
    const second = await open();
    await first.rotateSessions();
    const session = first.issueSession('x');
    expect(second.holderOfSession(session)).toBeUndefined();
    expect((await open()).holderOfSession(session)).toBe('x');
    let stored = 'another key, that somebody stored';
    const third = await open(folder, settings, () => ({ get: async () => stored }));
    expect(await third.reloadSessionKey()).toBe(false);
    const before = third.issueSession('x');
    const ticket = third.issueTicket('login', true);
    stored = 'yet another key';
    expect(await third.reloadSessionKey()).toBe(true);
    expect(third.holderOfSession(before)).toBeUndefined();
    expect(third.redeemTicket(ticket, 'login')).toBeUndefined();
  });

  it('a keyring that is locked at the start: logins of before do not count, and its key is not overwritten', async () => {
    const first = await open();
    const session = first.issueSession('x');
    const refusal = new AppError('secrets_unavailable', { detail: 'locked' });
    const locked = await open(folder, settings, () => ({ get: () => Promise.reject(refusal) }));
    expect(locked.holderOfSession(session)).toBeUndefined();
    expect(locked.holderOfSession(locked.issueSession('x'))).toBe('x');
    expect((await open()).holderOfSession(session)).toBe('x');
  });

  it('P2: the key of earlier versions moves into the secret store, and logins of before still count', async () => {
    const key = 'k'.repeat(43);
    await writeFile(join(folder, 'session-key'), `${key}\n`, { mode: 0o600 });
    const access = await open();
    const mark = createHmac('sha256', key).update('user-7').digest('base64url');
    expect(access.holderOfSession(`user-7.${mark}`)).toBe('user-7');
    expect((await readdir(folder)).sort()).toEqual(['secrets.json', 'token']);
  });
});

describe('the password check', () => {
  const right = { username: 'owner', password: 'right', address: '10.0.0.9' };

  function check(own: Partial<AccessSettings> = {}) {
    const counts = { verified: 0, atOnce: 0, most: 0 };
    const live = { ...settings, ...own };
    const failures = new FailureLimit(clock, () => ({
      max: live.auth_rate_limit_max,
      windowSeconds: live.auth_rate_limit_window_secs,
    }));
    const passwords = new PasswordCheck({
      clock,
      failures,
      settings: () => live,
      verify: async (password, hash) => {
        counts.verified++;
        counts.most = Math.max(counts.most, ++counts.atOnce);
        for (let turn = 0; turn < 3; turn++) await Promise.resolve();
        counts.atOnce--;
        return hash === `hash of ${password}`;
      },
    });
    return { passwords, counts, live };
  }

  it('takes the right pair only, and knows it for a while without another hash', async () => {
    const { passwords, counts, live } = check();
    expect(await passwords.check(right)).toEqual({ kind: 'right' });
    expect(await passwords.check({ ...right, address: '10.0.0.10' })).toEqual({ kind: 'right' });
    expect(counts.verified).toBe(1);
    clock.advance(DEADLINES.passwordMemory);
    await passwords.check(right);
    expect(counts.verified).toBe(2);
    for (const wrong of [
      { ...right, password: 'Right' },
      { ...right, username: 'Owner' },
      { ...right, password: '' },
    ]) {
      expect(await passwords.check(wrong)).toEqual({ kind: 'wrong' });
    }
    live.password_hash = 'hash of another';
    expect(await passwords.check(right)).toEqual({ kind: 'wrong' });
  });

  it('X05: no password lets nobody in, an empty one included', async () => {
    const { passwords, counts } = check({ password_hash: '' });
    for (const password of ['', 'right', 'x'.repeat(100)]) {
      expect(await passwords.check({ ...right, password })).toEqual({ kind: 'wrong' });
    }
    expect(counts.verified).toBe(0);
  });

  it('X01: brute force, also in parallel, gets five tries in a window; the right one waits as well', async () => {
    const { passwords, counts } = check();
    const guesses = Array.from({ length: 40 }, (_, index) => passwords.check({ ...right, password: `guess ${index}` }));
    const results = await Promise.all(guesses);
    expect(results.filter(({ kind }) => kind === 'wrong')).toHaveLength(5);
    expect(results.filter(({ kind }) => kind === 'held')).toHaveLength(35);
    expect([counts.verified, counts.most]).toEqual([5, 1]);
    expect(await passwords.check(right)).toEqual({ kind: 'held', seconds: 300 });
    expect(await passwords.check({ ...right, address: '10.0.0.10' })).toEqual({ kind: 'right' });
    clock.jump(-10_000_000);
    clock.advance(299_000);
    expect(await passwords.check(right)).toEqual({ kind: 'held', seconds: 1 });
    clock.jump(10_000_000);
    clock.advance(1_000);
    expect(await passwords.check(right)).toEqual({ kind: 'right' });
  });

  it('X01: a password of more than 72 bytes is wrong, though bcrypt would cut it to the right one', async () => {
    const long = 'é'.repeat(36);
    const { passwords } = check({ password_hash: `hash of ${long}` });
    expect(await passwords.check({ ...right, password: long })).toEqual({ kind: 'right' });
    for (const password of [`${long}x`, `${long.slice(1)}\0`]) {
      expect(await passwords.check({ ...right, password })).toEqual({ kind: 'wrong' });
    }
  });

  it('costs few processors at once, and refuses more than may wait', async () => {
    const { passwords, counts } = check({ auth_rate_limit_max: 0 });
    const all = Array.from({ length: LIMITS.passwordQueue + 10 }, (_, index) =>
      passwords.check({ ...right, password: 'wrong', address: `10.0.1.${index}` }),
    );
    const results = await Promise.all(all);
    expect(results.filter(({ kind }) => kind === 'held')).toHaveLength(10);
    expect(counts.most).toBe(LIMITS.passwordChecks);
  });

  it('a password that is changed while it is checked no longer counts', async () => {
    const { passwords, live } = check();
    const asking = passwords.check(right);
    live.password_hash = 'hash of another';
    expect(await asking).toEqual({ kind: 'wrong' });
  });
});

describe('a full disk', () => {
  it('gives one clear error that names the file', async () => {
    const path = await mountSmall(cleanup, 64);
    await fillDisk(path);
    await expect(open(path)).rejects.toMatchObject({
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
    const limit = new FailureLimit(clock, () => ({ max: 2, windowSeconds: 10 }));
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

  it('X01: count for all addresses of one subscriber, and the two ways to write an IPv4 address', () => {
    const limit = new FailureLimit(clock, () => ({ max: 1, windowSeconds: 10 }));
    limit.noteFailure('2001:db8:0:7::1');
    limit.noteFailure('::ffff:10.0.0.9');
    expect(limit.secondsToWait('2001:DB8::7:ffff:1:2:3')).toBe(10);
    expect(limit.secondsToWait('2001:db8:0:8::1')).toBe(0);
    expect([limit.secondsToWait('10.0.0.9'), limit.secondsToWait('10.0.0.8')]).toEqual([10, 0]);
  });

  it('can be switched off, and cost bounded memory', () => {
    const off = new FailureLimit(clock, () => ({ max: 0, windowSeconds: 10 }));
    for (let index = 0; index < 10; index++) off.noteFailure('a');
    expect(off.secondsToWait('a')).toBe(0);
    const on = new FailureLimit(clock, () => ({ max: 1, windowSeconds: 10 }));
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
