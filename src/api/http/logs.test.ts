/** The log routes and what is written to the access log, over the real fronts (http.md 19). */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { startFront, TEST_LOGIN } from '../../../test/kit/front.ts';
import { ApiClient, rawLines, rawRequest } from '../../../test/kit/http.ts';
import { type AccessEntry, LIMITS, type LogEntry } from '../../contract/index.ts';

const cleanup = cleanupAfterEach();

async function setUp() {
  const front = await startFront(cleanup);
  const ipc = new ApiClient(front.ipc);
  const entries = async (query = '') => (await ipc.get(`/logs/access${query}`)).json() as AccessEntry[];
  return { front, ipc, local: new ApiClient(front.local), entries };
}

describe('access log', () => {
  it('has every write with its listener, client, route, session and outcome, and no reads', async () => {
    const { front, ipc, local, entries } = await setUp();
    await ipc.get('/sessions');
    await ipc.request('POST', '/sessions/ab-1/write', { body: { data: 'rm -rf canary' } });
    await local.with({ 'x-tuic-client': 'window-1' }).request('PUT', '/sessions/known/name', { body: { name: 'n' } });
    await local.request('POST', '/sessions', { body: { cwd: '/canary' } });
    await local.request('DELETE', '/sessions/unknown?mode=canary');
    await local.request('POST', '/nowhere/canary', { body: {} });
    const remote = new ApiClient(front.remote, { authorization: TEST_LOGIN.header });
    await remote.request('POST', '/sessions/known/pause');
    await rawRequest(
      front.local,
      rawLines('POST /sessions/known/write?token=canary HTTP/1.1', [
        `Host: 127.0.0.1:${front.local.port}`,
        'Authorization: Bearer canary',
        'x-tuic-client: bad\tid',
        'Connection: close',
      ]),
    );
    await rawRequest(
      front.local,
      rawLines('GET /login?ticket=canary HTTP/1.1', [`Host: 127.0.0.1:${front.local.port}`, 'Connection: close']),
    );
    const found = await eventually('all writes to be recorded', async () => {
      const all = await entries();
      return all.length >= 8 && all;
    });
    expect(found.map(({ time_ms: _time, duration_ms: _duration, ...rest }) => rest)).toEqual([
      {
        listener: 'ipc',
        client: 'ipc',
        credential: 'ipc',
        method: 'POST',
        route: '/sessions/:id/write',
        status: 200,
        session_id: 'known',
      },
      {
        listener: 'local',
        client: 'window-1',
        credential: 'same-user',
        method: 'PUT',
        route: '/sessions/:id/name',
        status: 200,
        session_id: 'known',
      },
      {
        listener: 'local',
        client: 'same-user',
        credential: 'same-user',
        method: 'POST',
        route: '/sessions',
        status: 201,
        session_id: 'known',
      },
      {
        listener: 'local',
        client: 'same-user',
        credential: 'same-user',
        method: 'DELETE',
        route: '/sessions/:id',
        status: 400,
        session_id: 'unknown',
      },
      {
        listener: 'local',
        client: 'same-user',
        credential: 'same-user',
        method: 'POST',
        route: 'unknown',
        status: 405,
      },
      {
        listener: 'remote',
        client: '127.0.0.1',
        credential: 'basic',
        method: 'POST',
        route: '/sessions/:id/pause',
        status: 200,
        session_id: 'known',
      },
      {
        listener: 'local',
        client: 'none',
        credential: 'none',
        method: 'POST',
        route: '/sessions/:id/write',
        status: 401,
        session_id: 'known',
      },
      { listener: 'local', client: 'none', credential: 'none', method: 'GET', route: '/login', status: 401 },
    ]);
    expect(JSON.stringify(found)).not.toContain('canary');
    expect((await entries('?session_id=ab-1')).map(({ route }) => route)).toEqual([
      '/sessions/:id/write',
      '/sessions/:id/name',
      '/sessions',
      '/sessions/:id/pause',
      '/sessions/:id/write',
    ]);
    expect(await entries('?limit=1')).toEqual(found.slice(-1));
    expect(await entries(`?since=${(found.at(-1)?.time_ms ?? 0) + 60_000}`)).toEqual([]);
  });

  it('has the input of a stream once, at its first byte, and nothing of a stream that only watches', async () => {
    const { front, entries } = await setUp();
    const open = async (query: string) => {
      const socket = new WebSocket(`ws://127.0.0.1:${front.local.port}/sessions/ab-1/stream${query}`);
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      cleanup.defer(() => socket.terminate());
      return socket;
    };
    await open('');
    const typing = await open('?format=bytes');
    typing.send('{"type":"visible","visible":true}');
    typing.send(Buffer.from('canary'));
    typing.send(Buffer.from('canary'));
    await eventually('the input to arrive', () => front.sessions.viewers.some(({ received }) => received.length === 2));
    const found = await entries();
    expect(found).toMatchObject([
      { listener: 'local', method: 'WS', route: '/sessions/:id/stream', status: 101, session_id: 'known' },
    ]);
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  it('has a write whose caller left before the answer', async () => {
    const { front, entries } = await setUp();
    const socket = connect(front.local.port, '127.0.0.1');
    cleanup.defer(() => socket.destroy());
    const lines = [`Host: 127.0.0.1:${front.local.port}`, 'Content-Type: application/json', 'Content-Length: 12'];
    socket.write(rawLines('POST /sessions/known/write HTTP/1.1', lines, '{"data":"x"}'));
    await eventually('the write to be done', () => front.sessions.calls.length === 1);
    socket.destroy();
    await eventually('the write to be recorded', async () => (await entries()).length === 1);
  });
});

describe('application log', () => {
  it('takes entries, lists them by filter, and is cleared', async () => {
    const { ipc } = await setUp();
    await ipc.request('DELETE', '/logs');
    for (const [level, message] of [
      ['error', 'one'],
      ['info', 'two'],
      ['info', 'two'],
    ] as const) {
      const body = { level, message, source: 'page', data_json: null, audience: 'user' };
      const answer = await ipc.request('POST', '/logs', { body });
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    const list = async (query: string) => (await ipc.get(`/logs?source=page${query}`)).json() as LogEntry[];
    expect(await list('')).toMatchObject([
      { level: 'error', message: 'one', audience: 'user' },
      { message: 'two', repeat_count: 1 },
    ]);
    expect(await list('&level=error')).toHaveLength(1);
    const [first] = await list('');
    expect(await list(`&after=${first?.id}`)).toMatchObject([{ message: 'two' }]);
    expect((await ipc.request('DELETE', '/logs')).status).toBe(204);
    expect(await list('')).toEqual([]);
  });

  it('has the lines of the server itself', async () => {
    const { front, ipc } = await setUp();
    front.log.log.warn({ session: 's' }, 'a warning of the server');
    const found = (await ipc.get('/logs?level=warn')).json() as LogEntry[];
    expect(found.at(-1)).toMatchObject({ source: 'server', message: 'a warning of the server' });
  });

  it('names the field that is wrong and takes nothing', async () => {
    const { ipc } = await setUp();
    await ipc.request('DELETE', '/logs');
    const good = { level: 'info', source: 'page', message: 'x' };
    const bad = [
      [{ ...good, level: 'loud' }, 'level'],
      [{ ...good, source: '' }, 'source'],
      [{ ...good, source: 'x'.repeat(LIMITS.logSource + 1) }, 'source'],
      [{ ...good, message: 7 }, 'message'],
      [{ ...good, message: 'x'.repeat(LIMITS.logMessage + 1) }, 'message'],
      [{ ...good, data_json: { a: 1 } }, 'data_json'],
      [{ ...good, audience: 'all' }, 'audience'],
      [{}, 'level'],
    ] as const;
    for (const [body, field] of bad) {
      const answer = await ipc.request('POST', '/logs', { body });
      expect([field, answer.status]).toEqual([field, 400]);
      expect((answer.json() as { error: string }).error).toContain(`${field}:`);
    }
    for (const query of ['limit=-1', 'limit=x', 'level=loud', 'after=-1']) {
      expect([query, (await ipc.get(`/logs?${query}`)).status]).toEqual([query, 400]);
    }
    for (const query of ['limit=0', 'limit=10001', 'since=yesterday']) {
      expect([query, (await ipc.get(`/logs/access?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await ipc.get('/logs?source=page')).json()).toEqual([]);
  });
});
