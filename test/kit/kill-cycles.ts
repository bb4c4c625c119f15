/**
 * P2, the promise that matters most: a server that is killed with -9 at random moments under output. One session writes
 * numbered lines all the time, a viewer resumes by offset, a reader follows the log by line, a writer sends numbered words.
 * In the end everything must add up.
 */
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { ByteRecorder } from './byte-recorder.ts';
import type { Cleanup } from './cleanup.ts';
import { eventually } from './eventually.ts';
import { startPuppet } from './puppet.ts';
import { startServer } from './server.ts';
import { openStream, type StreamClient } from './stream-client.ts';

export interface CycleReport {
  cycles: number;
  bytes: number;
  lines: number;
  answeredWrites: number;
  unansweredWrites: number;
}

/** Errors of a request that a killed server leaves behind. */
function isCut(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ECONNRESET' || code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'EPIPE';
}

export async function runKillCycles(cleanup: Cleanup, cycles: number): Promise<CycleReport> {
  const server = await startServer(cleanup);
  const quiet = await startPuppet(cleanup, server.ipc, { mode: 'raw', display_name: 'quiet' });
  await quiet.puppet.write('a quiet screen');
  const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw', rows: 24, cols: 100 });
  const recorder = new ByteRecorder({ startAt: 0 });
  const logLines: string[] = [];
  const logGaps: string[] = [];
  const answered: number[] = [];
  const unanswered: number[] = [];
  let nextWord = 1;
  let viewers: StreamClient[] = [];

  const followLog = (client: StreamClient) => {
    let seen = 0;
    void client
      .until(
        'never',
        () => {
          for (; seen < client.frames.length; seen++) {
            const frame = client.frames[seen];
            if (frame?.type === 'gap') logGaps.push(JSON.stringify(frame));
            if (frame?.type !== 'log' || frame.lines === undefined || frame.lines.length === 0) continue;
            if (frame.offset !== logLines.length)
              logGaps.push(`lines from ${frame.offset}, expected ${logLines.length}`);
            for (const line of frame.lines) logLines.push(line.spans.map((span) => span.text).join(''));
          }
          return client.close !== undefined;
        },
        1_200_000,
      )
      .catch((error: unknown) => logGaps.push(String(error)));
  };

  const connect = async () => {
    const bytes = await openStream(server.ipc.target, id, {
      format: 'bytes',
      offset: recorder.next ?? 0,
      recorder,
    });
    const log = await openStream(server.ipc.target, id, { format: 'log', offset: logLines.length });
    followLog(log);
    viewers = [bytes, log];
    return bytes;
  };

  await connect();
  // About 100 KB/s: less than the ring holds for the time a restart takes, so a viewer can always resume.
  await puppet.do('pour', { width: 60, burst: 2 });
  for (let cycle = 0; cycle < cycles; cycle++) {
    const [bytes] = viewers;
    const target = (recorder.next ?? 0) + Math.floor(Math.random() * 100_000);
    let isDown = false;
    const writing = (async () => {
      while (!isDown) {
        const word = nextWord++;
        try {
          const answer = await server.ipc.post(`/sessions/${id}/write`, { data: `<${word}>` });
          expect(answer.status).toBe(200);
          answered.push(word);
        } catch (error) {
          if (!isCut(error)) throw error;
          unanswered.push(word);
        }
      }
    })();
    await bytes?.untilOffset(target);
    isDown = true;
    await server.kill9();
    await writing;
    for (const viewer of viewers) await viewer.closed;
    await server.start();
    await connect();
    const live = await server.ipc.listSessions();
    expect(live.map((session) => session.lifecycle)).toEqual(['live', 'live']);
  }
  const written = (await puppet.do('stop')) as unknown as { last: number; bytes: number; sha256: string };
  const [bytes, log] = viewers;
  await bytes?.untilOffset(written.bytes);
  expect(recorder.faults).toEqual([]);
  expect(recorder.gaps).toEqual([]);
  expect(recorder.received).toBe(written.bytes);
  expect(recorder.sha256()).toBe(written.sha256);

  // 24 rows: the last line is on the row above the cursor, so 23 lines stand on the screen.
  await log?.until('the log to be complete', () => logLines.length >= written.last - 23);
  expect(logGaps).toEqual([]);
  const last = await server.ipc.logOutput(id, { limit: 1 });
  const screen = last.screen.map((line) => line.spans.map((span) => span.text).join('')).filter((text) => text !== '');
  const numbers = [...logLines, ...screen].map((line) => Number(/^line (\d+) /.exec(line)?.[1]));
  expect(numbers.findIndex((number, index) => number !== index + 1)).toBe(-1);
  expect(numbers).toHaveLength(written.last);

  const lastAnswered = answered.at(-1) ?? 0;
  await puppet.until('the last answered write', () => puppet.received.includes(`<${lastAnswered}>`));
  const counts = new Map<number, number>();
  for (const match of puppet.received.toString('latin1').matchAll(/<(\d+)>/g)) {
    counts.set(Number(match[1]), (counts.get(Number(match[1])) ?? 0) + 1);
  }
  expect(puppet.received.toString('latin1').replace(/<\d+>/g, '')).toBe('');
  expect(answered.filter((word) => counts.get(word) !== 1)).toEqual([]);
  expect(unanswered.filter((word) => (counts.get(word) ?? 0) > 1)).toEqual([]);

  const text = await server.ipc.textOutput(quiet.id);
  expect(text.data).toContain('a quiet screen');
  await server.ipc.write(quiet.id, 'still here');
  await quiet.puppet.untilRead(10);
  for (const viewer of viewers) viewer.cut();
  return {
    cycles,
    bytes: written.bytes,
    lines: written.last,
    answeredWrites: answered.length,
    unansweredWrites: unanswered.length,
  };
}

/** A server killed while it creates sessions: each was started once, or never, and what was answered is there. */
export async function runCreateKills(cleanup: Cleanup, cycles: number): Promise<void> {
  const server = await startServer(cleanup);
  const started = new Map<string, number>();
  const answeredIds: string[] = [];
  const directory = await cleanup.temporaryDirectory('tuic-c-');
  for (let cycle = 0; cycle < cycles; cycle++) {
    const ids = Array.from({ length: 4 }, (_, index) => `cycle-${cycle}-${index}`);
    const requests = ids.map(async (id) => {
      try {
        const created = await server.ipc.createSession({
          session_id: id,
          shell: '/bin/sh',
          args: ['-c', `echo x >> ${directory}/${id}; exec sleep 600`],
        });
        expect(created.session_id).toBe(id);
        answeredIds.push(id);
      } catch (error) {
        if (!isCut(error)) throw error;
      }
    });
    const first = Math.random() * 30;
    await new Promise((resolve) => setTimeout(resolve, first));
    await server.kill9();
    await Promise.all(requests);
    await server.start();
  }
  const sessions = await eventually('every session to be settled', async () => {
    const list = await server.ipc.listSessions();
    return list.every((session) => session.lifecycle === 'live') && list;
  });
  const live = new Set(sessions.map((session) => session.session_id));
  for (const id of answeredIds) expect(live, `${id} was answered`).toContain(id);
  await eventually('every live session to have started', async () => (await readdir(directory)).length >= live.size);
  for (const id of await readdir(directory)) {
    started.set(id, (await readFile(`${directory}/${id}`, 'utf8')).length / 2);
  }
  for (const [id, times] of started) {
    expect(times, `${id} was started ${times} times`).toBe(1);
    expect(live, `${id} runs, so it must be in the list`).toContain(id);
  }
  for (const id of live) await server.ipc.remove(id);
}
