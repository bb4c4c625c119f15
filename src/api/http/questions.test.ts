/** `ui confirm` and `ui toast` over MCP, and the seat where a person answers (mcp.md UI-3, UI-4, UI-6; http.md 6.1). */
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type EventClient, openEvents } from '../../../test/kit/event-client.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { startFront, type TestFront } from '../../../test/kit/front.ts';
import { ApiClient, openSocket } from '../../../test/kit/http.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES, type PendingConfirm } from '../../contract/index.ts';

const cleanup = cleanupAfterEach();

async function setUp() {
  const clock = new ManualClock();
  const front = await startFront(cleanup, { clock });
  return { clock, front, api: new ApiClient(front.ipc) };
}

async function watch(front: TestFront): Promise<EventClient> {
  const client = await openEvents(front.local);
  cleanup.defer(() => client.cut());
  return client;
}

const message = (name: string, input: object, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

async function call(api: ApiClient, name: string, input: object, headers: Record<string, string> = {}) {
  const answer = await api.request('POST', '/mcp', { body: message(name, input), headers });
  const { result } = answer.json() as { result: { isError: boolean; content: { text: string }[] } };
  return {
    status: answer.status,
    isError: result.isError,
    value: JSON.parse(result.content[0]?.text ?? '') as unknown,
  };
}

const listed = async (api: ApiClient) => (await api.ok('GET', '/ui/confirms')) as PendingConfirm[];

/** The question that waits, once it does. */
async function waiting(api: ApiClient, count = 1): Promise<PendingConfirm[]> {
  await eventually('the questions to be listed', async () => (await listed(api)).length === count);
  return listed(api);
}

const ASK = { action: 'confirm', title: 'Drop the table?', message: 'It holds 12 rows.' };

describe('ui confirm', () => {
  it('UI-4: is told to every window, and blocks nothing but its own call until a person answers', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    const asked = call(api, 'ui', ASK);
    const [question] = await waiting(api);
    expect(question).toMatchObject({ kind: 'confirm', title: ASK.title, message: ASK.message });
    await window.event('mcp-confirm', (data) => data.request_id === question?.request_id);
    // TRN-28: meanwhile everybody else is served.
    expect((await call(api, 'session', { action: 'list' })).isError).toBe(false);
    expect((await api.request('POST', '/mcp', { body: { jsonrpc: '2.0', id: 9, method: 'ping' } })).status).toBe(200);
    const path = `/ui/confirms/${question?.request_id}`;
    expect(await api.ok('POST', path, { confirmed: true })).toEqual({ ok: true });
    expect(await asked).toEqual({ status: 200, isError: false, value: { confirmed: true } });
    await window.event('mcp-confirm-resolved', (data) => data.confirmed === true);
    expect((await api.post(path, { confirmed: false })).status).toBe(404);
    expect(await listed(api)).toEqual([]);
  });

  it('UI-6: of two answers to one confirm one wins, and the call has that one', async () => {
    const { api } = await setUp();
    const asked = call(api, 'ui', ASK);
    const [question] = await waiting(api);
    const answers = await Promise.all(
      [true, false].map(async (confirmed) => ({
        confirmed,
        status: (await api.post(`/ui/confirms/${question?.request_id}`, { confirmed })).status,
      })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await asked).value).toEqual({ confirmed: answers.find(({ status }) => status === 200)?.confirmed });
  });

  it('W08, TRN-28: left open longer than every timer in between it stays answerable, then ends as "no answer" in its own body and in every client', async () => {
    const { clock, front, api } = await setUp();
    const windows = [await watch(front), await watch(front)];
    const asked = call(api, 'ui', ASK);
    const [question] = await waiting(api);
    clock.advance(DEADLINES.confirm - 1);
    expect(await listed(api)).toEqual([question]);
    clock.advance(1);
    const outcome = { confirmed: false, reason: 'no answer within 300s' };
    expect(await asked).toEqual({ status: 200, isError: false, value: outcome });
    for (const window of windows) {
      await window.event('mcp-confirm-resolved', (data) => data.reason === outcome.reason);
    }
    expect(await listed(api)).toEqual([]);
    // The limit of the request is after it, and has nothing left to cut.
    clock.advance(DEADLINES.request);
    expect((await call(api, 'session', { action: 'list' })).isError).toBe(false);
  });

  it('ends when its caller leaves, and takes the question from every window', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    const body = JSON.stringify(message('ui', ASK));
    const caller = await openSocket(front.ipc);
    caller.write(
      `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await waiting(api);
    caller.destroy();
    await window.event('mcp-confirm-resolved', (data) => data.reason === 'the caller left');
    expect(await listed(api)).toEqual([]);
  });

  it('refuses what is no question, by the name of its field', async () => {
    const { api } = await setUp();
    for (const [input, told] of [
      [{ action: 'confirm' }, 'needs title'],
      [{ action: 'confirm', title: '   ' }, 'title'],
      [{ action: 'confirm', title: 5 }, 'title'],
      [{ action: 'confirm', title: 'x'.repeat(501) }, 'title'],
      [{ action: 'confirm', title: 'x', message: ['y'] }, 'message'],
    ] as const) {
      const { isError, value } = await call(api, 'ui', input);
      expect([isError, (value as { error: string }).error]).toEqual([true, expect.stringContaining(told)]);
    }
    expect(await listed(api)).toEqual([]);
    expect((await api.post('/ui/confirms/x', { confirmed: 'yes' })).status).toBe(400);
    expect((await api.post('/ui/confirms/x', { confirmed: true })).status).toBe(404);
  });

  it('is absent for whoever is not on this machine', async () => {
    const { front, api } = await setUp();
    const remote = new ApiClient(front.remote, { cookie: front.remoteCookie, origin: front.remoteOrigin });
    const { isError, value } = await call(remote, 'ui', ASK);
    expect([isError, value]).toEqual([true, { error: expect.stringContaining('on the machine of the server only') }]);
    expect(await listed(api)).toEqual([]);
  });
});

describe('ui toast', () => {
  it('UI-3: is told once, with the sound its level or its name means', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    const wanted = [
      [{}, { level: 'info', sound: false }],
      [{ sound: true }, { level: 'info', sound: 'info' }],
      [
        { level: 'warn', sound: true },
        { level: 'warn', sound: 'warning' },
      ],
      [
        { level: 'error', sound: true },
        { level: 'error', sound: 'error' },
      ],
      [{ level: 'catastrophe' }, { level: 'error', sound: false }],
      [
        { level: 'error', sound: 'completion' },
        { level: 'error', sound: 'completion' },
      ],
    ] as const;
    for (const [index, [input]] of wanted.entries()) {
      const { value } = await call(api, 'ui', { action: 'toast', title: `n${index}`, ...input });
      expect(value).toEqual({ ok: true });
    }
    await window.event('mcp-toast', (data) => data.title === `n${wanted.length - 1}`);
    expect(window.named('mcp-toast').map(({ data }) => data)).toEqual(
      wanted.map(([, told], index) => ({ title: `n${index}`, message: null, ...told })),
    );
  });

  it('UI-3: an unknown sound is an error, and nothing is shown', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    const { isError, value } = await call(api, 'ui', { action: 'toast', title: 'x', sound: 'trumpet' });
    expect([isError, (value as { error: string }).error]).toEqual([true, expect.stringContaining('attention')]);
    await call(api, 'ui', { action: 'toast', title: 'after it' });
    await window.event('mcp-toast');
    expect(window.named('mcp-toast').map(({ data }) => data.title)).toEqual(['after it']);
  });

  it('UI-3: names the terminal of its caller, and none where the caller has none', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    const identity = '22222222-2222-4333-8444-555555555555';
    front.sessions.identity = identity;
    const [own] = front.sessions.list();
    for (const [title, header] of [
      ['mine', identity],
      ['foreign', '11111111-2222-4333-8444-555555555555'],
    ] as const) {
      await call(api, 'ui', { action: 'toast', title }, { 'x-tuic-session': header, 'mcp-session-id': `of-${title}` });
    }
    await window.event('mcp-toast', (data) => data.title === 'foreign');
    const told = window.named('mcp-toast').map(({ data }) => data);
    expect(told[0]).toMatchObject({ title: 'mine', origin_session_id: own?.session_id });
    expect(told[1]).not.toHaveProperty('origin_session_id');
  });
});
