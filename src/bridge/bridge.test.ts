import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeMcpServer, respond } from '../../test/kit/fake-mcp-server.ts';
import { ManualClock, settle } from '../../test/kit/manual-clock.ts';
import { DEADLINES } from '../contract/index.ts';
import { Bridge } from './bridge.ts';
import { connectToServer } from './endpoint.ts';

const IDENTITY = '3f2b8c1e-0a7d-4e55-9c1d-2f6a8b90c7d1';

/** The limit only turns a hang into a message. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 });

let folder: string;
let server: FakeMcpServer;
let clock: ManualClock;
let bridge: Bridge | undefined;
let out: Record<string, unknown>[];
let logs: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bridge-'));
  server = new FakeMcpServer(join(folder, 'mcp.sock'));
  clock = new ManualClock();
  out = [];
  logs = [];
});

afterEach(async () => {
  await bridge?.close();
  bridge = undefined;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function open(): Bridge {
  bridge = new Bridge({
    version: '1.2.3',
    identity: IDENTITY,
    clock,
    connect: (signal) => connectToServer([server.path], signal),
    write: async (text) => {
      expect(text).not.toMatch(/[\r\n]/);
      out.push(JSON.parse(text) as Record<string, unknown>);
    },
    log: (text) => logs.push(text),
  });
  return bridge;
}

const send = (message: object) => bridge?.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
const answers = (id: unknown) => out.filter((message) => message.id === id && message.method === undefined);
const changes = () => out.filter((message) => message.method === 'notifications/tools/list_changed');
const answered = (id: unknown) => eventually(() => expect(answers(id)).toHaveLength(1));
const INITIALIZE = {
  id: 'init-1',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'some agent', version: '4.5' } },
};
const streaming = () => eventually(() => expect(server.streams.size).toBe(1));

describe('with a server', () => {
  beforeEach(() => server.start());

  it("BRG-3, TRN-6: the client's initialize carries the id that the eager one was given", async () => {
    open();
    send(INITIALIZE);
    await answered('init-1');
    const [eager, own] = server.messages('initialize');
    expect(eager?.headers['mcp-session-id']).toBeUndefined();
    expect(eager?.body.params).toMatchObject({ clientInfo: { name: 'tuic-bridge' } });
    await streaming();
    send({ id: 2, method: 'tools/list' });
    await answered(2);
    expect(server.messages('tools/list')[0]?.headers['mcp-session-id']).toBe(own?.headers['mcp-session-id']);
    expect(own?.headers['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(changes()).toEqual([]);
  });

  it('BRG-4: session, identity, revision and the name of the client go with each request', async () => {
    open();
    send(INITIALIZE);
    send({ id: 2, method: 'tools/list' });
    await answered(2);
    expect(server.messages('tools/list')[0]?.headers).toMatchObject({
      'x-tuic-session': IDENTITY,
      'mcp-protocol-version': '2025-06-18',
      'user-agent': 'tuic-bridge/1.2.3 (someagent/4.5)',
    });
  });

  it('a modern request carries the headers that its revision demands', async () => {
    open();
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    send({ id: 1, method: 'tools/call', params: { name: 'sessión', _meta } });
    await answered(1);
    expect(server.messages('tools/call')[0]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('sessión').toString('base64')}?=`,
    });
  });

  it('M01: an id comes back with its type and value, and the request goes out as it came', async () => {
    open();
    const ids = ['1', 'init-2', 42, 0, '', 2 ** 53];
    for (const id of ids) send({ id, method: 'prompts/list' });
    for (const id of ids) await answered(id);
    expect(out).toHaveLength(ids.length);
    const text = '{"id":"raw",  "jsonrpc":"2.0","method":"x/y","params":{"n":12345678901234567890,"é":"\\u00e9"}}';
    bridge?.receive(text);
    await answered('raw');
    expect(server.messages('x/y')[0]?.text).toBe(text);
  });

  it('BRG-10: a long wait does not hold up another call', async () => {
    let finish = () => {};
    server.replies.set('tools/call', ({ body }, response) => {
      finish = () => respond(response, 200, { jsonrpc: '2.0', id: body.id, result: { met: true } });
    });
    open();
    send({ id: 1, method: 'tools/call', params: { name: 'session', arguments: { action: 'wait' } } });
    send({ id: 2, method: 'tools/list' });
    await answered(2);
    expect(answers(1)).toEqual([]);
    finish();
    await answered(1);
  });

  it('BRG-5: a body that is shorter than declared is an error, not half an answer', async () => {
    server.replies.set('tools/list', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"jsonrpc":"2.0","id":1,"result":{}}');
      setImmediate(() => response.destroy());
    });
    open();
    send({ id: 1, method: 'tools/list' });
    await answered(1);
    expect(answers(1)[0]).toMatchObject({ error: { code: -32000 } });
  });

  it('BRG-5: an answer without a declared length is an error', async () => {
    server.replies.set('tools/list', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":1,"result":{}}');
    });
    open();
    send({ id: 1, method: 'tools/list' });
    await answered(1);
    expect(answers(1)[0]).toMatchObject({ error: { message: expect.stringContaining('declares no length') } });
  });

  it('BRG-5: no connection is left open by 50 requests', async () => {
    open();
    await streaming();
    for (let id = 0; id < 50; id++) send({ id, method: 'tools/list' });
    for (let id = 0; id < 50; id++) await answered(id);
    await eventually(() => expect(server.sockets.size).toBe(1));
  });

  it('TRN-33: messages before the result of a streamed answer go on in order, then the result', async () => {
    server.replies.set('tools/call', ({ body }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const progress of [1, 2, 3]) {
        const params = { progressToken: 'tok', progress };
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`);
      }
      response.write(
        `: comment\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result: { done: true } })}\n\n`,
      );
    });
    open();
    send({ id: 'c', method: 'tools/call', params: { name: 'up__x' } });
    await answered('c');
    expect(out.map((message) => (message.params as { progress: number } | undefined)?.progress ?? message.id)).toEqual([
      1,
      2,
      3,
      'c',
    ]);
  });

  it('BRG-9: notices and requests of the server arrive; the answer of the client goes back', async () => {
    open();
    send(INITIALIZE);
    await answered('init-1');
    await streaming();
    server.push({ jsonrpc: '2.0', method: 'notifications/claude/channel', params: { content: 'mail' } });
    server.push({ jsonrpc: '2.0', id: 's1', method: 'elicitation/create', params: {} });
    await eventually(() => expect(out.map(({ method }) => method)).toContain('elicitation/create'));
    expect(out.map(({ method }) => method)).toContain('notifications/claude/channel');
    send({ id: 's1', result: { action: 'accept' } });
    await eventually(() => expect(server.received.at(-1)?.body).toMatchObject({ id: 's1', result: {} }));
    expect(answers('s1')).toEqual([]);
  });

  it('BRG-6: a call ends after its deadline, and says that it may have acted', async () => {
    server.replies.set('tools/call', () => {});
    open();
    send({ id: 1, method: 'tools/call', params: { name: 'session', arguments: { action: 'list' } } });
    await eventually(() => expect(server.messages('tools/call')).toHaveLength(1));
    await clock.advanceAsync(DEADLINES.bridgeOrdinary);
    await answered(1);
    expect(answers(1)[0]).toMatchObject({ error: { code: -32000, message: expect.stringContaining('within 10 s') } });
  });

  it('a cancelled modern request closes its exchange and is not answered', async () => {
    server.replies.set('subscriptions/listen', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': open\n\n');
    });
    open();
    await streaming();
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    send({ id: 7, method: 'subscriptions/listen', params: { _meta } });
    await eventually(() => expect(server.messages('subscriptions/listen')).toHaveLength(1));
    await eventually(() => expect(server.sockets.size).toBe(2));
    send({ method: 'notifications/cancelled', params: { requestId: 7 } });
    await eventually(() => expect(server.sockets.size).toBe(1));
    expect(answers(7)).toEqual([]);
  });

  it('M18: a cancelled request of a session is told to the server, with its id as it is, and is not answered', async () => {
    server.replies.set('tools/call', () => {});
    open();
    await streaming();
    const params = { name: 'session', arguments: { action: 'list' } };
    for (const id of [7, '7']) send({ id, method: 'tools/call', params });
    await eventually(() => expect(server.messages('tools/call')).toHaveLength(2));
    await eventually(() => expect(server.sockets.size).toBe(3));
    send({ method: 'notifications/cancelled', params: { requestId: '7' } });
    await eventually(() => expect(server.sockets.size).toBe(2));
    expect(server.messages('notifications/cancelled').map(({ body }) => body.params)).toEqual([{ requestId: '7' }]);
    await clock.advanceAsync(DEADLINES.bridgeOrdinary);
    await answered(7);
    expect(answers('7')).toEqual([]);
  });

  it('M18: what is cancelled twice, unknown, or answered already changes nothing', async () => {
    open();
    await streaming();
    send({ id: 1, method: 'tools/call', params: { name: 'session' } });
    await answered(1);
    for (const requestId of [1, 1, 'unknown', null]) send({ method: 'notifications/cancelled', params: { requestId } });
    await eventually(() => expect(server.messages('notifications/cancelled')).toHaveLength(4));
    send({ id: 2, method: 'tools/list' });
    await answered(2);
    expect(out.map(({ id }) => id)).toEqual([1, 2]);
  });

  it('M18: an answer without a body to what was cancelled is no failure', async () => {
    let finish = () => {};
    server.replies.set('tools/call', (_, response) => {
      finish = () => response.writeHead(202, { 'content-length': '0' }).end();
    });
    server.replies.set('notifications/cancelled', (_, response) => {
      finish();
      response.writeHead(202, { 'content-length': '0' }).end();
    });
    open();
    await streaming();
    send({ id: 'c', method: 'tools/call', params: { name: 'up__slow' } });
    await eventually(() => expect(server.messages('tools/call')).toHaveLength(1));
    send({ method: 'notifications/cancelled', params: { requestId: 'c' } });
    await eventually(() => expect(server.sockets.size).toBe(1));
    send({ id: 2, method: 'tools/list' });
    await answered(2);
    expect(out.map(({ id }) => id)).toEqual([2]);
  });

  it('BRG-11: /mcp switched off is told as that, not as a server that does not run', async () => {
    server.isRouted = false;
    open();
    send(INITIALIZE);
    await answered('init-1');
    expect(answers('init-1')[0]).toMatchObject({
      result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } } },
    });
    send({ id: 2, method: 'tools/call', params: { name: 'session' } });
    await answered(2);
    expect(JSON.stringify(answers(2)[0])).toContain('MCP endpoint unavailable');
  });

  it('a refusal that is no JSON-RPC message is told with its text', async () => {
    server.replies.set('tools/call', (_, response) =>
      respond(response, 413, { error: 'Request body is larger than 2 MiB' }),
    );
    open();
    send({ id: 2, method: 'tools/call', params: { name: 'session' } });
    await answered(2);
    expect(answers(2)[0]).toMatchObject({ error: { message: 'Request body is larger than 2 MiB' } });
  });

  it('what is no message gets a JSON-RPC error', async () => {
    open();
    for (const line of ['{"id":', '[]', '7']) bridge?.receive(line);
    await eventually(() => expect(out).toHaveLength(3));
    expect(out.map(({ error }) => (error as { code: number }).code).sort()).toEqual([-32600, -32700, -32700]);
  });

  it('BRG-12: at the end of input answers under way arrive, then everything is closed', async () => {
    let finish = () => {};
    server.replies.set('tools/call', ({ body }, response) => {
      finish = () => respond(response, 200, { jsonrpc: '2.0', id: body.id, result: {} });
    });
    const own = open();
    await streaming();
    send({ id: 1, method: 'tools/call', params: { name: 'up__slow' } });
    await eventually(() => expect(server.messages('tools/call')).toHaveLength(1));
    const closed = own.close();
    finish();
    await closed;
    expect(answers(1)).toHaveLength(1);
    await eventually(() => expect(server.sockets.size).toBe(0));
  });
});

describe('without a server, and with one that goes and comes', () => {
  it('BRG-11: initialize, list, call and others have their offline answers', async () => {
    open();
    send(INITIALIZE);
    send({ id: 2, method: 'tools/list' });
    send({ id: 3, method: 'tools/call', params: { name: 'session' } });
    send({ id: 4, method: 'server/discover' });
    send({ id: 5, method: 'ping' });
    for (const id of ['init-1', 2, 3, 4, 5]) await answered(id);
    expect(answers('init-1')[0]).toMatchObject({ result: { capabilities: { tools: { listChanged: true } } } });
    expect(answers(2)[0]?.result).toEqual({ tools: [] });
    expect(answers(3)[0]?.result).toMatchObject({ isError: true });
    expect(JSON.stringify(answers(3)[0])).toContain('tuic start');
    expect(answers(4)[0]).toMatchObject({ error: { code: -32601 } });
    expect(answers(5)[0]?.result).toEqual({});
  });

  it('BRG-2a: a socket file that nobody serves counts as no server', async () => {
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(join(folder, 'first.sock'), resolve));
    server = new FakeMcpServer(join(folder, 'second.sock'));
    await server.start();
    await new Promise<void>((resolve) => dead.close(() => resolve()));
    const socket = await connectToServer([join(folder, 'first.sock'), server.path]);
    socket.destroy();
  });

  it('BRG-8: once the server runs, the last initialize is replayed unseen and the change is told', async () => {
    open();
    send(INITIALIZE);
    await answered('init-1');
    await server.start();
    await clock.timerArmed(DEADLINES.bridgeRetryFirst);
    await clock.advanceAsync(DEADLINES.bridgeRetryFirst);
    await eventually(() => expect(changes()).toHaveLength(1));
    expect(server.messages('initialize')[0]?.body.params).toEqual(INITIALIZE.params);
    expect(out.filter((message) => message.method === undefined)).toHaveLength(1);
  });

  it('BRG-8: a restart keeps the client; each call has one answer and the session is a new one', async () => {
    await server.start();
    open();
    send(INITIALIZE);
    await answered('init-1');
    await streaming();
    const first = server.received.at(-1)?.headers['mcp-session-id'];
    await server.stop();
    send({ id: 2, method: 'tools/call', params: { name: 'session' } });
    await answered(2);
    expect(answers(2)[0]?.result).toMatchObject({ isError: true });
    await server.start();
    await clock.timerArmed(DEADLINES.bridgeRetryFirst);
    await clock.advanceAsync(DEADLINES.bridgeRetryLast);
    await eventually(() => expect(changes().length).toBeGreaterThan(0));
    send({ id: 3, method: 'tools/call', params: { name: 'session' } });
    await answered(3);
    const last = server.messages('tools/call').at(-1)?.headers['mcp-session-id'];
    expect(last).toMatch(/^[0-9a-f-]{36}$/);
    expect(last).not.toBe(first);
  });

  it('BRG-7: one failed ping keeps everything, three in a row tell the client and begin anew', async () => {
    await server.start();
    let isDeaf = false;
    server.replies.set('ping', ({ body }, response) => {
      if (!isDeaf) respond(response, 200, { jsonrpc: '2.0', id: body.id, result: {} });
    });
    open();
    send(INITIALIZE);
    await answered('init-1');
    await streaming();
    isDeaf = true;
    const failPing = async () => {
      const before = server.messages('ping').length;
      await clock.advanceAsync(DEADLINES.bridgePing);
      await eventually(() => expect(server.messages('ping').length).toBeGreaterThan(before));
    };
    await failPing();
    isDeaf = false;
    await failPing();
    await settle();
    expect(changes()).toEqual([]);
    isDeaf = true;
    for (let time = 0; time < 4; time++) await failPing();
    await eventually(() => expect(changes().length).toBeGreaterThan(0));
    isDeaf = false;
    await clock.advanceAsync(DEADLINES.bridgeRetryLast);
    await eventually(() => expect(server.messages('initialize').length).toBeGreaterThan(2));
  });
});
