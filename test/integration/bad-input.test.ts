/** What callers get wrong: one clear answer each, and a server that goes on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isCanonicalUuid } from '../../src/base/index.ts';
import { range, writeTemporary } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
});

afterEach(async () => {
  for (const session of await server.ipc.listSessions()) await server.ipc.remove(session.session_id);
});

async function expectError(method: string, path: string, body: unknown, status: number, text: string | RegExp) {
  const answer = await server.ipc.request(method, path, body === undefined ? {} : { body });
  expect(answer.status, `${method} ${path} ${answer.text}`).toBe(status);
  const { error } = answer.json() as { error: string };
  if (typeof text === 'string') expect(error).toBe(text);
  else expect(error).toMatch(text);
}

describe('unknown sessions', () => {
  it('are 404 with one text on every route', async () => {
    const routes: [string, string, unknown][] = [
      ['POST', '/sessions/nobody/write', { data: 'x' }],
      ['POST', '/sessions/nobody/resize', { rows: 24, cols: 80 }],
      ['POST', '/sessions/nobody/pause', undefined],
      ['POST', '/sessions/nobody/resume', undefined],
      ['GET', '/sessions/nobody/output', undefined],
      ['GET', '/sessions/nobody/output?format=log', undefined],
      ['GET', '/sessions/nobody/foreground', undefined],
      ['GET', '/sessions/nobody/has-foreground', undefined],
      ['GET', '/sessions/nobody/leaf-pid', undefined],
      ['GET', '/sessions/nobody/raw-ring', undefined],
      ['PUT', '/sessions/nobody/name', { name: 'x' }],
      ['DELETE', '/sessions/nobody', undefined],
    ];
    for (const [method, path, body] of routes) await expectError(method, path, body, 404, 'Session not found');
    await expect(openStream(server.ipc.target, 'nobody')).rejects.toMatchObject({ status: 404 });
    expect((await server.ipc.get('/sessions/nobody/shell-family')).json()).toBeNull();
  });
});

describe('sizes', () => {
  it('out of range are 400 with the text of the contract, on create and on resize', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    for (const value of [0, -1, 501, 65_536]) {
      await expectError(
        'POST',
        '/sessions',
        { rows: value, cols: 80 },
        400,
        `rows must be between 1 and 500, got ${value}`,
      );
      await expectError(
        'POST',
        '/sessions',
        { rows: 24, cols: value },
        400,
        `cols must be between 1 and 500, got ${value}`,
      );
      await expectError(
        'POST',
        `/sessions/${id}/resize`,
        { rows: value, cols: 80 },
        400,
        `rows must be between 1 and 500, got ${value}`,
      );
    }
    await expectError('POST', `/sessions/${id}/resize`, { rows: 'many', cols: 80 }, 400, /rows/);
    await expectError('POST', `/sessions/${id}/resize`, { rows: 24 }, 400, /cols/);
    for (const size of [1, 500]) await server.ipc.ok('POST', `/sessions/${id}/resize`, { rows: size, cols: size });
  });
});

describe('wrong bodies', () => {
  it('wrong JSON is 400 and names the field', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    await expectError('POST', `/sessions/${id}/write`, {}, 400, /data/);
    await expectError('POST', `/sessions/${id}/write`, { data: 7 }, 400, /data/);
    await expectError('POST', '/sessions', { args: 'not a list' }, 400, /args/);
    await expectError('POST', '/sessions', { env: { GOOD: 1 } }, 400, /env/);
    await expectError('PUT', `/sessions/${id}/name`, { name: 5 }, 400, /name/);
    await expectError('GET', `/sessions/${id}/output?format=paper`, undefined, 400, /format/);
    await expectError('GET', `/sessions/${id}/output?limit=-1`, undefined, 400, /limit/);
  });

  it('a body that is no JSON is 400, a missing one too', async () => {
    for (const rawBody of ['{', 'nonsense', '"text"', '[]']) {
      const answer = await server.ipc.request('POST', '/sessions', { rawBody });
      expect(answer.status, rawBody).toBe(400);
      expect(answer.json()).toHaveProperty('error');
    }
    expect(await server.ipc.listSessions()).toEqual([]);
  });

  it('a body over 2 MiB is 413, one just under it is read', async () => {
    const { id } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    // Often: a connection that is closed while the body is still written takes the answer with it now and then.
    for (let count = 0; count < 20; count++) {
      const big = await server.ipc.post(`/sessions/${id}/write`, { data: 'x'.repeat(2_097_152 + count * 100_000) });
      expect(big.status).toBe(413);
      expect(big.json()).toMatchObject({ error: 'Request body is larger than 2 MiB' });
    }
    await server.ipc.ok('POST', `/sessions/${id}/write`, { data: 'y'.repeat(2_000_000) });
  });
});

describe('ids', () => {
  it('a bad session id is 400, a bad identity too', async () => {
    for (const session_id of ['has space', '../up', 'a'.repeat(65), 'ü', 'semi;colon', '.']) {
      await expectError(
        'POST',
        '/sessions',
        { session_id },
        400,
        'session_id must be 1 to 64 characters of A-Z a-z 0-9 _ -',
      );
    }
    for (const tuic_session of ['nope', '6F9619FF-8B86-4D01-B42D-00C04FC964FF', '{}']) {
      await expectError('POST', '/sessions', { tuic_session }, 400, 'tuic_session must be a canonical UUID');
    }
    expect(await server.ipc.listSessions()).toEqual([]);
  });

  it('two creates with the same id at once: both live, one has the id, the other a fresh one', async () => {
    const session = { session_id: 'twice', shell: '/bin/sleep', args: ['600'] };
    const [first, second] = await Promise.all([server.ipc.createSession(session), server.ipc.createSession(session)]);
    const ids = [first.session_id, second.session_id];
    expect(ids.filter((id) => id === 'twice')).toHaveLength(1);
    expect(ids.filter((id) => isCanonicalUuid(id))).toHaveLength(1);
    expect(first.alias).not.toBe(second.alias);
    expect(await server.ipc.listSessions()).toHaveLength(2);
  });

  it('an alias and an identity address the session like its id', async () => {
    const identity = crypto.randomUUID();
    const { id, alias, puppet } = await startPuppet(cleanup, server.ipc, { tuic_session: identity, mode: 'raw' });
    for (const reference of [id, alias, identity]) await server.ipc.write(reference, 'x');
    await puppet.untilRead(3);
  });
});

describe('programs and folders', () => {
  it('a missing program or folder is 400, and nothing is left behind', async () => {
    const before = (await server.ipc.ok('GET', '/stats')) as { active_sessions: number };
    const plainFile = await writeTemporary(cleanup, 'plain', 'no program');
    await expectError('POST', '/sessions', { shell: '/no/such/program' }, 400, /No such program: \/no\/such\/program/);
    await expectError('POST', '/sessions', { shell: 'no-such-program-anywhere' }, 400, /No such program/);
    await expectError('POST', '/sessions', { shell: plainFile }, 400, /No such program/);
    await expectError('POST', '/sessions', { cwd: '/no/such/folder' }, 400, /not a directory/);
    await expectError('POST', '/sessions', { cwd: plainFile }, 400, /not a directory/);
    await expectError('POST', '/sessions', { cwd: 'relative' }, 400, 'Path must be absolute');
    await expectError('POST', '/sessions', { cwd: '/tmp/../etc' }, 400, 'Path traversal is not allowed');
    await expectError('POST', '/sessions', { cwd: '~nobody/x' }, 400, /~user is not supported/);
    expect(await server.ipc.listSessions()).toEqual([]);
    expect(await server.ipc.ok('GET', '/stats')).toEqual(before);
  });

  it('runs any program with its arguments as they are, in the folder asked for', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tuic-d-'));
    cleanup.defer(() => rm(directory, { recursive: true }));
    const { puppet } = await startPuppet(cleanup, server.ipc, { cwd: directory });
    const seen = (await puppet.do('environment')) as { directory: string };
    expect(seen.directory).toBe(directory);
    const { session_id } = await server.ipc.createSession({
      shell: 'printf',
      args: ['%s|', '$HOME', '*', 'a b', "it's", ''],
    });
    const viewer = await openStream(server.ipc.target, session_id, { format: 'raw' }).catch(() => undefined);
    await viewer?.closed;
    expect((await server.ipc.rawOutput(session_id)).data).toBe("$HOME|*|a b|it's||");
  });
});

describe('the cap on sessions', () => {
  it('one too many is 429, also when many are asked for at once; a free slot is usable again', async () => {
    const stats = (await server.ipc.ok('GET', '/stats')) as { max_sessions: number; active_sessions: number };
    expect(stats).toMatchObject({ max_sessions: 50, active_sessions: 0 });
    const answers = await Promise.all(
      range(53).map(() => server.ipc.post('/sessions', { shell: '/bin/sleep', args: ['600'] })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(50);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused).toHaveLength(3);
    expect(refused[0]?.json()).toMatchObject({ error: 'Max concurrent sessions reached' });
    expect(await server.ipc.ok('GET', '/stats')).toMatchObject({ active_sessions: 50, available_slots: 0 });
    const [first] = await server.ipc.listSessions();
    await server.ipc.remove(first?.session_id ?? '');
    await server.ipc.createSession({ shell: '/bin/sleep', args: ['600'] });
    const all = await server.ipc.listSessions();
    await Promise.all(all.map((session) => server.ipc.remove(session.session_id)));
    expect(await server.ipc.ok('GET', '/stats')).toMatchObject({ active_sessions: 0, available_slots: 50 });
  });
});

describe('bytes streams', () => {
  it('text that is no JSON object closes with 1003; an unknown control is ignored', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes' });
    viewer.sendText('{"type":"from the future"}');
    viewer.send('typed');
    await puppet.untilRead(5);
    viewer.sendText('not json');
    expect((await viewer.closed).code).toBe(1003);
    const second = await openStream(server.ipc.target, id, { format: 'bytes' });
    second.sendText('[1]');
    expect((await second.closed).code).toBe(1003);
    expect(puppet.received.toString()).toBe('typed');
  });

  it('an unknown format or a bad offset is 400 before the upgrade', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    for (const query of [{ format: 'paper' }, { format: 'bytes', offset: '-1' }, { offset: 'x' }]) {
      await expect(openStream(server.ipc.target, id, { query })).rejects.toMatchObject({ status: 400 });
    }
  });
});
