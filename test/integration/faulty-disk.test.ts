/** A configuration directory that cannot be used: one clear error that names it, and no crash. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeText, writeTemporary } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { mountReadOnly, mountSmall } from '../kit/mounts.ts';
import { startPuppet } from '../kit/puppet.ts';
import { prepareServer, startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

async function expectRefusal(configDirectory: string, named = configDirectory): Promise<void> {
  const server = await prepareServer(cleanup, { configDirectory });
  server.launch();
  const { code, signal } = await server.exited;
  const text = (server.output + server.errors).trim();
  expect(signal).toBeNull();
  expect(code).toBeGreaterThan(0);
  expect(text).toContain(named);
  expect(text).not.toMatch(/^\s+at .+:\d+/m);
  expect(text.split('\n').length, text).toBeLessThanOrEqual(4);
  expect(server.host).toBeUndefined();
}

describe('a configuration directory that cannot be written', () => {
  it('below a file', async () => {
    const file = await writeTemporary(cleanup, 'file', 'not a folder');
    await expectRefusal(join(file, 'tuicommander'));
  });

  it('on a read-only mount', async () => {
    const mount = await mountReadOnly(cleanup);
    await expectRefusal(join(mount, 'tuicommander'));
    await expectRefusal(mount);
  });

  it('on a file system without room', async () => {
    const mount = await mountSmall(cleanup, 64);
    await writeFile(join(mount, 'ballast'), Buffer.alloc(64 * 1024 - 4_096)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
    });
    const configDirectory = join(mount, 'c');
    await mkdir(configDirectory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
    });
    await expectRefusal(configDirectory);
  });
});

describe('a disk that becomes full', () => {
  it('P1: on 1 MiB: running terminals go on, refusals are errors with a text, and room cures it', async () => {
    const mount = await mountSmall(cleanup, 1_024);
    const configDirectory = join(mount, 'c');
    const server = await prepareServer(cleanup, { configDirectory });
    server.launch();
    const started = await Promise.race([
      server.linkPrinted().then(() => 'runs' as const),
      server.exited.then(() => 'refused' as const),
    ]).catch(() => 'refused' as const);
    if (started === 'refused') {
      // One MiB may be too little for the database: then that is said, once.
      const text = (server.output + server.errors).trim();
      expect(text).toContain(configDirectory);
      expect(text).not.toMatch(/^\s+at .+:\d+/m);
      return;
    }
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const ballast = join(mount, 'ballast');
    await writeFile(ballast, Buffer.alloc(2 * 1_048_576)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
    });
    await puppet.write(makeText(900_000));
    await puppet.write('the newest words');
    await eventually('its output', async () => (await server.ipc.textOutput(id)).data.includes('the newest words'));
    await server.ipc.write(id, 'typed');
    await puppet.untilRead(5);
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await server.ipc.post('/sessions', { shell: '/bin/sleep', args: ['600'] });
      expect(answer.status, answer.text).toBeOneOf([201, 500]);
      if (answer.status === 500) expect(answer.json()).toMatchObject({ error: expect.stringMatching(/written|full/) });
    }
    expect((await server.ipc.get('/health')).status).toBe(200);
    expect(server.isRunning).toBe(true);
    await rm(ballast);
    await eventually('a session to be created again', async () => {
      const answer = await server.ipc.post('/sessions', { shell: '/bin/sleep', args: ['600'] });
      return answer.status === 201;
    });
    await server.ipc.write(id, 'more');
    await puppet.untilRead(9);
  });

  it('a program may fill its own disk: the server does not care', async () => {
    const server = await startServer(cleanup);
    const mount = await mountSmall(cleanup, 64);
    const { session_id } = await server.ipc.createSession({
      shell: '/bin/sh',
      args: ['-c', 'head -c 1000000 /dev/zero > big || echo no room; read go'],
      cwd: mount,
    });
    await eventually('the complaint', async () => (await server.ipc.textOutput(session_id)).data.includes('no room'));
    await server.ipc.remove(session_id);
  });
});
