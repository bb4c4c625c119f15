import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalListener, listenLocal } from './local-listener.ts';
import { isLoopbackAddress } from './loopback.ts';

const servers: Server[] = [];
const listeners: LocalListener[] = [];
const log = { info() {}, warn() {}, error() {} };

afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.close();
  for (const server of servers.splice(0)) if (server.listening) await new Promise((done) => server.close(done));
});

async function open(port: number): Promise<LocalListener> {
  const listener = await listenLocal({
    port,
    log,
    createServer: () => {
      const server = createServer();
      servers.push(server);
      return server;
    },
  });
  listeners.push(listener);
  return listener;
}

function take(port: number, host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, ipv6Only: host === '::1' }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** A port that is free together with its next two, on both addresses. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = await take(0, '127.0.0.1');
    await release();
    try {
      for (const next of [port, port + 1, port + 2]) {
        await take(next, '127.0.0.1');
        await take(next, '::1');
      }
      return port;
    } catch {
      // Somebody has one of them: look further.
    } finally {
      await release();
    }
  }
}

async function release(): Promise<void> {
  for (const server of servers.splice(0)) if (server.listening) await new Promise((done) => server.close(done));
}

describe('local listener', () => {
  it('serves both loopback addresses on one port and nothing else', async () => {
    const listener = await open(await freePort());
    expect(listener.addresses).toEqual(['127.0.0.1', '::1']);
    const bound = servers.map((server) => server.address()).filter((address) => typeof address === 'object');
    expect(bound.map((address) => address?.address).sort()).toEqual(['127.0.0.1', '::1']);
  });

  it('takes one of the next two ports when the first is taken on either address', async () => {
    const port = await freePort();
    await take(port, '127.0.0.1');
    await take(port + 1, '::1');
    expect((await open(port)).port).toBe(port + 2);
  });

  it('names the ports when all three are taken', async () => {
    const port = await freePort();
    for (const next of [port, port + 1, port + 2]) await take(next, '127.0.0.1');
    await expect(open(port)).rejects.toMatchObject({
      code: 'ports_taken',
      data: { ports: `${port}, ${port + 1}, ${port + 2}` },
    });
  });

  it('lets the system choose for port 0', async () => {
    const listener = await open(0);
    expect(listener.port).toBeGreaterThan(0);
    expect(listener.addresses).toHaveLength(2);
  });

  it('knows loopback addresses', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect(isLoopbackAddress(address)).toBe(true);
    }
    for (const address of [
      undefined,
      '',
      '10.0.0.1',
      '::',
      '::2',
      '::ffff:10.0.0.1',
      '127.0.0.1.example',
      'localhost',
    ]) {
      expect(isLoopbackAddress(address)).toBe(false);
    }
  });
});
