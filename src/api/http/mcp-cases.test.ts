/** What went wrong elsewhere between MCP clients and servers, at our endpoint: cancelled calls, foreign sessions, streams that are cut. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { openEvents } from '../../../test/kit/event-client.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { startFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { sendRequest } from '../../../test/kit/open-response.ts';
import { DEADLINES } from '../../contract/index.ts';

const REVISION = '2026-07-28';
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const cleanup = cleanupAfterEach();
afterEach(() => void vi.useRealTimers());

async function setUp() {
  const clock = new ManualClock();
  const front = await startFront(cleanup, { clock });
  const api = new ApiClient(front.ipc);
  const post = (message: object, headers: Record<string, string> = {}) =>
    api.request('POST', '/mcp', { body: { jsonrpc: '2.0', ...message }, headers });
  const questions = async () => (await api.ok('GET', '/ui/confirms')) as { title: string }[];
  return {
    clock,
    front,
    api,
    post,
    questions,
    ask: (id: string | number, session: string) =>
      post({ id, ...call('ui', { action: 'confirm', title: String(id) }) }, { 'mcp-session-id': session }),
    cancel: (requestId: unknown, headers: Record<string, string>) =>
      post({ method: 'notifications/cancelled', params: { requestId } }, headers),
    waiting: (count: number) =>
      eventually(`${count} questions`, async () => (await questions()).length === count || undefined),
    stream: (session: string) =>
      sendRequest(cleanup, front.ipc, { method: 'GET', path: '/mcp', headers: { 'mcp-session-id': session } }).answered,
  };
}

const call = (name: string, input: object) => ({ method: 'tools/call', params: { name, arguments: input } });

function modern(method: string, params: object, name?: string) {
  return {
    body: { jsonrpc: '2.0', id: 'm', method, params: { ...params, _meta: CLAIM } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    },
  };
}

describe('M18: notifications/cancelled', () => {
  it('ends a question that waits: no response but 202, gone from the list, told to every window', async () => {
    const { front, ask, cancel, waiting, questions } = await setUp();
    const window = await openEvents(front.local);
    cleanup.defer(() => window.cut());
    const asked = ask('c-1', 's');
    await waiting(1);
    const taken = await cancel('c-1', { 'mcp-session-id': 's' });
    expect([taken.status, taken.text]).toEqual([202, '']);
    const ended = await asked;
    expect([ended.status, ended.text, ended.headers['content-length']]).toEqual([202, '', '0']);
    await window.event('mcp-confirm-resolved', (data) => data.confirmed === false);
    expect(await questions()).toEqual([]);
  });

  it('finds its call by session and by the type of the id; unknown ones and a second time change nothing', async () => {
    const { api, ask, cancel, waiting, questions } = await setUp();
    const asked = [ask(1, 's'), ask('1', 's'), ask(1, 't')];
    await waiting(3);
    const own = { 'mcp-session-id': 's' };
    const statuses = [];
    for (const [id, headers] of [
      [1, {}],
      [1, { 'mcp-session-id': 'stranger' }],
      [2, own],
      [null, own],
      [undefined, own],
      ['1', own],
      ['1', own],
    ] as const) {
      statuses.push((await cancel(id, headers)).status);
    }
    expect(statuses).toEqual(statuses.map(() => 202));
    expect((await asked[1])?.status).toBe(202);
    const left = (await questions()) as unknown as { request_id: string }[];
    expect(left).toHaveLength(2);
    for (const { request_id } of left) await api.ok('POST', `/ui/confirms/${request_id}`, { confirmed: true });
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 202, 200]);
  });

  it('does not wait for what cannot be given up: a close that has begun goes on alone, and the session is served', async () => {
    const { front, post, cancel } = await setUp();
    let finish = () => {};
    let hasFinished = false;
    const begun = new Promise<void>((resolve) => {
      front.sessions.close = async () => {
        resolve();
        await new Promise<void>((done) => {
          finish = done;
        });
        hasFinished = true;
      };
    });
    const own = { 'mcp-session-id': 's' };
    const closing = post({ id: 5, ...call('session', { action: 'close', session_id: 'known' }) }, own);
    await begun;
    await cancel(5, own);
    expect([(await closing).status, hasFinished]).toEqual([202, false]);
    finish();
    expect((await post({ id: 5, method: 'ping' }, own)).json()).toMatchObject({ id: 5, result: {} });
    expect(hasFinished).toBe(true);
  });

  it('of the modern revision is the end of the exchange, and its notification is taken and does nothing', async () => {
    const { front, post, waiting, questions } = await setUp();
    const outline = modern('tools/call', { name: 'ui', arguments: { action: 'confirm', title: 'm' } }, 'ui');
    const asked = sendRequest(cleanup, front.ipc, { method: 'POST', path: '/mcp', ...outline });
    await waiting(1);
    const { headers, body } = modern('notifications/cancelled', { requestId: 'm' });
    const { id: _, ...notification } = body;
    expect((await post(notification, headers)).status).toBe(202);
    expect(await questions()).toHaveLength(1);
    asked.close();
    await waiting(0);
  });
});

describe('M04: a session id that nobody knows here', () => {
  it('POST and GET take it up, DELETE answers 404: only who ends a session needs one that is held', async () => {
    const { api, post, stream } = await setUp();
    const foreign = 'aaaaaaaa-2222-4333-8444-555555555555';
    const headers = { 'mcp-session-id': foreign };
    const end = async () => (await api.request('DELETE', '/mcp', { headers })).status;
    expect(await end()).toBe(404);
    const answer = await post({ id: 1, ...call('session', { action: 'list' }) }, headers);
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, foreign]);
    expect([await end(), await end()]).toEqual([200, 404]);
    const open = await stream(foreign);
    expect(open.status).toBe(200);
    expect(await end()).toBe(200);
    await open.ended();
  });
});

describe('M28: shapes', () => {
  it('capabilities are an object with tools, whatever the client says of its own', async () => {
    const { post } = await setUp();
    for (const params of [{}, { capabilities: {} }, { capabilities: null }, { capabilities: { roots: {} } }]) {
      const { result } = (await post({ id: 1, method: 'initialize', params })).json() as { result: object };
      expect(result).toMatchObject({ capabilities: { tools: { listChanged: true } } });
    }
  });

  it('any notification is 202 with an empty body of a declared length', async () => {
    const { post } = await setUp();
    for (const method of ['notifications/initialized', 'notifications/progress', 'notifications/no-such']) {
      const { status, text, headers } = await post({ method });
      expect([method, status, text, headers['content-length']]).toEqual([method, 202, '', '0']);
    }
  });
});

describe('M29: streams on which nothing happens', () => {
  it('GET has a comment every 15 s, outlives the limit of a request, and a second one is never refused', async () => {
    const { clock, stream } = await setUp();
    const silent = await stream('s');
    await silent.seen(': open');
    clock.advance(DEADLINES.eventKeepAlive - 1);
    clock.advance(1);
    await silent.seen(': ping');
    clock.advance(DEADLINES.request + DEADLINES.eventKeepAlive);
    const second = await stream('s');
    expect(second.status).toBe(200);
    await second.seen(': open');
    clock.advance(DEADLINES.eventKeepAlive);
    await second.seen(': ping');
    second.close();
    silent.close();
  });

  it('a stream of the modern revision has its comments as well', async () => {
    const { front } = await setUp();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const outline = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const open = await sendRequest(cleanup, front.ipc, { method: 'POST', path: '/mcp', ...outline }).answered;
    await open.seen('acknowledged');
    expect(open.text).not.toContain(': keepalive');
    vi.advanceTimersByTime(DEADLINES.eventKeepAlive);
    await open.seen(': keepalive');
    open.close();
  });
});

describe('M30: the stream of a call that is cut', () => {
  it('takes nothing from the session: what was done is done, and the same question has its answer again', async () => {
    const { front, post } = await setUp();
    let finish = () => {};
    const begun = new Promise<void>((resolve) => {
      front.sessions.answerOutput = async () => {
        resolve();
        await new Promise<void>((done) => {
          finish = done;
        });
        return { data: 'kept', data_length: 4, total_written: 4 };
      };
    });
    const headers = { 'mcp-session-id': 's' };
    const message = { id: 1, ...call('session', { action: 'output', session_id: 'known', format: 'raw' }) };
    const cut = sendRequest(cleanup, front.ipc, {
      method: 'POST',
      path: '/mcp',
      headers,
      body: { jsonrpc: '2.0', ...message },
    });
    await begun;
    cut.close();
    finish();
    front.sessions.answerOutput = async () => ({ data: 'kept', data_length: 4, total_written: 4 });
    const again = await post(message, headers);
    expect([again.status, again.headers['mcp-session-id']]).toEqual([200, 's']);
    expect(again.text).toContain('kept');
  });
});

describe('M34: which list a client gets', () => {
  it('is the direct one unless somebody asks for less; a small set stays direct under a threshold as well', async () => {
    const { front, post } = await setUp();
    const names = async (client: string) => {
      const answer = await post({
        id: 1,
        method: 'initialize',
        params: { clientInfo: { name: client, version: '1' } },
      });
      const headers = { 'mcp-session-id': String(answer.headers['mcp-session-id']) };
      const { result } = (await post({ id: 2, method: 'tools/list' }, headers)).json() as {
        result: { tools: { name: string }[] };
      };
      return result.tools.map(({ name }) => name);
    };
    const direct = await names('any-client');
    expect(direct).toContain('session');
    await front.config.save({ collapse_auto_threshold_bytes: 1_000_000 });
    expect(await names('any-client')).toEqual(direct);
    await front.config.save({ collapse_auto_threshold_bytes: 1, collapse_clients: { strong: false } });
    expect(await names('any-client')).toEqual(['search_tools', 'get_tool_schema', 'call_tool', 'progress']);
    expect(await names('strong-client')).toEqual(direct);
  });
});
