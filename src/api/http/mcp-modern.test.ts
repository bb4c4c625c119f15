/** The modern leg of /mcp over real sockets (DESIGN D7, TRN-31). */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../../../test/kit/cleanup.ts';
import { startFront, type TestFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Rpc {
  id: unknown;
  result: Record<string, unknown>;
  error: { code: number; message: string };
}

const cleanup = cleanupAfterAll();
let front: TestFront;
let api: ApiClient;

beforeAll(async () => {
  front = await startFront(cleanup);
  api = new ApiClient(front.ipc);
});

function headersOf(method: string, name?: string): Record<string, string> {
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}

async function send(method: string, params: object = {}, headers = headersOf(method)) {
  const body = { jsonrpc: '2.0', id: 'm-1', method, params: { ...params, _meta: META } };
  const answer = await api.request('POST', '/mcp', { body, headers });
  return { status: answer.status, headers: answer.headers, message: answer.json() as Rpc };
}

describe('stateless calls', () => {
  it('server/discover names the revision, the tools and the server, without a session', async () => {
    const { status, headers, message } = await send('server/discover');
    expect([status, message.id, headers['mcp-session-id']]).toEqual([200, 'm-1', undefined]);
    expect(message.result).toMatchObject({
      supportedVersions: expect.arrayContaining([REVISION]),
      capabilities: { tools: { listChanged: true } },
      resultType: 'complete',
    });
    expect(message.result._meta).toMatchObject({
      'io.modelcontextprotocol/serverInfo': { name: 'tuicommander', version: '0.1.0' },
    });
  });

  it('tools/list tells how long it holds, always in one order, and is the list of the legacy leg', async () => {
    const { message } = await send('tools/list');
    expect(message.result).toMatchObject({ ttlMs: 60_000, cacheScope: 'private', resultType: 'complete' });
    const again = await send('tools/list');
    expect(again.message.result.tools).toEqual(message.result.tools);
    const legacy = await api.request('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect((legacy.json() as Rpc).result.tools).toEqual(message.result.tools);
  });

  it('tools/call ends in the dispatcher of the legacy leg; a failing tool is a result', async () => {
    const call = (input: object) =>
      send('tools/call', { name: 'session', arguments: input }, headersOf('tools/call', 'session'));
    const listed = await call({ action: 'list' });
    expect(listed.message.result).toMatchObject({ isError: false, content: [{ type: 'text' }] });
    expect((await call({ action: 'nothing' })).message.result).toMatchObject({ isError: true });
  });

  it('MSG-1: the identity of the request itself decides who calls', async () => {
    const identity = '11111111-2222-4333-8444-555555555555';
    front.sessions.identity = identity;
    const headers = { ...headersOf('tools/call', 'session'), 'x-tuic-session': identity };
    const { message } = await send('tools/call', { name: 'session', arguments: { action: 'list' } }, headers);
    const [content] = message.result.content as { text: string }[];
    expect(JSON.parse(content?.text ?? '')).toMatchObject([{ is_caller: true }]);
    front.sessions.identity = undefined;
  });
});

describe('refusals', () => {
  it('1.2: an unknown method is 404 with -32601, one of the session era too', async () => {
    for (const method of ['no/such', 'ping', 'initialize', 'resources/list']) {
      const { status, message } = await send(method);
      expect([method, status, message.error.code, message.id]).toEqual([method, 404, -32_601, 'm-1']);
    }
  });

  it('a header that is missing or says another method is 400 with -32020', async () => {
    for (const headers of [headersOf('tools/call'), { 'mcp-protocol-version': REVISION }]) {
      const { status, message } = await send('tools/list', {}, headers as Record<string, string>);
      expect([status, message.error.code]).toEqual([400, -32_020]);
    }
  });

  it('a revision that is none is 400 with -32022', async () => {
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
    const headers = { ...headersOf('tools/list'), 'mcp-protocol-version': '2031-01-01' };
    const answer = await api.request('POST', '/mcp', { body, headers });
    expect([answer.status, (answer.json() as Rpc).error.code]).toEqual([400, -32_022]);
  });

  it('TRN-31: without the claim the body is of the legacy era, whatever the headers say', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const answer = await api.request('POST', '/mcp', { body, headers: headersOf('ping') });
    expect([answer.status, (answer.json() as Rpc).result]).toEqual([200, {}]);
    const discover = { ...body, method: 'server/discover' };
    const legacy = await api.request('POST', '/mcp', { body: discover });
    expect([legacy.status, (legacy.json() as Rpc).error.code]).toEqual([200, -32_601]);
    const forgotten = await api.request('POST', '/mcp', { body: discover, headers: headersOf('server/discover') });
    expect([forgotten.status, (forgotten.json() as Rpc).error.code]).toEqual([400, -32_602]);
  });
});

describe('subscriptions/listen', () => {
  it('acknowledges first, tells a change of the tools, and TRN-2: ends when the endpoint is switched off', async () => {
    const params = { _meta: META, notifications: { toolsListChanged: true } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'l-1', method: 'subscriptions/listen', params });
    const headers = { ...headersOf('subscriptions/listen'), 'content-type': 'application/json' };
    const request = httpRequest({ socketPath: front.ipc.socketPath, path: '/mcp', method: 'POST', headers });
    cleanup.defer(async () => void request.destroy());
    request.end(body);
    const response = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
    let text = '';
    let look = () => {};
    response.on('error', () => {});
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      look();
    });
    const seen = (wanted: string) =>
      new Promise<void>((resolve) => {
        look = () => text.includes(wanted) && resolve();
        look();
      });
    await seen('notifications/subscriptions/acknowledged');
    const clients = async () => ((await api.get('/mcp/status')).json() as { mcp_clients: number }).mcp_clients;
    expect(await clients()).toBe(1);
    expect(text).not.toContain('list_changed');
    await front.config.save({ disabled_native_tools: [] });
    await seen('notifications/tools/list_changed');
    await front.config.save({ disabled_native_tools: ['config', 'debug'] });
    const ended = new Promise((resolve) => response.once('close', resolve));
    await front.config.save({ mcp_server_enabled: false });
    await ended;
    expect(await clients()).toBe(0);
    await front.config.save({ mcp_server_enabled: true });
    expect((await send('server/discover')).status).toBe(200);
  });
});
