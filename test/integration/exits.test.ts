/** The end of programs and of sessions: nothing of the output is lost, nothing of the tree is left. */
import { beforeAll, describe, expect, it } from 'vitest';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { type EventClient, openEvents } from '../kit/event-client.ts';
import { eventually } from '../kit/eventually.ts';
import { runUnwatchedExits, runWatchedExits } from '../kit/exit-rounds.ts';
import { environmentOf, isAlive, listProcesses, type ProcessEntry } from '../kit/processes.ts';
import { startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;
let events: EventClient;

beforeAll(async () => {
  server = await startServer(shared);
  events = await openEvents(server.ipc.target);
  shared.defer(() => events.cut());
});

describe('T01: a short program that prints 20,480 bytes and exits', () => {
  it('T01: 100 times, every byte is in the output before the exit is told', async () => {
    await runUnwatchedExits(cleanup, server, events, 100);
  });

  it('T01: 50 times with a viewer, the stream is whole before its exit frame', async () => {
    await runWatchedExits(cleanup, server, 50);
  });
});

describe('T02: the end of a shell', () => {
  it('T02: is an end of stream with its exit code, not an error', async () => {
    const { session_id } = await server.ipc.createSession(BASH);
    const raw = await openStream(server.ipc.target, session_id, { format: 'raw' });
    const log = await openStream(server.ipc.target, session_id, { format: 'log' });
    await raw.until('the prompt', () => raw.text.includes('ready> '));
    await server.ipc.write(session_id, 'exit 3\n');
    for (const viewer of [raw, log]) {
      expect(await viewer.closed).toMatchObject({ code: 1000 });
      expect(await viewer.frame('exit')).toEqual({ type: 'exit', session_id, exit_code: 3 });
      expect(await viewer.frame('closed')).toEqual({ type: 'closed', session_id, reason: 'process_exit' });
      expect(viewer.frames.at(-1)?.type).toBe('closed');
    }
    const entry = (await server.ipc.listSessions(true)).find((session) => session.session_id === session_id);
    expect(entry).toMatchObject({ lifecycle: 'exited', exit_code: 3 });
    expect((await server.ipc.listSessions()).map((session) => session.session_id)).not.toContain(session_id);
    expect(server.errors).not.toContain('EIO');
  });

  it('T02: death by a signal is 128 + its number', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes' });
    await puppet.do('kill', { signal: 'SIGTERM' }).catch(() => {});
    expect(await viewer.frame('exit')).toMatchObject({ exit_code: 143 });
  });

  it('the events of an exit come in order: pty-exit, then session-closed, each once', async () => {
    const { session_id } = await server.ipc.createSession({ shell: '/bin/sh', args: ['-c', 'exit 0'] });
    await events.event('session-closed', (data) => data.session_id === session_id);
    const own = events.events.filter((event) => event.data.session_id === session_id).map((event) => event.name);
    expect(own.filter((name) => name !== 'session-title')).toEqual([
      'term-alias-assigned',
      'session-created',
      'pty-exit',
      'session-closed',
    ]);
  });

  it('an exited session has no stream any more, but its output stays readable', async () => {
    const { session_id } = await server.ipc.createSession({ shell: '/bin/echo', args: ['the last words'] });
    await events.event('session-closed', (data) => data.session_id === session_id);
    await expect(openStream(server.ipc.target, session_id)).rejects.toMatchObject({ status: 404 });
    expect((await server.ipc.rawOutput(session_id)).data).toBe('the last words\r\n');
    expect((await server.ipc.textOutput(session_id)).data).toContain('the last words');
  });
});

function processesWith(identity: string): ProcessEntry[] {
  return listProcesses().filter((entry) => environmentOf(entry.pid)?.TUIC_SESSION === identity);
}

describe('T19: closing a session', () => {
  it('T19: ends the whole tree: background jobs, own groups, deaf ones, new sessions and orphans', async () => {
    const identity = crypto.randomUUID();
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { tuic_session: identity });
    const pids = [puppet.pid];
    for (const kind of ['plain', 'own-group', 'new-session', 'ignores-everything']) {
      pids.push(Number((await puppet.do('child', { kind })).pid));
    }
    pids.push(Number((await puppet.do('escapee')).pid));
    for (const pid of pids) expect(isAlive(pid)).toBe(true);
    expect(processesWith(identity).length).toBeGreaterThanOrEqual(pids.length);

    const closed = await server.ipc.request('DELETE', `/sessions/${id}`);
    expect(closed.json()).toEqual({ ok: true });
    await eventually('the whole tree to end', () => processesWith(identity).length === 0);
    for (const pid of pids) expect(isAlive(pid), `process ${pid}`).toBe(false);
    const told = await events.event('session-closed', (data) => data.session_id === id);
    expect(told.data.reason).toBe('explicit_close');
  });

  it('T19: of a shell with jobs ends them, and leaves another session alone', async () => {
    const identity = crypto.randomUUID();
    const other = await startPuppet(cleanup, server.ipc);
    const { session_id } = await server.ipc.createSession({ ...BASH, tuic_session: identity });
    const viewer = await openStream(server.ipc.target, session_id, { format: 'raw' });
    await viewer.until('the prompt', () => viewer.text.includes('ready> '));
    await server.ipc.write(
      session_id,
      "(trap '' HUP TERM INT; sleep 999) & setsid sleep 998 & nohup sleep 997 >/dev/null 2>&1 & echo jobs-''started\n",
    );
    await viewer.until('the jobs', () => viewer.text.includes('jobs-started'));
    await eventually('three sleeps', () => processesWith(identity).length >= 4);
    await server.ipc.remove(session_id);
    await eventually('the whole tree to end', () => processesWith(identity).length === 0);
    expect(isAlive(other.puppet.pid)).toBe(true);
    await server.ipc.remove(other.id);
    await other.puppet.untilGone();
  });

  it('a viewer of a closed session is told why and does not come back', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes', events: true });
    await server.ipc.remove(id);
    expect(await viewer.frame('closed')).toMatchObject({ reason: 'explicit_close' });
    expect((await viewer.closed).code).toBe(1000);
    expect(viewer.frames.filter((frame) => frame.type === 'event' && frame.event === 'session-closed')).toHaveLength(1);
  });
});

describe('T21: writing to a session that has ended', () => {
  it('T21: is an error, never a silent 200', async () => {
    const { session_id } = await server.ipc.createSession({ shell: '/bin/true' });
    await events.event('session-closed', (data) => data.session_id === session_id);
    const answer = await server.ipc.post(`/sessions/${session_id}/write`, { data: 'hello' });
    expect([404, 409]).toContain(answer.status);
    expect(answer.json()).toHaveProperty('error');
  });

  it('T21: a program that does not read: writes are accepted up to the cap, then refused whole', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.do('deaf', { on: true });
    let accepted = 0;
    let refused: { status: number; text: string } | undefined;
    const block = 'x'.repeat(1_000_000);
    while (refused === undefined && accepted < 10) {
      const answer = await server.ipc.post(`/sessions/${id}/write`, { data: block });
      if (answer.status === 200) accepted++;
      else refused = answer;
    }
    expect(refused?.status).toBe(500);
    expect(refused?.text).toContain('does not read its input');
    expect(accepted).toBeGreaterThanOrEqual(4);
    expect((await server.ipc.get('/health')).status).toBe(200);
    await puppet.do('deaf', { on: false });
    const received = await puppet.untilRead(accepted * block.length);
    expect(received.length).toBe(accepted * block.length);
  });
});
