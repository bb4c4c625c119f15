/** What is asked of one workspace window: `debug invoke_js` and its seat (mcp.md DBG-1; http.md 6.1). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type EventClient, openEvents } from '../../../test/kit/event-client.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { startFront, type TestFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES, LIMITS, type LogEntry } from '../../contract/index.ts';

const cleanup = cleanupAfterEach();

async function setUp() {
  const clock = new ManualClock();
  const front = await startFront(cleanup, { clock, settings: { disabled_native_tools: [] } });
  return { clock, front, api: new ApiClient(front.ipc) };
}

interface TestWindow {
  id: string;
  events: EventClient;
  /** Speaks as this window does. */
  api: ApiClient;
}

async function openWindow(front: TestFront, options: { isLoggedIn?: boolean; id?: string } = {}): Promise<TestWindow> {
  const { isLoggedIn = true, id = randomUUID() } = options;
  const headers: Record<string, string> = isLoggedIn ? { cookie: front.cookie, origin: front.origin } : {};
  const events = await openEvents(front.local, { headers, query: { client_id: id, client: 'workspace' } });
  cleanup.defer(() => events.cut());
  return { id, events, api: new ApiClient(front.local, { ...headers, 'x-tuic-client': id }) };
}

async function invoke(api: ApiClient, script: string, headers: Record<string, string> = {}) {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'debug', arguments: { action: 'invoke_js', script } },
  };
  const { result } = (await api.request('POST', '/mcp', { body, headers })).json() as {
    result: { isError: boolean; content: { text: string }[] };
  };
  return { isError: result.isError, value: JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown> };
}

const asked = async (window: TestWindow) => {
  const { data } = await window.events.event('debug-invoke-js');
  return data as { request_id: string; client_id: string; script: string };
};
const logged = async (api: ApiClient) => (await api.ok('GET', '/logs?source=eval_js')) as LogEntry[];

describe('debug invoke_js', () => {
  it('DBG-1: runs in the workspace that was looked at last; answer and log carry its client_id', async () => {
    const { clock, front, api } = await setUp();
    const [first, second] = [await openWindow(front), await openWindow(front)];
    await second.api.ok('POST', `/ui/clients/${second.id}`, { focused: true });
    clock.advance(1);
    await first.api.ok('POST', `/ui/clients/${first.id}`, { focused: true });

    const calling = invoke(api, 'document.title');
    const request = await asked(first);
    expect(request).toMatchObject({ client_id: first.id, script: 'document.title' });
    const path = `/debug/scripts/${request.request_id}`;
    const module = await first.api.get(path);
    expect([module.status, module.headers['content-type'], module.headers['cross-origin-resource-policy']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'same-origin',
    ]);
    expect(module.text).toBe('export default async () => (\ndocument.title\n);\n');
    // Only the window that was asked answers, and only once.
    expect((await second.api.post(path, { result: 'forged' })).status).toBe(404);
    expect((await api.post(path, { result: 'forged' })).status).toBe(404);
    expect(await first.api.ok('POST', path, { result: 'Mine' })).toEqual({ ok: true });
    expect((await first.api.post(path, { result: 'Mine' })).status).toBe(404);
    expect((await first.api.get(path)).status).toBe(404);

    const { isError, value } = await calling;
    expect([isError, value]).toEqual([
      false,
      {
        ok: true,
        result: 'Mine',
        client_id: first.id,
        request_id: request.request_id,
        hint: expect.stringContaining('eval_js'),
      },
    ]);
    const [entry] = await logged(api);
    expect(entry).toMatchObject({ level: 'info', source: 'eval_js', message: '"Mine"' });
    expect(JSON.parse(entry?.data_json ?? '')).toEqual({
      client_id: first.id,
      request_id: request.request_id,
      script: 'document.title',
    });
    expect(second.events.named('debug-invoke-js')).toEqual([]);
  });

  it('DBG-1: is told to that window alone, whoever listens, also to one that claims its id or comes later', async () => {
    const { front, api } = await setUp();
    const window = await openWindow(front);
    const others = [
      await openEvents(front.local),
      await openEvents(front.ipc, { query: { client_id: randomUUID(), client: 'workspace' } }),
    ];
    for (const other of others) cleanup.defer(() => other.cut());
    const calling = invoke(api, '1');
    const { request_id } = await asked(window);
    // The ring still has it.
    const replay = await openEvents(front.ipc, {
      lastEventId: 'b00t-0',
      query: { client_id: window.id, client: 'workspace' },
    });
    cleanup.defer(() => replay.cut());
    await window.api.ok('POST', `/debug/scripts/${request_id}`, { error: 'Error: x' });
    expect(await calling).toEqual({ isError: true, value: { error: 'Error: x', client_id: window.id, request_id } });
    expect(await logged(api)).toMatchObject([{ level: 'error', message: 'Error: x' }]);
    front.bus.publish({ name: 'peer-unregistered', data: { tuic_session: 'end' } });
    for (const other of [...others, replay]) {
      await other.event('peer-unregistered');
      expect(other.named('debug-invoke-js')).toEqual([]);
    }
  });

  it('DBG-1: without a workspace it fails at once; a script that says it is one is none', async () => {
    const { front, api } = await setUp();
    await openWindow(front, { isLoggedIn: false });
    const { isError, value } = await invoke(api, '1');
    expect([isError, value.error]).toEqual([true, expect.stringContaining('No workspace is open')]);
    const answer = await api.post('/debug/invoke_js', { script: '1' });
    expect([answer.status, answer.json()]).toEqual([409, expect.objectContaining({ code: 'window_missing' })]);
  });

  it('DBG-1: ends in time when the window is silent, and when it closes', async () => {
    const { clock, front, api } = await setUp();
    const window = await openWindow(front);
    const silent = api.post('/debug/invoke_js', { script: '1' });
    const { request_id } = await asked(window);
    clock.advance(DEADLINES.windowScript);
    expect([(await silent).status, (await silent).text]).toEqual([504, expect.stringContaining('none within 8 s')]);
    for (const answer of [
      await window.api.get(`/debug/scripts/${request_id}`),
      await window.api.post(`/debug/scripts/${request_id}`, { result: 1 }),
    ]) {
      expect(answer.status).toBe(404);
    }
    const cut = api.post('/debug/invoke_js', { script: '2' });
    await window.events.until('the second', () => window.events.named('debug-invoke-js').length === 2);
    window.events.cut();
    expect((await cut).text).toContain('it was closed');
    expect(await logged(api)).toHaveLength(2);
  });

  it('refuses what is no script before any window hears of it, and answers that are no answer', async () => {
    const { front, api } = await setUp();
    const window = await openWindow(front);
    for (const script of ['', '  ', '1 +', 7, 'x'.repeat(LIMITS.windowScript + 1)]) {
      const { status } = await api.post('/debug/invoke_js', { script });
      expect([String(script).slice(0, 9), status]).toEqual([String(script).slice(0, 9), 400]);
    }
    expect(window.events.named('debug-invoke-js')).toEqual([]);
    const calling = api.post('/debug/invoke_js', { script: '1' });
    const path = `/debug/scripts/${(await asked(window)).request_id}`;
    for (const body of [{}, { error: 1 }, { result: 'x'.repeat(LIMITS.windowResult) }]) {
      expect((await window.api.post(path, body)).status).toBe(400);
    }
    await window.api.ok('POST', path, { result: null });
    expect((await calling).json()).toMatchObject({ ok: true, result: null });
  });

  it('is for callers on this machine: the remote listener has neither the route nor the action', async () => {
    const { front, api } = await setUp();
    const window = await openWindow(front);
    const remote = new ApiClient(front.remote, { cookie: front.remoteCookie, origin: front.remoteOrigin });
    expect((await remote.post('/debug/invoke_js', { script: '1' })).status).toBe(404);
    const { isError, value } = await invoke(remote, '1');
    expect([isError, value.error]).toEqual([true, expect.stringContaining('on the machine of the server only')]);
    await eventually(
      'the window to be there',
      async () => ((await api.ok('GET', '/ui/clients')) as unknown[]).length === 1,
    );
    expect(window.events.named('debug-invoke-js')).toEqual([]);
  });
});
