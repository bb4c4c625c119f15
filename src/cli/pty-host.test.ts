import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame, FRAME, type Frame, FrameParser, HOST_FILES, LIMITS } from '../contract/index.ts';
import { readHostStatus, shutDownHost } from './pty-host.ts';

let folder = '';
let host: Server | undefined;
const sockets = new Set<Socket>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tuic-host-'));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise<void>((resolve) => (host === undefined ? resolve() : host.close(() => resolve())));
  host = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const toJson = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const fromJson = (frame: Frame) => JSON.parse(new TextDecoder().decode(frame.payload));
const welcome = { protoMin: 1, protoMax: 1, build: 'test', bootId: 'boot', pid: 7, protocol: 1 };

/** A host that answers each frame by `answer`; undefined closes the connection. */
async function serve(
  answer: (frame: Frame) => Uint8Array | undefined,
  path = join(folder, HOST_FILES.socket),
): Promise<void> {
  const created = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const parser = new FrameParser(LIMITS.hostFrame, (frame) => {
      const bytes = answer(frame);
      if (bytes === undefined) socket.destroy();
      else socket.write(bytes);
    });
    socket.on('data', (chunk) => parser.push(chunk));
  });
  host = created;
  writeFileSync(join(folder, HOST_FILES.token), 'secret\n');
  await new Promise<void>((resolve) => created.listen(path, resolve));
}

function answerWith(result: unknown, seen: unknown[] = []) {
  return (frame: Frame) => {
    seen.push(fromJson(frame));
    if (frame.type === FRAME.hello) return encodeFrame(FRAME.welcome, toJson(welcome));
    return encodeFrame(FRAME.response, toJson({ id: 1, result }));
  };
}

describe('talking to the pty host', () => {
  it('reads the status as an observer, with the token of the instance', async () => {
    const seen: unknown[] = [];
    await serve(answerWith({ ...welcome, configDirectory: folder, startedAt: 5, sessions: [] }, seen));
    expect(await readHostStatus(folder)).toMatchObject({ pid: 7, sessions: [] });
    expect(seen[0]).toMatchObject({ role: 'observer', token: 'secret' });
    expect(seen[1]).toMatchObject({ op: 'status' });
  });

  it('follows the pointer when the usual path is too long for a socket', async () => {
    const elsewhere = join(folder, 'short.sock');
    await serve(answerWith({ ...welcome, sessions: [] }), elsewhere);
    writeFileSync(join(folder, HOST_FILES.pointer), `${elsewhere}\n`);
    expect(await readHostStatus(folder)).toMatchObject({ pid: 7 });
  });

  it('tells "no host" from everything else', async () => {
    expect(await readHostStatus(folder)).toBeUndefined();
    expect(await readHostStatus(join(folder, 'missing'))).toBeUndefined();
    writeFileSync(join(folder, HOST_FILES.token), 'secret\n');
    expect(await readHostStatus(folder)).toBeUndefined();
    writeFileSync(join(folder, HOST_FILES.socket), '');
    expect(await shutDownHost(folder)).toBe(false);
  });

  it('a refusal, a broken connection and garbage are errors that name the host, never "no host"', async () => {
    const refused = { ...welcome, error: { code: 'forbidden', data: { reason: 'wrong token' } } };
    await serve(() => encodeFrame(FRAME.welcome, toJson(refused)));
    await expect(readHostStatus(folder)).rejects.toThrow('wrong token');
    await new Promise<void>((resolve) => host?.close(() => resolve()));
    await serve(() => undefined);
    await expect(readHostStatus(folder)).rejects.toThrow('terminal host does not answer');
    await new Promise<void>((resolve) => host?.close(() => resolve()));
    await serve(() => new Uint8Array(64).fill(255));
    await expect(readHostStatus(folder)).rejects.toThrow('terminal host does not answer');
  });
});
