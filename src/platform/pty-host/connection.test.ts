import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll, cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { isAlive, listProcesses, residentBytes } from '../../../test/kit/processes.ts';
import { bundleHost, connectWhenReady, startHost } from '../../../test/kit/pty-host.ts';
import { openProgram, programRequest, RecordingSink } from '../../../test/kit/recording-sink.ts';
import { readHostStatus, shutDownHost } from '../../cli/pty-host.ts';
import {
  DEADLINES,
  encodeFrame,
  encodeHeader,
  FRAME,
  FrameParser,
  HOST_FILES,
  type WelcomeMessage,
} from '../../contract/index.ts';
import { connectPtyHost } from './index.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let program: string;
beforeAll(async () => {
  program = await bundleHost(shared);
});

async function newHost() {
  const directory = await cleanup.temporaryDirectory();
  const child = startHost(program, directory, cleanup);
  const connection = await connectWhenReady({ directory, build: 'test' }, cleanup);
  return { directory, child, connection };
}

describe('host over its socket', () => {
  it('offers what the host offers in process', async () => {
    const { connection } = await newHost();
    const request = programRequest('/bin/cat', [], { cols: 90 });
    const { sink, id } = await openProgram(connection, request);
    await connection.write(id, Buffer.from('hello\r'));
    await sink.untilText('hello\r\nhello\r\n');
    await connection.resize(id, 100, 40);
    await sink.until(() => sink.events.some((event) => event.kind === 'resized'));
    connection.storeCheckpoint(id, 7, Uint8Array.of(1, 2, 3));
    expect(await connection.checkpoint(id)).toEqual({ offset: 7, blob: Uint8Array.of(1, 2, 3) });
    const part = await connection.read(id, 7, 12);
    expect([part.offset, Buffer.from(part.bytes).toString()]).toEqual([7, 'hello']);
    expect(await connection.list()).toMatchObject([
      { id, cols: 100, rows: 40, checkpointOffset: 7, head: 14, ended: false },
    ]);
    const second = new RecordingSink();
    expect(await connection.attach(id, 7, second)).toMatchObject({
      start: 7,
      cols: 90,
      checkpoint: { offset: 7, blob: Uint8Array.of(1, 2, 3) },
    });
    expect(second.events).toEqual([]);
    await second.until(() => second.events.length === 2);
    expect(second.text).toBe('hello\r\n');
    await connection.kill(id, 'close');
    await second.untilEnd();
    await connection.forget(id);
    expect(await connection.list()).toEqual([]);
    await expect(connection.write(id, Buffer.from('x'))).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(connection.spawn(programRequest('no-such-program'))).rejects.toMatchObject({
      code: 'program_not_found',
    });
  });

  it('brings 8 MB unchanged through credit and frames', async () => {
    const { connection } = await newHost();
    const { sink } = await openProgram(connection, programRequest('/bin/sh', ['-c', 'stty -opost; seq 1 1000000']));
    await sink.untilEnd();
    let expected = '';
    for (let n = 1; n <= 1_000_000; n++) expected += `${n}\n`;
    expect(sink.text === expected).toBe(true);
  });

  it('keeps its files to its owner, shows its directory in its arguments and works in /', async () => {
    const { directory, child, connection } = await newHost();
    for (const name of [HOST_FILES.socket, HOST_FILES.token, HOST_FILES.lock]) {
      expect(statSync(join(directory, name)).mode & 0o077, name).toBe(0);
    }
    const host = listProcesses().find((entry) => entry.pid === child.pid);
    expect(host?.arguments).toContain(directory);
    expect(host?.session).toBe(child.pid);
    expect(connection.hello.pid).toBe(child.pid);
    expect(readFileSync(join(directory, HOST_FILES.token), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
    await connection.spawn(programRequest('/bin/cat'));
    const { sink } = await openProgram(connection, programRequest('/bin/sh', ['-c', 'ls -l /proc/$$/fd']));
    await sink.untilEnd();
    const targets = [...sink.text.matchAll(/-> (\S+)/g)].map((match) => match[1]);
    expect(new Set(targets).size).toBe(1);
    expect(targets[0]).toMatch(/^\/dev\/pts\//);
  });

  it('a path that is too long for a socket gets a short one and a pointer', async () => {
    const base = await cleanup.temporaryDirectory();
    const directory = join(base, 'deep'.repeat(30));
    startHost(program, directory, cleanup);
    const connection = await connectWhenReady({ directory, build: 'test' }, cleanup);
    expect(readFileSync(join(directory, HOST_FILES.pointer), 'utf8')).toMatch(/^.{1,100}$/);
    await connection.shutdown();
  });
});

describe('T01 over the socket', () => {
  it('every byte of 40 programs that print 20,480 bytes and exit comes before the exit', async () => {
    const { connection } = await newHost();
    for (let run = 0; run < 10; run++) {
      const opened = await Promise.all(
        Array.from({ length: 4 }, () =>
          openProgram(connection, programRequest('/usr/bin/printf', ['%s', 'x'.repeat(20_480)])),
        ),
      );
      for (const { id, sink } of opened) {
        await sink.untilEnd();
        expect(sink.byteCount).toBe(20_480);
        expect(sink.events.at(-2)).toMatchObject({ kind: 'exit', offset: 20_480, status: { code: 0 } });
        await connection.forget(id);
      }
    }
  });
});

describe('who may connect', () => {
  it('refuses a foreign token', async () => {
    const { directory, connection } = await newHost();
    const path = join(directory, HOST_FILES.token);
    const token = readFileSync(path, 'utf8');
    writeFileSync(path, '0'.repeat(64));
    await expect(connectPtyHost({ directory, build: 'test' })).rejects.toMatchObject({ code: 'forbidden' });
    writeFileSync(path, token);
    expect(await connection.list()).toEqual([]);
  });

  async function talk(directory: string, bytes: Uint8Array): Promise<Buffer> {
    const socket = createConnection(join(directory, HOST_FILES.socket));
    cleanup.defer(() => socket.destroy());
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
    await once(socket, 'close');
    return Buffer.concat(received);
  }

  function hello(token: string, protoMin: number, protoMax: number): Uint8Array {
    const message = { protoMin, protoMax, build: 'x', bootId: '', pid: 1, token, role: 'server' };
    return encodeFrame(FRAME.hello, Buffer.from(JSON.stringify(message)));
  }

  it('tells a program of another protocol which command moves on, and lives on', async () => {
    const { directory, connection } = await newHost();
    const { sink, id } = await openProgram(connection, programRequest('/bin/cat'));
    const token = readFileSync(join(directory, HOST_FILES.token), 'utf8');
    const answer = await talk(directory, hello(token, 7, 9));
    let welcome: WelcomeMessage | undefined;
    new FrameParser(10_000, (frame) => {
      welcome = JSON.parse(Buffer.from(frame.payload).toString()) as WelcomeMessage;
    }).push(answer);
    expect(welcome).toMatchObject({ protoMin: 1, protoMax: 1, error: { code: 'host_unavailable' } });
    expect(String(welcome?.error?.data.detail)).toContain('tuic host stop');
    expect(welcome?.protocol).toBeUndefined();
    await connection.write(id, Buffer.from('still here\r'));
    await sink.untilText('still here\r\nstill here');
  });

  it('closes on garbage, on an oversized frame and on a request before the hello, and lives on', async () => {
    const { directory, connection } = await newHost();
    const token = readFileSync(join(directory, HOST_FILES.token), 'utf8');
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      encodeHeader(FRAME.hello, 0, 0, 0, 100_000),
      encodeFrame(FRAME.request, Buffer.from('{"id":1,"op":"list"}')),
      encodeFrame(FRAME.hello, Buffer.from('{"no":"hello"}')),
      encodeFrame(FRAME.hello, Buffer.from([0xff, 0xfe])),
    ]) {
      expect((await talk(directory, bytes)).length).toBe(0);
    }
    const observer = Buffer.from(hello(token, 1, 1))
      .toString('latin1')
      .replace('"role":"server"', '"role":"observe"');
    await talk(directory, Buffer.from(observer, 'latin1'));
    expect(await connection.list()).toEqual([]);
  });

  it('answers an unknown operation and skips an unknown frame without closing', async () => {
    const { directory } = await newHost();
    const token = readFileSync(join(directory, HOST_FILES.token), 'utf8');
    const socket = createConnection(join(directory, HOST_FILES.socket));
    cleanup.defer(() => socket.destroy());
    const answers: string[] = [];
    const parser = new FrameParser(10_000, (frame) => answers.push(Buffer.from(frame.payload).toString()));
    const three = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        parser.push(chunk);
        if (answers.length === 3) resolve();
      });
    });
    socket.write(hello(token, 1, 1));
    socket.write(encodeFrame(200, Buffer.from('whatever')));
    socket.write(encodeFrame(FRAME.request, Buffer.from('{"id":1,"op":"dance"}')));
    socket.write(encodeFrame(FRAME.request, Buffer.from('{"id":2,"op":"list"}')));
    await three;
    expect(answers.slice(1).map((text) => JSON.parse(text))).toMatchObject([
      { id: 1, error: { code: 'invalid_input' } },
      { id: 2, result: [] },
    ]);
  });

  it('the newest server replaces the older one, which is told', async () => {
    const { directory, connection } = await newHost();
    const { id, sink } = await openProgram(connection, programRequest('/bin/cat'));
    const left = new Promise<void>((resolve) => connection.onDisconnect(resolve));
    const second = await connectPtyHost({ directory, build: 'second' });
    cleanup.defer(() => second.close());
    await left;
    expect(connection.closeCause).toBe('replaced');
    await expect(connection.list()).rejects.toMatchObject({ code: 'host_unavailable' });
    const newer = new RecordingSink();
    await second.attach(id, 0, newer);
    await second.write(id, Buffer.from('mine\r'));
    await newer.untilText('mine\r\nmine\r\n');
    expect(sink.text).toBe('');
  });

  it('an observer sees and stops the host beside its server', async () => {
    const { directory, child, connection } = await newHost();
    const { pid } = await openProgram(connection, programRequest('/bin/cat'));
    expect(await readHostStatus(directory)).toMatchObject({
      configDirectory: directory,
      pid: child.pid,
      sessions: [{ pid }],
    });
    const left = new Promise<void>((resolve) => connection.onDisconnect(resolve));
    const ended = once(child, 'exit');
    expect(await shutDownHost(directory)).toBe(true);
    await left;
    expect(connection.closeCause).toBe('shutdown');
    expect((await ended)[0]).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(await readHostStatus(directory)).toBeUndefined();
  });

  it('an observer may not touch sessions', async () => {
    const { directory, connection } = await newHost();
    const { id } = await openProgram(connection, programRequest('/bin/cat'));
    const token = readFileSync(join(directory, HOST_FILES.token), 'utf8');
    const observer = Buffer.from(hello(token, 1, 1))
      .toString('latin1')
      .replace('"role":"server"', '"role":"observer"');
    const length = encodeHeader(FRAME.hello, 0, 0, 0, observer.length - 16);
    const request = encodeFrame(
      FRAME.request,
      Buffer.from(JSON.stringify({ id: 1, op: 'kill', session: id, mode: 'kill' })),
    );
    await talk(directory, Buffer.concat([length, Buffer.from(observer.slice(16), 'latin1'), request]));
    expect(await connection.list()).toMatchObject([{ id, ended: false }]);
  });

  it('P7: a server that never reads costs the host little, and its successor gets every byte', async () => {
    const { directory, child, connection } = await newHost();
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) {
      const request = programRequest('/bin/sh', ['-c', 'stty -opost; seq 1 300000']);
      await connection.spawn(request);
      ids.push(request.id);
    }
    const before = residentBytes(child.pid ?? 0);
    const token = readFileSync(join(directory, HOST_FILES.token), 'utf8');
    const socket = createConnection(join(directory, HOST_FILES.socket));
    cleanup.defer(() => socket.destroy());
    socket.pause();
    socket.write(hello(token, 1, 1));
    ids.forEach((session, slot) => {
      socket.write(
        encodeFrame(FRAME.request, Buffer.from(JSON.stringify({ id: slot, op: 'attach', session, slot, since: 0 }))),
      );
    });
    await new Promise<void>((resolve) => connection.onDisconnect(resolve));
    // The rings fill (8 MiB); what stands in the socket is bounded.
    await eventually('the rings to fill', async () => {
      const status = await readHostStatus(directory);
      return status?.sessions.every((session) => session.head > 950_000);
    });
    expect(residentBytes(child.pid ?? 0) - before).toBeLessThan(16 * 1_048_576);
    const successor = await connectPtyHost({ directory, build: 'successor' });
    cleanup.defer(() => successor.close());
    let expected = '';
    for (let n = 1; n <= 300_000; n++) expected += `${n}\n`;
    for (const id of ids) {
      const sink = new RecordingSink();
      sink.onOutput = (end) => {
        successor.storeCheckpoint(id, end, new Uint8Array(0));
        successor.acknowledge(id, end);
      };
      await successor.attach(id, 0, sink);
      await sink.untilEnd();
      expect(sink.text === expected).toBe(true);
    }
  });

  it('a host that does not answer is reported after its time', async () => {
    const { directory, child, connection } = await newHost();
    connection.close();
    child.kill('SIGSTOP');
    const clock = new ManualClock();
    const connecting = connectPtyHost({ directory, build: 'test', clock });
    connecting.catch(() => undefined);
    await clock.timerArmed();
    clock.advance(DEADLINES.hostConnect);
    await expect(connecting).rejects.toMatchObject({ code: 'host_unavailable' });
  });

  it('what waits for an answer is refused when the host dies', async () => {
    const { child, connection } = await newHost();
    const { id } = await openProgram(connection, programRequest('/bin/cat'));
    child.kill('SIGSTOP');
    const waiting = [
      connection.write(id, Buffer.from('x')),
      connection.list(),
      connection.attach(id, 0, new RecordingSink()),
    ];
    const left = new Promise<void>((resolve) => connection.onDisconnect(resolve));
    child.kill('SIGKILL');
    await left;
    for (const result of await Promise.allSettled(waiting)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'host_unavailable' } });
    }
    expect(connection.closeCause).toBe('broken');
  });
});
