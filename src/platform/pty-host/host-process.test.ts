import { spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll, cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { bundleClient } from '../../../test/kit/host-client.ts';
import { descriptorsOf, isAlive, listProcesses } from '../../../test/kit/processes.ts';
import { bundleHost, connectWhenReady, startHost } from '../../../test/kit/pty-host.ts';
import { openProgram, programRequest } from '../../../test/kit/recording-sink.ts';
import { HOST_FILES } from '../../contract/index.ts';

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

const BATCHES = process.env.TUIC_LONG === '1' ? 5 : 2;

describe('the host as a process', () => {
  it('of many hosts started at once, over the files of a dead one, exactly one stays', async () => {
    const directory = await cleanup.temporaryDirectory();
    const dead = startHost(program, directory, cleanup);
    (await connectWhenReady({ directory, build: 'test' }, cleanup)).close();
    const gone = once(dead, 'exit');
    dead.kill('SIGKILL');
    await gone;
    const children = Array.from({ length: 6 }, () => startHost(program, directory, cleanup));
    const codes = new Map<number | undefined, number | null>();
    let release = () => {};
    const fiveEnded = new Promise<void>((resolve) => (release = resolve));
    for (const child of children) {
      child.once('exit', (code) => {
        codes.set(child.pid, code);
        if (codes.size === 5) release();
      });
    }
    await fiveEnded;
    expect([...codes.values()]).toEqual([3, 3, 3, 3, 3]);
    const connection = await connectWhenReady({ directory, build: 'test' }, cleanup);
    expect(children.find((child) => !codes.has(child.pid))?.pid).toBe(connection.hello.pid);
  });

  it('files that were deleted under a living host come back, and no second host starts beside it', async () => {
    const { directory, child, connection } = await newHost();
    const { id } = await openProgram(connection, programRequest('/bin/cat'));
    rmSync(join(directory, HOST_FILES.lock));
    const second = startHost(program, directory, cleanup);
    expect((await once(second, 'exit'))[0]).toBe(3);
    connection.close();
    for (const name of [HOST_FILES.socket, HOST_FILES.token, HOST_FILES.lock]) {
      rmSync(join(directory, name), { force: true });
    }
    const again = await connectWhenReady({ directory, build: 'test' }, cleanup);
    expect(again.hello.pid).toBe(child.pid);
    expect((await again.list()).map((session) => session.id)).toEqual([id]);
    expect(statSync(join(directory, HOST_FILES.socket)).mode & 0o077).toBe(0);
  });

  it('outlives HUP, INT and PIPE; TERM ends it and all sessions', async () => {
    const { child, connection } = await newHost();
    const { id, pid, sink } = await openProgram(connection, programRequest('/bin/cat'));
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE', 'SIGQUIT'] as const) child.kill(signal);
    await connection.write(id, Buffer.from('alive\r'));
    await sink.untilText('alive\r\nalive');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

  it('P2: a client killed by -9 again and again loses no byte: each successor resumes by offset', {
    timeout: 60_000,
  }, async () => {
    const { directory, connection } = await newHost();
    const request = programRequest('/bin/sh', ['-c', 'stty -opost; seq 1 1000000; exit 9']);
    await connection.spawn(request);
    connection.close();
    const file = join(directory, 'received');
    writeFileSync(file, '');
    const script = join(program, '..', 'client.mjs');
    await bundleClient(script);
    for (let run = 0; ; run++) {
      const client = spawnProcess(process.execPath, [script, directory, request.id, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      cleanup.defer(() => client.kill('SIGKILL'));
      const done = once(client, 'exit');
      if (run < 12) {
        await once(client.stdout, 'data');
        client.kill('SIGKILL');
        await done;
        continue;
      }
      expect((await done)[0]).toBe(9);
      break;
    }
    let expected = '';
    for (let n = 1; n <= 1_000_000; n++) expected += `${n}\n`;
    expect(readFileSync(file, 'latin1') === expected).toBe(true);
  });

  // The server's own 100 are in test/integration/leaks.test.ts.
  it(`${BATCHES * 20} sessions opened and closed in batches leave no descriptor and no process`, {
    timeout: 60_000,
  }, async () => {
    const { child, connection } = await newHost();
    const pid = child.pid ?? 0;
    const count = () => descriptorsOf(pid).length;
    const before = count();
    for (let batch = 0; batch < BATCHES; batch++) {
      const opened = await Promise.all(
        Array.from({ length: 20 }, () =>
          openProgram(connection, programRequest('/bin/sh', ['-c', 'sleep 98765 & exec cat'])),
        ),
      );
      await Promise.all(opened.map(({ id }) => connection.kill(id, batch % 2 === 0 ? 'close' : 'kill')));
      await Promise.all(opened.map(({ sink }) => sink.untilEnd()));
      await Promise.all(opened.map(({ id }) => connection.forget(id)));
    }
    expect(await connection.list()).toEqual([]);
    // One that was still open for the start of the host may be closed by now.
    expect(count()).toBeLessThanOrEqual(before);
    expect(
      listProcesses().filter((entry) => entry.parent === pid || entry.arguments.join(' ') === 'sleep 98765'),
    ).toEqual([]);
  });
});
