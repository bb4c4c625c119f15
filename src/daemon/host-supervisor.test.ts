import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll, cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { environmentOf, hostOf, isAlive, processesOf } from '../../test/kit/processes.ts';
import { bundleHost } from '../../test/kit/pty-host.ts';
import { openProgram, programRequest } from '../../test/kit/recording-sink.ts';
import { connectPtyHost, type HostConnection } from '../platform/pty-host/index.ts';
import { createHostSupervisor } from './host-supervisor.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let hostProgram: string;
beforeAll(async () => {
  hostProgram = await bundleHost(shared);
});

async function newDirectory(): Promise<string> {
  const directory = await cleanup.temporaryDirectory();
  cleanup.defer(async () => {
    for (const entry of processesOf(directory)) process.kill(entry.pid, 'SIGKILL');
  });
  return directory;
}

function newSupervisor(configDirectory: string, program = hostProgram) {
  const supervisor = createHostSupervisor({ configDirectory, build: 'test', hostProgram: program, env: process.env });
  cleanup.defer(() => supervisor.stop());
  const story: string[] = [];
  const waiters = new Set<() => void>();
  const tell = (line: string) => {
    story.push(line);
    for (const wake of waiters) wake();
  };
  supervisor.onConnected((host) => tell(`connected ${host.hello.bootId}`));
  supervisor.onLost((bootId) => tell(`lost ${bootId}`));
  const untilLength = (length: number) =>
    new Promise<void>((resolve) => {
      const look = () => story.length >= length && resolve();
      waiters.add(look);
      look();
    });
  return { supervisor, story, untilLength };
}

describe('host supervisor', () => {
  it('starts one host for several askers, detached and with a clean environment', async () => {
    const directory = await newDirectory();
    const { supervisor, story } = newSupervisor(directory);
    expect(supervisor.host).toBeUndefined();
    const [first, second] = await Promise.all([supervisor.ensure(), supervisor.ensure()]);
    expect(first).toBe(second);
    expect(supervisor.host).toBe(first);
    expect(story).toEqual([`connected ${first?.hello.bootId}`]);
    const host = hostOf(directory);
    expect(host?.pid).toBe(first?.hello.pid);
    expect(host?.session).toBe(host?.pid);
    const environment = environmentOf(host?.pid ?? 0);
    expect(
      Object.keys(environment ?? {}).every((name) =>
        ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TUIC_PTY_HOST'].includes(name),
      ),
    ).toBe(true);
    await first?.shutdown();
  });

  it('uses a living host instead of starting another', async () => {
    const directory = await newDirectory();
    const before = await newSupervisor(directory).supervisor.ensure();
    const { supervisor } = newSupervisor(directory);
    const host = await supervisor.ensure();
    expect(host.hello.bootId).toBe(before.hello.bootId);
    await host.shutdown();
  });

  it('makes a broken connection again and does not call the host lost', async () => {
    const directory = await newDirectory();
    const { supervisor, story, untilLength } = newSupervisor(directory);
    const host = await supervisor.ensure();
    const { id } = await openProgram(host, programRequest('/bin/cat'));
    (host as HostConnection).close();
    await untilLength(2);
    expect(story[1]).toBe(`connected ${host.hello.bootId}`);
    const again = await supervisor.ensure();
    expect(again).not.toBe(host);
    expect((await again.list()).map((session) => session.id)).toEqual([id]);
    await again.shutdown();
  });

  it('tells a dead host as lost, once and before its successor', async () => {
    const directory = await newDirectory();
    const { supervisor, story, untilLength } = newSupervisor(directory);
    const host = await supervisor.ensure();
    const { pid } = await openProgram(host, programRequest('/bin/cat'));
    process.kill(host.hello.pid, 'SIGKILL');
    await untilLength(2);
    expect(story[1]).toBe(`lost ${host.hello.bootId}`);
    const next = await supervisor.ensure();
    expect(next.hello.bootId).not.toBe(host.hello.bootId);
    expect(story).toEqual([
      `connected ${host.hello.bootId}`,
      `lost ${host.hello.bootId}`,
      `connected ${next.hello.bootId}`,
    ]);
    expect(isAlive(pid)).toBe(false);
    await next.shutdown();
  });

  it('ensure right after the death of the host tells the loss first, too', async () => {
    const directory = await newDirectory();
    const { supervisor, story } = newSupervisor(directory);
    const host = await supervisor.ensure();
    process.kill(host.hello.pid, 'SIGKILL');
    await new Promise<void>((resolve) => host.onDisconnect(resolve));
    const next = await supervisor.ensure();
    expect(story).toEqual([
      `connected ${host.hello.bootId}`,
      `lost ${host.hello.bootId}`,
      `connected ${next.hello.bootId}`,
    ]);
    await next.shutdown();
  });

  it('a connection that another server took over is taken back only when asked', async () => {
    const directory = await newDirectory();
    const { supervisor, story } = newSupervisor(directory);
    const host = await supervisor.ensure();
    const gone = new Promise<void>((resolve) => host.onDisconnect(resolve));
    const other = await connectPtyHost({ directory, build: 'other' });
    cleanup.defer(() => other.close());
    await gone;
    expect(await other.list()).toEqual([]);
    expect(supervisor.host).toBeUndefined();
    const again = await supervisor.ensure();
    expect(story).toEqual([`connected ${host.hello.bootId}`, `connected ${host.hello.bootId}`]);
    await again.shutdown();
  });

  it('stop leaves the host and its sessions alone', async () => {
    const directory = await newDirectory();
    const { supervisor, story } = newSupervisor(directory);
    const host = await supervisor.ensure();
    const { pid } = await openProgram(host, programRequest('/bin/cat'));
    const gone = new Promise<void>((resolve) => host.onDisconnect(resolve));
    supervisor.stop();
    await gone;
    await expect(supervisor.ensure()).rejects.toMatchObject({ code: 'host_unavailable' });
    expect(story).toHaveLength(1);
    expect(isAlive(pid)).toBe(true);
    await (await newSupervisor(directory).supervisor.ensure()).shutdown();
  });

  it('says why no host can be started', async () => {
    const directory = await newDirectory();
    writeFileSync(join(directory, 'file'), '');
    await expect(newSupervisor(join(directory, 'file', 'below')).supervisor.ensure()).rejects.toMatchObject({
      code: 'host_unavailable',
      message: expect.stringContaining('ENOTDIR'),
    });
    await expect(newSupervisor(directory, join(directory, 'no-host.js')).supervisor.ensure()).rejects.toMatchObject({
      code: 'host_unavailable',
    });
  });
});
