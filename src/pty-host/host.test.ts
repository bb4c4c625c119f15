import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openProgram, programRequest, RecordingSink } from '../../test/kit/recording-sink.ts';
import { LIMITS } from '../contract/index.ts';
import { createHost, type LocalHost } from './index.ts';

const EXITS = process.env.TUIC_LONG === '1' ? 1_000 : 100;
const BODY = 'x'.repeat(20_479);

let hosts: LocalHost[] = [];
afterEach(async () => {
  const old = hosts;
  hosts = [];
  for (const host of old) await host.shutdown();
});

function newHost(): LocalHost {
  const host = createHost({ bootId: 'boot', build: 'test' });
  hosts.push(host);
  return host;
}

describe('program output', () => {
  it(`T01: gives every byte of ${EXITS} programs that print 20,480 bytes and exit, before the exit`, {
    timeout: 240_000,
  }, async () => {
    const host = newHost();
    for (let run = 0; run < EXITS; run++) {
      const { id, sink } = await openProgram(host, programRequest('/usr/bin/printf', ['%s\n', BODY]));
      await sink.untilEnd();
      // The terminal turns the line feed into two bytes.
      expect(sink.byteCount).toBe(20_481);
      const exitAt = sink.events.findIndex((event) => event.kind === 'exit');
      expect(sink.events.slice(exitAt).map((event) => event.kind)).toEqual(['exit', 'end']);
      expect(sink.events[exitAt]).toEqual({ kind: 'exit', offset: 20_481, status: { code: 0, signal: null } });
      await host.forget(id);
    }
  });

  it('T01: four programs at a time lose nothing either', { timeout: 240_000 }, async () => {
    const host = newHost();
    for (let run = 0; run < EXITS / 4; run++) {
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const { id, sink } = await openProgram(host, programRequest('/usr/bin/printf', ['%s\n', BODY]));
          await sink.untilEnd();
          expect(sink.byteCount).toBe(20_481);
          await host.forget(id);
        }),
      );
    }
  });

  it('T02: the end of a shell is an end, not an error', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/sh'));
    await host.write(id, Buffer.from('exit 7\r'));
    await sink.untilEnd();
    expect(sink.exitStatus).toEqual({ code: 7, signal: null });
    expect((await host.list())[0]).toMatchObject({ ended: true, exit: { code: 7, signal: null } });
  });

  it.each([
    ['TERM', 143, 'SIGTERM'],
    ['KILL', 137, 'SIGKILL'],
    ['HUP', 129, 'SIGHUP'],
  ])('reports death by %s as %i', async (name, code, signal) => {
    const { sink } = await openProgram(newHost(), programRequest('/bin/sh', ['-c', `kill -${name} $$`]));
    await sink.untilExit();
    expect(sink.exitStatus).toEqual({ code, signal });
  });

  it('keeps the late output of a background job after its leader has gone', async () => {
    const { sink } = await openProgram(
      newHost(),
      programRequest('/bin/sh', ['-c', "trap '' HUP; (sleep 0.3; echo late) & echo early; exit 3"]),
    );
    await sink.untilEnd();
    expect(sink.text).toContain('late');
    const kinds = sink.events.map((event) => event.kind);
    expect(kinds.indexOf('exit')).toBeLessThan(kinds.lastIndexOf('output'));
  });

  it('delivers 8 MB of a flood unchanged', async () => {
    const { sink } = await openProgram(
      newHost(),
      programRequest('/bin/sh', ['-c', 'stty -opost; seq 1 1000000; exit 0']),
    );
    await sink.untilEnd();
    let expected = '';
    for (let n = 1; n <= 1_000_000; n++) expected += `${n}\n`;
    expect(sink.text === expected).toBe(true);
  });
});

describe('spawn', () => {
  it('refuses a missing program, one that may not be run, and a missing folder, and leaves nothing behind', async () => {
    const host = newHost();
    const folder = mkdtempSync(join(tmpdir(), 'tuic-'));
    try {
      writeFileSync(join(folder, 'plain'), 'no program', { mode: 0o644 });
      await expect(host.spawn(programRequest('no-such-program-here'))).rejects.toMatchObject({
        code: 'program_not_found',
      });
      await expect(host.spawn(programRequest('/bin'))).rejects.toMatchObject({ code: 'program_not_found' });
      await expect(host.spawn(programRequest(join(folder, 'plain')))).rejects.toMatchObject({
        code: 'program_not_found',
      });
      await expect(host.spawn(programRequest('/bin/sh', [], { cwd: join(folder, 'none') }))).rejects.toMatchObject({
        code: 'path_not_directory',
      });
      await expect(host.spawn(programRequest('/bin/sh', [], { cwd: join(folder, 'plain') }))).rejects.toMatchObject({
        code: 'path_not_directory',
      });
      await expect(host.spawn(programRequest('/bin/sh', [], { cols: 501 }))).rejects.toMatchObject({
        code: 'size_out_of_range',
      });
      const bad = { args: ['a\0b'], env: { 'A=B': 'c' }, id: 'no/id' };
      for (const key of ['args', 'env'] as const) {
        const request = programRequest('/bin/sh', [], { [key]: bad[key] });
        await expect(host.spawn(request)).rejects.toMatchObject({ code: 'invalid_input' });
      }
      await expect(host.spawn(programRequest('/bin/sh', [], { id: bad.id }))).rejects.toMatchObject({
        code: 'invalid_session_id',
      });
      expect(await host.list()).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('gives one session to requests of one id, also side by side', async () => {
    const host = newHost();
    const request = programRequest('/bin/cat');
    const [first, second] = await Promise.all([host.spawn(request), host.spawn(request)]);
    const third = await host.spawn(request);
    expect(first?.pid).toBe(second?.pid);
    expect(third.pid).toBe(first?.pid);
    expect(await host.list()).toHaveLength(1);
  });

  it('P2: starts nothing for a connection that ended meanwhile, and the same request starts it for the next one', async () => {
    const host = newHost();
    const request = programRequest('/bin/cat');
    let isWanted = true;
    const spawned = host.spawn(request, () => isWanted);
    isWanted = false;
    await expect(spawned).rejects.toMatchObject({ code: 'host_unavailable' });
    expect(await host.list()).toEqual([]);
    expect((await host.spawn(request)).id).toBe(request.id);
  });

  it('looks names up on the PATH of the request and gives the program exactly its environment', async () => {
    const env = { PATH: '/usr/bin:/bin', ONLY: 'this', EMPTY: '' };
    const { sink } = await openProgram(newHost(), programRequest('env', [], { env }));
    await sink.untilEnd();
    expect(sink.text.split('\r\n').filter(Boolean).sort()).toEqual(['EMPTY=', 'ONLY=this', 'PATH=/usr/bin:/bin']);
  });

  it('gives a program a clean start: own session, no ignored or blocked signals, no foreign descriptors', async () => {
    const host = newHost();
    await Promise.all(Array.from({ length: 5 }, () => host.spawn(programRequest('/bin/cat'))));
    const { sink } = await openProgram(host, programRequest('/bin/sh', ['-c', 'ls -l /proc/$$/fd; stty size']));
    await sink.untilEnd();
    const descriptors = [...sink.text.matchAll(/(\d+) -> (\S+)/g)].map((match) => `${match[1]} ${match[2]}`);
    const foreign = descriptors.filter((line) => !/^\d+ (\/dev\/pts\/\d+|\/proc\/\d+\/fd)$/.test(line));
    expect(foreign).toEqual([]);
    expect(new Set(descriptors.map((line) => line.split(' ')[1])).size).toBe(1);
    // Asked of itself: a shell blocks all signals for an instant while it starts a program.
    const own = await openProgram(host, programRequest('/bin/grep', ['-E', 'Sig(Ign|Blk)', '/proc/self/status']));
    await own.sink.untilEnd();
    expect(own.sink.text).toMatch(/SigBlk:\s0{16}\r\n/);
    expect(own.sink.text).toMatch(/SigIgn:\s0{16}\r\n/);
    expect(sink.text).toContain('24 80');
  });
});

describe('input', () => {
  it('T21: refuses input to a program that has ended', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/true'));
    await sink.untilExit();
    await expect(host.write(id, Buffer.from('x'))).rejects.toMatchObject({ code: 'session_not_live' });
    await expect(host.resize(id, 90, 30)).rejects.toMatchObject({ code: 'session_not_live' });
    await expect(host.write('unknown', Buffer.from('x'))).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('brings 1 MiB to a program that reads, in order', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(
      host,
      programRequest('/bin/sh', ['-c', 'stty raw -echo; echo ready; head -c 1048576 | sha256sum']),
    );
    await sink.untilText('ready');
    const bytes = new Uint8Array(1_048_576);
    for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31 + (at >> 8)) & 0xff;
    await host.write(id, bytes.subarray(0, 700_000));
    await host.write(id, bytes.subarray(700_000));
    await sink.untilEnd();
    const { createHash } = await import('node:crypto');
    expect(sink.text).toContain(createHash('sha256').update(bytes).digest('hex'));
  });

  it('a program that does not read costs no loop: the cap holds, the whole write over it is refused, others go on', async () => {
    const host = newHost();
    const stalled = await openProgram(host, programRequest('/bin/sh', ['-c', 'stty raw -echo; echo ready; sleep 100']));
    await stalled.sink.untilText('ready');
    await host.write(stalled.id, new Uint8Array(3_000_000));
    await expect(host.write(stalled.id, new Uint8Array(LIMITS.writeQueue))).rejects.toMatchObject({
      code: 'write_queue_full',
    });
    const other = await openProgram(host, programRequest('/bin/cat'));
    await host.write(other.id, Buffer.from('hello\r'));
    await other.sink.untilText('hello');
    // What was refused left no part behind: a small write still fits.
    await host.write(stalled.id, new Uint8Array(10));
  });

  it('Ctrl-S stops the output, input is taken meanwhile, Ctrl-Q lets it go on', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(
      host,
      programRequest('/bin/sh', ['-c', 'stty -echo -ixany; echo ready; while read line; do echo "got $line"; done']),
    );
    await sink.untilText('ready');
    await host.write(id, Buffer.from('\x13'));
    await host.write(id, Buffer.from('one\r'));
    // The kernel cannot have passed it on: output is stopped. A second session shows that time has gone by.
    const other = await openProgram(host, programRequest('/bin/sh', ['-c', 'sleep 0.2; echo done']));
    await other.sink.untilEnd();
    expect(sink.text).not.toContain('got one');
    await host.write(id, Buffer.from('\x11'));
    await sink.untilText('got one');
  });

  it('reports a death at once while the output is stopped by Ctrl-S', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/sh', ['-c', 'echo ready; yes']));
    await sink.untilText('ready');
    await host.write(id, Buffer.from('\x13'));
    await host.kill(id, 'kill');
    await sink.untilExit();
    expect(sink.exitStatus?.code).toBe(137);
  });
});

describe('stream', () => {
  it('replays from any kept offset and tells the size in force there', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/cat'));
    await host.write(id, Buffer.from('first\r'));
    await sink.untilText('first\r\nfirst\r\n');
    await host.resize(id, 100, 40);
    await host.write(id, Buffer.from('second\r'));
    await sink.untilText('second\r\nsecond\r\n');
    const at = sink.events.find((event) => event.kind === 'resized');
    expect(at).toEqual({ kind: 'resized', offset: 14, cols: 100, rows: 40 });

    const early = new RecordingSink();
    expect(await host.attach(id, 3, early)).toMatchObject({ start: 3, cols: 80, rows: 24 });
    await early.untilText('second\r\nsecond\r\n');
    expect(early.events.map((event) => event.kind)).toEqual(['output', 'resized', 'output']);
    expect(early.text).toBe(sink.text.slice(3));

    const late = new RecordingSink();
    expect(await host.attach(id, 14, late)).toMatchObject({ start: 14, cols: 100, rows: 40 });
    await late.untilText('second\r\nsecond\r\n');
    expect(late.events.every((event) => event.kind === 'output')).toBe(true);
  });

  it('records a size before the program can react to it', async () => {
    const host = newHost();
    const script = 'trap "stty size" WINCH; echo ready; while :; do sleep 0.05; done';
    const { id, sink } = await openProgram(host, programRequest('/bin/sh', ['-c', script]));
    await sink.untilText('ready');
    await host.resize(id, 111, 33);
    await sink.untilText('33 111');
    const kinds = sink.events.map((event) =>
      event.kind === 'output' ? Buffer.from(event.bytes).toString() : event.kind,
    );
    expect(kinds.indexOf('resized')).toBeLessThan(kinds.findIndex((text) => text.includes('33 111')));
    expect(kinds.indexOf('resized')).toBeGreaterThan(-1);
  });

  it('says nothing to a sink before the caller knows where the stream starts', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/echo', ['hello']));
    await sink.untilEnd();
    const second = new RecordingSink();
    await host.attach(id, 0, second);
    expect(second.events).toEqual([]);
    await second.untilEnd();
    expect(second.events.map((event) => event.kind)).toEqual(['output', 'exit', 'end']);
  });

  it('a second sink takes the stream from the first', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/cat'));
    const second = new RecordingSink();
    await host.attach(id, 0, second);
    await host.write(id, Buffer.from('only once\r'));
    await second.untilText('only once\r\nonly once');
    expect(sink.text).toBe('');
  });

  it('pause stops reading, and the program, until resume', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/cat'));
    await host.pause(id);
    expect((await host.list())[0]?.paused).toBe(true);
    await host.write(id, Buffer.from('quiet\r'));
    const other = await openProgram(host, programRequest('/bin/sh', ['-c', 'sleep 0.2; echo done']));
    await other.sink.untilEnd();
    expect(sink.text).toBe('');
    await host.resume(id);
    await sink.untilText('quiet\r\nquiet');
  });

  it('refuses an offset the session has not reached', async () => {
    const host = newHost();
    const { id } = await openProgram(host, programRequest('/bin/cat'));
    await expect(host.attach(id, 5, new RecordingSink())).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('forgets an ended session and refuses to forget a live one', async () => {
    const host = newHost();
    const live = await openProgram(host, programRequest('/bin/cat'));
    const ended = await openProgram(host, programRequest('/bin/true'));
    await ended.sink.untilEnd();
    await expect(host.forget(live.id)).rejects.toMatchObject({ code: 'invalid_input' });
    await host.forget(ended.id);
    expect((await host.list()).map((session) => session.id)).toEqual([live.id]);
    await expect(host.read(ended.id, 0, 10)).rejects.toMatchObject({ code: 'session_not_found' });
  });
});
