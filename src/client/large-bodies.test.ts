/** A server that ends the connection with its answer must not cost the answer to a large body (P1: done, and told so). */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { exchange } from '../bridge/exchange.ts';
import { createSocketTransport } from './node.ts';

const cleanup = cleanupAfterEach();
const BODY = 'x'.repeat(300_000);
const ROUNDS = 60;
const AT_ONCE = 4;

const asked: string[] = [];

async function startServer(): Promise<string> {
  const path = join(await cleanup.temporaryDirectory('tuic-l-'), 'socket');
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      // Asked to, the server would end the connection with the answer; a call in a few hundred is lost by that.
      if (request.headers.connection === 'close') asked.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  cleanup.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return path;
}

/** The answers of many calls, as many at once as make the ends of two sides meet. */
async function repeat(call: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  const work = async () => {
    for (let round = 0; round < ROUNDS; round++) found.push(await call());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

const everyAnswer = Array.from({ length: ROUNDS * AT_ONCE }, () => 200);

describe('large bodies', () => {
  it('P1: each of 240 over the transport of the client is answered', async () => {
    const { fetch } = createSocketTransport(await startServer());
    const headers = { 'content-type': 'application/json' };
    const call = async () => {
      const answer = await fetch('/sessions/x/write', { method: 'POST', headers, body: BODY });
      await answer.text();
      return answer.status;
    };
    expect(await repeat(call)).toEqual(everyAnswer);
    expect(asked).toEqual([]);
  });

  it('P1: each of 240 over the bridge is answered', async () => {
    const path = await startServer();
    const { signal } = new AbortController();
    const call = async () => {
      const socket = connect(path);
      await new Promise((resolve) => socket.once('connect', resolve));
      const outline = { method: 'POST' as const, headers: {}, body: BODY, signal, onMessage: async () => true };
      return (await exchange(socket, outline)).status;
    };
    expect(await repeat(call)).toEqual(everyAnswer);
    expect(asked).toEqual([]);
  });
});
