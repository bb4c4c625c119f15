import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createClient } from './client.ts';
import { RequestRefused, ServerUnreachable } from './errors.ts';
import { connectToServer, createSocketTransport, findServerSocket } from './node.ts';

let directory = '';
let server: Server;
let sockets: WebSocketServer;
const requests: { method: string; url: string; body: string; headers: IncomingMessage['headers'] }[] = [];

/** Answers by path; what a test does not set is 404 with the contract's error body. */
const answers = new Map<string, { status: number; type: string; body: string | Buffer }>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tuic-client-'));
  requests.length = 0;
  answers.clear();
  server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const method = incoming.method ?? '';
      const url = incoming.url ?? '';
      requests.push({ method, url, body: Buffer.concat(chunks).toString(), headers: incoming.headers });
      const answer = answers.get(`${method} ${url}`) ?? {
        status: 404,
        type: 'application/json',
        body: '{"error":"Session not found"}',
      };
      outgoing.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
    });
  });
  sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(join(directory, 'mcp.sock'), resolve));
});

afterEach(async () => {
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

function answer(key: string, body: unknown, status = 200): void {
  answers.set(key, { status, type: 'application/json', body: JSON.stringify(body) });
}

const client = () =>
  createClient({ transport: createSocketTransport(join(directory, 'mcp.sock')), clientId: 'window-1' });

describe('client over the IPC socket', () => {
  it('sends what a route expects and reads what it answers', async () => {
    answer('POST /sessions', { session_id: 's', alias: 'sh-1' }, 201);
    answer('GET /sessions?lifecycle=all', []);
    answer('POST /sessions/a%2Fb/write', { ok: true });
    answer('DELETE /sessions/s?mode=kill', { ok: true });
    answer('GET /sessions/s/has-foreground', { process: 'vim' });
    answer('GET /sessions/s/output?format=log&offset=3&limit=5', { lines: [], total_lines: 3, offset: 3, screen: [] });
    const { sessions } = client();
    expect(await sessions.create({ rows: 3, cols: 4, cwd: '/ü' })).toEqual({ session_id: 's', alias: 'sh-1' });
    expect(await sessions.list({ all: true })).toEqual([]);
    await sessions.write('a/b', 'ls\r');
    await sessions.close('s', 'kill');
    expect(await sessions.foregroundProcess('s')).toBe('vim');
    expect((await sessions.logOutput('s', { offset: 3, limit: 5 })).total_lines).toBe(3);
    expect(requests[0]).toMatchObject({
      body: '{"rows":3,"cols":4,"cwd":"/ü"}',
      headers: { 'x-tuic-client': 'window-1' },
    });
    expect(requests.find((one) => one.url.endsWith('/write'))?.body).toBe('{"data":"ls\\r"}');
  });

  it('reads binary answers byte by byte', async () => {
    const body = Buffer.from([0, 255, 0xe2, 0x89, 10]);
    answers.set('GET /sessions/s/raw-ring', { status: 200, type: 'application/octet-stream', body });
    expect(Buffer.from(await client().sessions.rawRing('s'))).toEqual(body);
  });

  it("throws the server's own words and status, from JSON and from text", async () => {
    await expect(client().sessions.leafPid('s')).rejects.toThrow(new RequestRefused(404, 'Session not found'));
    answer('GET /host', { error: 'Refused: by a test', code: 'forbidden' }, 403);
    await expect(client().hostStatus()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    answers.set('GET /stats', { status: 401, type: 'text/plain', body: 'run "tuic open"\n' });
    await expect(client().stats()).rejects.toMatchObject({ status: 401, message: 'run "tuic open"' });
    answers.set('GET /stats', { status: 502, type: 'text/plain', body: '' });
    await expect(client().stats()).rejects.toMatchObject({ status: 502, message: 'The server answered 502' });
  });

  it('tells a missing server from a refusal', async () => {
    const nobody = createClient({ transport: createSocketTransport(join(directory, 'nobody.sock')) });
    await expect(nobody.health()).rejects.toBeInstanceOf(ServerUnreachable);
    const empty = join(directory, 'empty');
    await expect(connectToServer({ configDirectory: empty })).rejects.toBeInstanceOf(ServerUnreachable);
    answer('GET /stats', { active_sessions: 1, max_sessions: 50, available_slots: 49 });
    expect((await (await connectToServer({ configDirectory: directory })).stats()).active_sessions).toBe(1);
  });

  it('streams bytes over a WebSocket on the same socket', async () => {
    const received: string[] = [];
    sockets.on('connection', (socket, incoming) => {
      received.push(incoming.url ?? '');
      socket.on('message', (data, isBinary) => received.push(`${isBinary ? 'binary' : 'text'} ${String(data)}`));
      const frame = Buffer.alloc(10);
      frame.writeBigUInt64LE(5n);
      frame.write('hi', 8);
      socket.send(frame);
      socket.send(JSON.stringify({ type: 'exit', session_id: 's', exit_code: 0 }));
      socket.once('message', () =>
        socket.send(JSON.stringify({ type: 'closed', session_id: 's', reason: 'process_exit' })),
      );
    });
    const told: string[] = [];
    await new Promise<void>((resolve) => {
      const stream = client().openByteStream(
        's',
        {
          bytes: (offset, bytes) => told.push(`${offset} ${new TextDecoder().decode(bytes)}`),
          snapshot: () => undefined,
          size: () => undefined,
          gap: () => undefined,
          exit: (code) => {
            told.push(`exit ${code}`);
            stream.send(new TextEncoder().encode('typed'));
          },
          state: () => undefined,
          ended: () => resolve(),
        },
        { offset: 5 },
      );
    });
    expect(told).toEqual(['5 hi', 'exit 0']);
    expect(received).toEqual(['/sessions/s/stream?format=bytes&offset=5', 'binary typed']);
  });
});

describe('finding the socket', () => {
  it('takes the socket in the folder, else the one the pointer names, else nothing', async () => {
    expect(await findServerSocket(directory)).toBe(join(directory, 'mcp.sock'));
    const other = await mkdtemp(join(tmpdir(), 'tuic-client-'));
    try {
      expect(await findServerSocket(other)).toBeUndefined();
      await writeFile(join(other, 'mcp.sock.path'), `${join(directory, 'mcp.sock')}\n`);
      expect(await findServerSocket(other)).toBe(join(directory, 'mcp.sock'));
      await writeFile(join(other, 'mcp.sock.path'), join(other, 'gone.sock'));
      expect(await findServerSocket(other)).toBeUndefined();
      expect(await findServerSocket(join(directory, 'mcp.sock'))).toBeUndefined();
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });
});
