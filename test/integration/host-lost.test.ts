/** kill -9 of the pty host: its sessions are lost and say so; nothing pretends that a program ended well. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const cleanup = cleanupAfterEach();

async function entryOf(server: ServerUnderTest, id: string) {
  return (await server.ipc.listSessions()).find((session) => session.session_id === id);
}

async function expectLost(server: ServerUnderTest, id: string, text: string): Promise<void> {
  const entry = await eventually('the session to be lost', async () => {
    const found = await entryOf(server, id);
    return found?.lifecycle === 'lost' && found;
  });
  expect(entry).not.toHaveProperty('exit_code');
  expect((await server.ipc.textOutput(id)).data).toContain(text);
  const log = await server.ipc.logOutput(id, { offset: 0, limit: 100 });
  const lines = [...log.lines, ...log.screen].map((line) => line.spans.map((span) => span.text).join(''));
  expect(lines[0]).toMatch(/^line 1 /);
  expect(lines.join('\n')).toContain(text);
  const write = await server.ipc.post(`/sessions/${id}/write`, { data: 'x' });
  expect(write.status, 'T21: a write to a lost session').toBe(409);
  expect(write.text).toContain('lost');
  const viewer = await openStream(server.ipc.target, id, { format: 'bytes' });
  expect(await viewer.frame('closed')).toEqual({ type: 'closed', session_id: id, reason: 'host_lost' });
  const snapshot = viewer.frames.find((frame) => frame.type === 'snapshot');
  expect(snapshot?.type === 'snapshot' && snapshot.data).toContain(text);
  expect(viewer.frames.filter((frame) => frame.type === 'exit')).toEqual([]);
  await viewer.closed;
}

describe('the pty host is killed', () => {
  it('P2: its sessions become lost, with their last screen and without an exit code; new ones work', async () => {
    const server = await startServer(cleanup);
    const events = await openEvents(server.ipc.target);
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { alias: 'keep-7' });
    await puppet.lines(1, 40);
    await puppet.write('the last screen');
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, keep: true });
    await viewer.until('the screen', () => viewer.content.includes('the last screen'));
    const before = server.host?.pid;
    await server.killHost();

    const closed = await events.event('session-closed', (data) => data.session_id === id);
    expect(closed.data.reason).toBe('host_lost');
    expect(await viewer.frame('closed')).toMatchObject({ reason: 'host_lost' });
    await expectLost(server, id, 'the last screen');
    expect(events.named('pty-exit')).toEqual([]);
    expect((await entryOf(server, id))?.alias).toBe('keep-7');
    expect((await server.ipc.get('/health')).status).toBe(200);

    const next = await startPuppet(cleanup, server.ipc);
    await next.puppet.write('a new host');
    await eventually('its output', async () => (await server.ipc.textOutput(next.id)).data.includes('a new host'));
    expect(server.host?.pid).not.toBe(before);
    expect(events.named('session-closed')).toHaveLength(1);

    await server.restart();
    await expectLost(server, id, 'the last screen');
    expect((await entryOf(server, next.id))?.lifecycle).toBe('live');
    await server.ipc.remove(id);
    expect(await entryOf(server, id)).toBeUndefined();
    expect((await server.ipc.get(`/sessions/${id}/output`)).status).toBeOneOf([200, 404]);
  });

  it('P2: server and host both killed: lost after the restart, never an exit 0', async () => {
    const server = await startServer(cleanup);
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    await puppet.lines(1, 30);
    await puppet.write('before the crash');
    await eventually('the screen', async () => (await server.ipc.textOutput(id)).data.includes('before the crash'));
    // While the host lives, the screen goes to the disk only now and then; with both gone this is what is left.
    await eventually('the screen on disk', async () => {
      try {
        return (await readFile(`${server.configDirectory}/sessions/${id}/screen`)).includes('before the crash');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    });
    await server.kill9();
    await server.killHost();
    await server.start();
    await expectLost(server, id, 'before the crash');
    const next = await startPuppet(cleanup, server.ipc);
    await next.puppet.ready();
    await server.ipc.remove(next.id);
  });
});
