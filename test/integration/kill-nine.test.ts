/** P2: kill -9 of the server loses no byte, no session, no write. The long counts: test/long/kill-nine.test.ts. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { eventually } from '../kit/eventually.ts';
import { runCreateKills, runKillCycles } from '../kit/kill-cycles.ts';
import { preparePuppet, startPuppet } from '../kit/puppet.ts';
import { startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const cleanup = cleanupAfterEach();

describe('P2: kill -9 of the server', () => {
  it('P2: 10 times under output: stream, log and writes add up', async () => {
    const report = await runKillCycles(cleanup, 10);
    expect(report.bytes).toBeGreaterThan(0);
    expect(report.answeredWrites).toBeGreaterThan(0);
  });

  it('P2: while it creates sessions: each was started once or never', async () => {
    await runCreateKills(cleanup, 4);
  });

  it('P2: a program that ends while the server is down: its output and its exit code are there', async () => {
    const server = await startServer(cleanup);
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const lost = await preparePuppet(cleanup);
    const other = await server.ipc.createSession({ ...lost.program, rows: 30, cols: 90 });
    await server.kill9();
    await puppet.exit(7, 'the last words\n');
    await lost.puppet.write('written while nobody listened\n');
    await server.start();
    const entry = await eventually('the exit to be known', async () => {
      const found = (await server.ipc.listSessions(true)).find((session) => session.session_id === id);
      return found?.lifecycle !== 'live' && found;
    });
    expect(entry).toMatchObject({ lifecycle: 'exited', exit_code: 7 });
    expect((await server.ipc.rawOutput(id)).data).toBe('the last words\r\n');
    expect((await server.ipc.textOutput(other.session_id)).data).toContain('written while nobody listened');
    const kept = (await server.ipc.listSessions()).find((session) => session.session_id === other.session_id);
    expect(kept).toMatchObject({ lifecycle: 'live', rows: 30, cols: 90, alias: other.alias });
  });

  it('W09: an answer that comes late is not typed into the shell that is in front by then', async () => {
    const server = await startServer(cleanup);
    const directory = await cleanup.temporaryDirectory('tuic-w-');
    const go = join(directory, 'go');
    const asked = join(directory, 'asked');
    const { session_id } = await server.ipc.createSession({ ...BASH, cwd: directory });
    const before = await openStream(server.ipc.target, session_id, { format: 'raw' });
    await before.until('the prompt', () => before.text.includes('ready> '));
    await server.ipc.write(
      session_id,
      `sh -c 'until [ -e go ]; do sleep 0.05; done; printf "\\033[c\\033[6n"; touch asked'\n`,
    );
    await before.until('the command', () => before.text.includes('touch asked'));
    await server.kill9();
    await writeFile(go, '');
    await eventually('the program to ask', () => existsSync(asked));
    await server.start();
    const viewer = await openStream(server.ipc.target, session_id, { format: 'raw', offset: 0 });
    await server.ipc.write(session_id, 'echo mark-$((40+2))\n');
    await viewer.until('the shell to answer', () => viewer.text.includes('mark-42'));
    const text = (await server.ipc.textOutput(session_id)).data;
    const line = text.split('\n').find((row) => row.includes('echo mark-'));
    expect(line).toBe('ready> echo mark-$((40+2))');
    expect(text).not.toMatch(/\[\?\d|;\d+R|;\d+c/);
  });

  it('W03: an event reader learns that the server was replaced', async () => {
    const server = await startServer(cleanup);
    const { id } = await startPuppet(cleanup, server.ipc);
    const reader = await openEvents(server.ipc.target);
    await server.ipc.ok('PUT', `/sessions/${id}/name`, { name: 'one' });
    await reader.event('session-renamed');
    const lastEventId = reader.lastId ?? '';
    await server.kill9();
    await server.start();
    const back = await openEvents(server.ipc.target, { lastEventId });
    const first = await back.until('the first event', () => back.events[0]);
    expect(first.name).toBe('lagged');
    const entry = (await server.ipc.listSessions()).find((session) => session.session_id === id);
    expect(entry?.display_name).toBe('one');
    back.cut();
  });
});
