/** What is asked of one workspace window: `debug invoke_js`, `ui screenshot` and their seats (mcp.md DBG-1, UI-5; http.md 6.1). */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
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

async function call(api: ApiClient, name: string, input: object) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  const { result } = (await api.request('POST', '/mcp', { body })).json() as {
    result: { isError: boolean; content: { text: string }[] };
  };
  return { isError: result.isError, value: JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown> };
}
const invoke = (api: ApiClient, script: string) => call(api, 'debug', { action: 'invoke_js', script });
const picture = (api: ApiClient, id: unknown) => call(api, 'ui', { action: 'screenshot', id });

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

const WEBP = Buffer.from('RIFF\x04\x00\x00\x00WEBPVP8 ', 'latin1');
const send = (api: ApiClient, path: string, rawBody: Uint8Array, type = 'image/webp') =>
  api.request('POST', path, { rawBody, headers: { 'content-type': type } });

async function askedPicture(window: TestWindow, count = 1) {
  const event = await window.events.until('a request', () => window.events.named('ui-screenshot')[count - 1]);
  const data = event.data as { request_id: string; client_id: string; id: string };
  return { ...data, path: `/ui/screenshots/${data.request_id}` };
}

describe('ui screenshot', () => {
  it('UI-5: the window that is asked uploads it, once, and the call has the file', async () => {
    const { front, api } = await setUp();
    const [other, window] = [await openWindow(front), await openWindow(front)];
    const calling = picture(api, 'known');
    const request = await askedPicture(window);
    expect([request.client_id, request.id]).toEqual([window.id, front.sessions.resolve('known')]);
    expect((await send(other.api, request.path, WEBP)).status).toBe(404);
    expect((await send(window.api, request.path, WEBP)).json()).toEqual({ ok: true });
    expect((await send(window.api, request.path, WEBP)).status).toBe(404);
    const { isError, value } = await calling;
    expect([isError, value]).toEqual([
      false,
      { ok: true, path: expect.any(String), size_bytes: WEBP.length, client_id: window.id },
    ]);
    expect(await readFile(String(value.path))).toEqual(WEBP);
    expect(String(value.path)).toContain(`${front.configDirectory}/screenshots/`);
    expect(other.events.named('ui-screenshot')).toEqual([]);
  });

  it('UI-5: no window, one that refuses, one that is silent and one that goes: an error each, and nothing stays open', async () => {
    const { clock, front, api } = await setUp();
    expect((await picture(api, 'known')).value.error).toContain('No workspace is open');
    const window = await openWindow(front);
    const refused = picture(api, 'panel-7');
    const first = await askedPicture(window);
    expect(first.id).toBe('panel-7');
    await window.api.ok('POST', first.path, { error: 'it is not open in this workspace' });
    expect(await refused).toEqual({
      isError: true,
      value: { error: 'No picture: it is not open in this workspace' },
    });
    const silent = picture(api, 'known');
    const second = await askedPicture(window, 2);
    clock.advance(DEADLINES.windowPicture);
    expect((await silent).value.error).toContain('none within 15 s');
    const left = picture(api, 'known');
    const third = await askedPicture(window, 3);
    window.events.cut();
    expect((await left).value.error).toContain('it was closed');
    for (const { path } of [first, second, third]) expect((await send(window.api, path, WEBP)).status).toBe(404);
  });

  it('UI-5: what is no picture, or too large, is refused and settles nothing; no other route takes a picture', async () => {
    const { front, api } = await setUp();
    const window = await openWindow(front);
    const calling = picture(api, 'known');
    const { path } = await askedPicture(window);
    const large = Buffer.concat([WEBP, Buffer.alloc(LIMITS.windowPicture)]);
    for (const [bytes, type, status] of [
      [Buffer.from('<svg/>'), 'image/svg+xml', 400],
      [Buffer.from('<html>'), 'image/png', 400],
      [WEBP, 'image/png', 400],
      [WEBP, 'application/octet-stream', 400],
      [large, 'image/webp', 413],
    ] as const) {
      expect([type, (await send(window.api, path, bytes, type)).status]).toEqual([type, status]);
    }
    expect((await window.api.post(path, {})).status).toBe(400);
    expect((await send(api, '/sessions', WEBP)).status).toBe(400);
    await send(window.api, path, WEBP);
    expect((await calling).isError).toBe(false);
    for (const id of ['', 7, undefined]) expect((await picture(api, id)).isError).toBe(true);
  });

  it('is for callers on this machine, and goes with the tool when the person switches it off', async () => {
    const { front, api } = await setUp();
    const window = await openWindow(front);
    const remote = new ApiClient(front.remote, { cookie: front.remoteCookie, origin: front.remoteOrigin });
    expect((await picture(remote, 'known')).value.error).toContain('on the machine of the server only');
    await front.config.save({ disabled_native_tools: ['ui'] });
    expect((await picture(api, 'known')).value.error).toContain('switched off');
    expect(window.events.named('ui-screenshot')).toEqual([]);
  });
});
