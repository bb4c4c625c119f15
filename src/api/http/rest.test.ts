/** Every REST row: what it asks of the domain, what it answers, and how it refuses (http.md 1.2-1.4, 3, 7). */
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { startFront } from '../../../test/kit/front.ts';
import { ApiClient, openSocket, rawLines, rawRequest } from '../../../test/kit/http.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { AppError, type PtyHost } from '../../contract/index.ts';

const cleanup = cleanupAfterEach();

describe('monitoring', () => {
  it('answers /health, /stats, /metrics and /api/version', async () => {
    const clock = new ManualClock();
    const front = await startFront(cleanup, { clock });
    const api = new ApiClient(front.local);
    clock.advance(3_900);
    expect(await api.ok('GET', '/health')).toEqual({
      ok: true,
      status: 'ok',
      uptime_secs: 3,
      session_count: 1,
      protocol_version: 1,
      pid: process.pid,
      config_directory: front.configDirectory,
      socket_path: front.ipc.socketPath,
      port: front.local.port,
    });
    expect(await api.ok('GET', '/stats')).toEqual({ active_sessions: 1, max_sessions: 50, available_slots: 49 });
    expect(await api.ok('GET', '/metrics')).toEqual(front.sessions.metrics());
    expect(await api.ok('GET', '/api/version')).toEqual({ version: '0.1.0', git_hash: 'abc' });
  });

  it('reports and stops the pty host', async () => {
    const none = await startFront(cleanup);
    expect(await new ApiClient(none.ipc).ok('GET', '/host')).toEqual({ connected: false });
    expect(await new ApiClient(none.ipc).ok('POST', '/host/stop')).toEqual({ ok: true, was_connected: false });
    let stops = 0;
    const host = {
      hello: { pid: 5, build: 'b', bootId: 'x', protoMin: 1, protoMax: 2 },
      list: async () => [{ exit: undefined }, { exit: { code: 0, signal: null } }],
      shutdown: async () => {
        stops++;
      },
    } as unknown as PtyHost;
    const front = await startFront(cleanup, { host });
    const api = new ApiClient(front.ipc);
    expect(await api.ok('GET', '/host')).toEqual({
      connected: true,
      pid: 5,
      build: 'b',
      boot_id: 'x',
      proto_min: 1,
      proto_max: 2,
      sessions: 2,
      live_sessions: 1,
    });
    expect(await api.ok('POST', '/host/stop')).toEqual({ ok: true, was_connected: true });
    expect(stops).toBe(1);
  });

  it('answers POST /shutdown before it asks for the end', async () => {
    const front = await startFront(cleanup);
    expect(await new ApiClient(front.ipc).ok('POST', '/shutdown')).toEqual({ ok: true, session_count: 1 });
    await new Promise<void>((resolve) => {
      const look = () => (front.shutdowns === 1 ? resolve() : setImmediate(look));
      look();
    });
  });
});

describe('sessions', () => {
  it('hands every input to the domain and answers in the shape of the contract', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const { calls } = front.sessions;
    const ask = async (method: string, path: string, body?: unknown, status = 200) => {
      calls.length = 0;
      return [await api.ok(method, path, body, status), [...calls]];
    };
    const ok = { ok: true };
    const input = { rows: 3, args: ['-l'], env: { A: '1' }, alias: 'ab-1', unknown: 1 };
    const { unknown: _, ...known } = input;
    expect(await ask('POST', '/sessions', input, 201)).toEqual([
      { session_id: 'known', alias: 'ab-1' },
      [['create', known, { isRemote: true }]],
    ]);
    expect(await ask('POST', '/sessions', undefined, 201)).toMatchObject([{}, [['create', {}, { isRemote: true }]]]);
    expect(await ask('GET', '/sessions')).toMatchObject([[{ session_id: 'known' }], []]);
    expect(await ask('GET', '/sessions?lifecycle=all')).toMatchObject([[{}, { session_id: 'ended' }], []]);
    expect(await ask('POST', '/sessions/ab-1/write', { data: 'é\n' })).toEqual([ok, [['write', 'ab-1', 'é\n']]]);
    expect(await ask('POST', '/sessions/known/resize', { rows: 1, cols: 500 })).toEqual([
      ok,
      [['resize', 'known', 1, 500]],
    ]);
    expect(await ask('POST', '/sessions/known/pause')).toEqual([ok, [['pause', 'known']]]);
    expect(await ask('POST', '/sessions/known/resume', {})).toEqual([ok, [['resume', 'known']]]);
    expect(await ask('PUT', '/sessions/known/name', { name: null })).toEqual([ok, [['rename', 'known', null]]]);
    expect(await ask('DELETE', '/sessions/known')).toEqual([ok, [['close', 'known']]]);
    expect(await ask('DELETE', '/sessions/known?mode=kill')).toEqual([ok, [['kill', 'known']]]);
    expect(await ask('GET', '/sessions/known/output?format=log&limit=5&offset=7')).toEqual([
      { data: '', data_length: 0, total_written: 0 },
      [['output', 'known', { format: 'log', limit: 5, offset: 7 }]],
    ]);
    expect(await ask('GET', '/sessions/ended/output')).toMatchObject([{}, [['output', 'ended', { format: 'raw' }]]]);
    expect(await ask('GET', '/sessions/known/shell-family')).toEqual(['posix', []]);
    expect(await ask('GET', '/sessions/nobody/shell-family')).toEqual([null, []]);
    expect(await ask('GET', '/sessions/known/foreground')).toMatchObject([{ agent: null }, [{}]]);
    front.processes.commands.set(42, ['node', '/usr/bin/codex']);
    expect(await ask('GET', '/sessions/known/foreground')).toMatchObject([{ agent: 'codex' }, [{}]]);
    expect(await ask('GET', '/sessions/known/has-foreground')).toMatchObject([{ process: 'vim' }, [{}]]);
    expect(await ask('GET', '/sessions/known/leaf-pid')).toMatchObject([{ pid: 42 }, [{}]]);
    const ring = await api.get('/sessions/known/raw-ring');
    expect([ring.headers['content-type'], [...ring.body]]).toEqual(['application/octet-stream', [0, 1, 254, 255]]);
  });

  it('answers 404 for an unknown session on every route that names one', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const long = 'x'.repeat(300);
    for (const id of ['nobody', '%2e%2e', long, '%00', '__proto__']) {
      for (const [method, path, body] of [
        ['DELETE', '', undefined],
        ['POST', '/write', { data: '' }],
        ['POST', '/resize', { rows: 1, cols: 1 }],
        ['POST', '/pause', undefined],
        ['POST', '/resume', undefined],
        ['PUT', '/name', { name: 'x' }],
        ['GET', '/output', undefined],
        ['GET', '/foreground', undefined],
        ['GET', '/has-foreground', undefined],
        ['GET', '/leaf-pid', undefined],
        ['GET', '/raw-ring', undefined],
      ] as const) {
        const answer = await api.request(method, `/sessions/${id}${path}`, { body });
        expect([method, path, answer.status, answer.json()]).toEqual([
          method,
          path,
          404,
          { error: 'Session not found', code: 'session_not_found' },
        ]);
      }
    }
  });

  it('names the field that is wrong, and does nothing', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const cases = [
      ['POST', '/sessions', { rows: '24' }, 'rows'],
      ['POST', '/sessions', { rows: 1.5 }, 'rows'],
      ['POST', '/sessions', { env: { A: 1 } }, 'env.A'],
      ['POST', '/sessions', { args: 'ls' }, 'args'],
      ['POST', '/sessions/known/write', {}, 'data'],
      ['POST', '/sessions/known/write', { data: 5 }, 'data'],
      ['POST', '/sessions/known/resize', { rows: 5 }, 'cols'],
      ['PUT', '/sessions/known/name', {}, 'name'],
      ['GET', '/sessions/known/output?format=html', undefined, 'format'],
      ['GET', '/sessions/known/output?limit=-1', undefined, 'limit'],
      ['GET', '/sessions/known/output?limit=1&limit=2', undefined, 'limit'],
      ['DELETE', '/sessions/known?mode=maybe', undefined, 'mode'],
      ['POST', '/login/ticket', { purpose: 'all' }, 'purpose'],
      ['POST', '/ui/clients/x', { focused: 1 }, 'focused'],
      ['GET', '/events?client_id=5', undefined, 'client_id'],
    ] as const;
    for (const [method, path, body, field] of cases) {
      const answer = await api.request(method, path, { body });
      expect([path, answer.status]).toEqual([path, 400]);
      expect((answer.json() as { error: string }).error).toContain(`${field}: `);
    }
    expect(front.sessions.calls).toEqual([]);
    const size = await api.post('/sessions/known/resize', { rows: 501, cols: 1 });
    expect([size.status, size.json()]).toEqual([
      400,
      { error: 'rows must be between 1 and 500, got 501', code: 'size_out_of_range' },
    ]);
  });

  it('refuses bodies that are no JSON object in UTF-8', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const write = (rawBody: string | Uint8Array, type = 'application/json') =>
      api.request('POST', '/sessions/known/write', { rawBody, headers: { 'content-type': type } });
    for (const body of ['{', '[]', '"x"', 'null', '{"data":"x"}}', Buffer.from([0x7b, 0xff, 0x7d])]) {
      expect((await write(body)).status).toBe(400);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expect((await write('{"data":"x"}', type)).status).toBe(400);
    }
    expect(front.sessions.calls).toEqual([]);
    expect((await write('{"data":"x"}', 'application/json; charset=utf-8')).status).toBe(200);
    expect((await write('{"id":"gone","data":"x","__proto__":{"data":"y"}}')).status).toBe(200);
    expect(front.sessions.calls).toEqual([
      ['write', 'known', 'x'],
      ['write', 'known', 'x'],
    ]);
    expect(
      (await api.request('POST', '/sessions/known/pause', { rawBody: '', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(200);
  });

  it('takes exactly 2 MiB, and refuses one byte more however it is sent', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const around = '{"data":""}'.length;
    const body = (size: number) => `{"data":"${'x'.repeat(size - around)}"}`;
    expect((await api.request('POST', '/sessions/known/write', { rawBody: body(2_097_152) })).status).toBe(200);
    const refused = await api.request('POST', '/sessions/known/write', { rawBody: body(2_097_153) });
    expect([refused.status, refused.json()]).toEqual([
      413,
      { error: 'Request body is larger than 2 MiB', code: 'body_too_large' },
    ]);
    const socket = await openSocket(front.local);
    cleanup.defer(() => socket.destroy());
    const answer = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (part: Buffer) => {
        text += part.toString('latin1');
        if (text.includes('\r\n\r\n')) resolve(text);
      });
    });
    // The server may close while we still send.
    socket.on('error', () => {});
    const host = `Host: 127.0.0.1:${front.local.port}`;
    const headers = [host, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    socket.write(rawLines('POST /sessions/known/write HTTP/1.1', headers));
    const part = 'x'.repeat(65_536);
    for (let sent = 0; sent < 40; sent++) socket.write(`10000\r\n${part}\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(front.sessions.calls).toHaveLength(1);
  });

  it('maps every refusal of the domain to its row of the table, and a fault to 500 without its text', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const answerOf = async (error: Error) => {
      front.sessions.answerOutput = async () => {
        throw error;
      };
      const answer = await api.get('/sessions/known/output');
      return [answer.status, answer.json()];
    };
    expect(await answerOf(new AppError('session_limit'))).toEqual([
      429,
      { error: 'Max concurrent sessions reached', code: 'session_limit' },
    ]);
    expect((await answerOf(new AppError('host_unavailable', { detail: 'x' })))[0]).toBe(503);
    expect((await answerOf(new AppError('session_not_live', { lifecycle: 'lost' })))[0]).toBe(409);
    expect(await answerOf(new Error('secret detail'))).toEqual([
      500,
      { error: 'Internal error. See the log', code: 'internal' },
    ]);
    expect(front.log.recent().join('\n')).toContain('secret detail');
  });
});

describe('deadline', () => {
  it('answers 408 after 301 s, tells the handler, and ignores what it does later', async () => {
    const clock = new ManualClock();
    const front = await startFront(cleanup, { clock });
    let finish: (error: Error) => void = () => {};
    const started = new Promise<void>((resolve) => {
      front.sessions.answerOutput = () => {
        resolve();
        return new Promise((_, reject) => {
          finish = reject;
        });
      };
    });
    const answer = new ApiClient(front.local).get('/sessions/known/output');
    await started;
    clock.advance(300_999);
    clock.advance(1);
    expect((await answer).status).toBe(408);
    expect((await answer).json()).toMatchObject({ code: 'request_timeout' });
    finish(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(front.log.recent().join('\n')).toContain('failed after its deadline');
  });

  it('covers a body that never ends', async () => {
    const clock = new ManualClock();
    const front = await startFront(cleanup, { clock });
    const before = clock.pendingTimers;
    const headers = [`Host: 127.0.0.1:${front.local.port}`, 'Content-Type: application/json', 'Content-Length: 10'];
    const answer = rawRequest(front.local, rawLines('POST /sessions/known/write HTTP/1.1', headers, '{'));
    await clock.timerArmed(301_000);
    expect(clock.pendingTimers).toBe(before + 1);
    // The credential is looked up before the body is awaited; the deadline holds for both.
    await clock.advanceAsync(301_000);
    expect((await answer).status).toBe(408);
    expect(front.sessions.calls).toEqual([]);
  });

  it('leaves no timer behind, whatever the answer was', async () => {
    const clock = new ManualClock();
    const front = await startFront(cleanup, { clock });
    const api = new ApiClient(front.local);
    for (const [method, path] of [
      ['GET', '/health'],
      ['POST', '/sessions/nobody/write'],
      ['GET', '/nothing'],
      ['POST', '/nothing'],
      ['GET', '/login?ticket=x'],
    ] as const) {
      await api.request(method, path);
    }
    const socket = connect(front.local.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const host = `Host: 127.0.0.1:${front.local.port}`;
    socket.write(rawLines('POST /sessions/known/write HTTP/1.1', [host, 'Content-Length: 5']));
    await clock.timerArmed();
    socket.destroy();
    await eventually('every timer to go', async () => {
      // What the log of writes gathers is written when somebody reads it.
      await front.accessLog.read({ limit: 1 });
      return clock.pendingTimers === 0;
    });
  });
});

describe('compression', () => {
  const sized = (length: number) => ({ data: 'x'.repeat(length), data_length: length, total_written: length });

  it('compresses bodies over 860 bytes as negotiated, and no others', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const ask = async (bodyLength: number, encoding?: string) => {
      const empty = JSON.stringify(sized(0)).length;
      // total_written and data_length add their digits.
      front.sessions.answerOutput = async () => {
        const length = bodyLength - empty - 2 * (String(bodyLength).length - 1);
        return sized(length);
      };
      return api.get('/sessions/known/output', {
        headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
      });
    };
    const small = await ask(860, 'gzip, br');
    expect([small.body.length, small.headers['content-encoding']]).toEqual([860, undefined]);
    const large = await ask(861, 'gzip');
    expect([gunzipSync(large.body).length, large.headers['content-encoding']]).toEqual([861, 'gzip']);
    expect(large.headers.vary).toMatch(/accept-encoding/i);
    const brotli = await ask(5_000, 'gzip, br');
    expect([brotliDecompressSync(brotli.body).length, brotli.headers['content-encoding']]).toEqual([5_000, 'br']);
    for (const encoding of [undefined, 'identity', 'deflate']) {
      expect((await ask(5_000, encoding)).headers['content-encoding']).toBeUndefined();
    }
    expect(
      (await api.get('/sessions/known/raw-ring', { headers: { 'accept-encoding': 'br' } })).headers['content-encoding'],
    ).toBeUndefined();
  });
});

describe('login and clients', () => {
  it('issues a login link for the local listener and stream tickets', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.ipc);
    const login = (await api.ok('POST', '/login/ticket')) as { ticket: string; url: string; expires_in_secs: number };
    expect(login).toEqual({
      ticket: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      url: `${front.origin}/login?ticket=${login.ticket}`,
      expires_in_secs: 60,
    });
    const answer = await new ApiClient(front.local).get(login.url.slice(front.origin.length));
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    const stream = (await api.ok('POST', '/login/ticket', { purpose: 'stream' })) as object;
    expect(Object.keys(stream).sort()).toEqual(['expires_in_secs', 'ticket']);
    expect(front.log.recent().join('\n')).not.toContain(login.ticket);
  });

  it('knows no focus of a client that is not subscribed', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    expect(await api.ok('GET', '/ui/clients')).toEqual([]);
    expect((await api.post('/ui/clients/nobody', { focused: true })).status).toBe(404);
  });
});

describe('disconnect', () => {
  it('X01: ends who was there when it was asked for; who comes while it waits is answered', async () => {
    const front = await startFront(cleanup);
    const answers: (() => void)[] = [];
    const answered = { data: 'x', data_length: 1, total_written: 1 };
    front.sessions.answerOutput = () => new Promise((resolve) => answers.push(() => resolve(answered)));
    const api = new ApiClient(front.local);
    const ask = () => api.request('GET', '/sessions/known/output');
    const asked = (count: number) => expect.poll(() => answers.length).toBe(count);
    const idle = await openSocket(front.local);
    cleanup.defer(() => idle.destroy());
    const isCut = new Promise((resolve) => idle.once('close', resolve));
    const before = ask();
    await asked(1);
    const ended = front.fronts[1]?.disconnect();
    const meanwhile = ask();
    await asked(2);
    answers[0]?.();
    expect((await before).status).toBe(200);
    await ended;
    await isCut;
    answers[1]?.();
    expect((await meanwhile).status).toBe(200);
  });
});
