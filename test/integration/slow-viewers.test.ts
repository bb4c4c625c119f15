/** T06: readers that do not read. They cost a bounded amount, and nobody else notices them. */
import { Agent, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ByteRecorder } from '../kit/byte-recorder.ts';
import { range } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { residentBytes } from '../kit/processes.ts';
import { startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream, type StreamClient } from '../kit/stream-client.ts';

const cleanup = cleanupAfterEach();
const MEBIBYTE = 1_048_576;
const AMOUNT = 200 * MEBIBYTE;
/** Enough to bring a server with one reading client to the memory it needs for that. */
const WARM_UP = 40 * MEBIBYTE;
/** About 256 KiB: as long as the reader keeps up with that, it is never slow, however busy the machine is. */
const LINES_A_STEP = 3_300;

/** Lets `amount` bytes pass, each part after the reader has the one before; gives back the most memory the server had. */
async function pass(server: ServerUnderTest, amount: number, deafViewers: number): Promise<number> {
  const { id, puppet } = await startPuppet(cleanup, server.ipc, { rows: 24, cols: 80 });
  const recorder = new ByteRecorder({ startAt: 0 });
  const reader = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, recorder });
  const deaf: StreamClient[] = [];
  for (const number of range(deafViewers)) {
    const format = number % 2 === 0 ? 'bytes' : 'raw';
    deaf.push(await openStream(server.ipc.target, id, { format, stalled: true, acknowledge: false }));
  }
  const silent = await openEvents(server.ipc.target);
  silent.stall();
  let peak = 0;
  for (let next = 1; (recorder.next ?? 0) < amount; next += LINES_A_STEP) {
    const before = recorder.next ?? 0;
    const { bytes } = await puppet.lines(next, next + LINES_A_STEP - 1, 78);
    await reader.untilOffset(before + bytes);
    peak = Math.max(peak, residentBytes(server.pid));
  }
  const written = await puppet.sum();
  expect(recorder.faults).toEqual([]);
  expect(recorder.gaps).toEqual([]);
  expect(recorder.received).toBe(written.bytes);
  expect(recorder.sha256()).toBe(written.sha256);
  for (const viewer of deaf) viewer.cut();
  silent.cut();
  reader.cut();
  await server.ipc.remove(id);
  return peak;
}

describe('T06: clients that never read', () => {
  it('T06: 200 MB pass; a deaf viewer costs at most 16 MiB, and the reading one gets every byte', async () => {
    const server = await startServer(cleanup);
    const alone = await pass(server, WARM_UP, 0);
    const watched = await pass(server, AMOUNT, 2);
    const growth = (watched - alone) / MEBIBYTE;
    expect(growth, `${growth.toFixed(1)} MiB for two deaf viewers`).toBeLessThanOrEqual(2 * 16);
  }, 400_000);

  it('T06: a deaf viewer that reads again is told what it missed and goes on from there', async () => {
    const server = await startServer(cleanup);
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const recorder = new ByteRecorder({ startAt: 0 });
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, recorder });
    await puppet.write('start\n');
    await viewer.untilOffset(7);
    viewer.stall();
    const { bytes } = await puppet.lines(1, 150_000).then(() => puppet.sum());
    viewer.thaw();
    await viewer.untilOffset(bytes);
    expect(recorder.gaps.length).toBeGreaterThanOrEqual(1);
    expect(recorder.gaps[0]?.reason).toBe('slow viewer');
    expect(recorder.faults).toEqual([]);
    await puppet.write('and now\n');
    await viewer.untilOffset(bytes + 9);
    expect(recorder.faults).toEqual([]);
  });

  it('T06: an event reader that never reads is bounded and is told how many events it missed', async () => {
    const server = await startServer(cleanup);
    const { id } = await startPuppet(cleanup, server.ipc);
    const types = ['session-renamed'];
    const deaf = await openEvents(server.ipc.target, { types });
    const reader = await openEvents(server.ipc.target, { types });
    deaf.stall();
    const before = residentBytes(server.pid);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    cleanup.defer(() => agent.destroy());
    const total = 6_000;
    const rename = (number: number) =>
      new Promise<void>((resolve, reject) => {
        const body = JSON.stringify({ name: `${number} ${'ab'.repeat(95)}` });
        const put = request(
          {
            agent,
            socketPath: server.socketPath,
            method: 'PUT',
            path: `/sessions/${id}/name`,
            headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
          },
          (response) => {
            response.resume();
            response.on('end', () =>
              response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
            );
          },
        );
        put.on('error', reject);
        put.end(body);
      });
    let next = 0;
    await Promise.all(
      range(4).map(async () => {
        while (next < total) await rename(next++);
      }),
    );
    await reader.until('every event', () => reader.named('session-renamed').length === total);
    expect((residentBytes(server.pid) - before) / MEBIBYTE).toBeLessThan(64);
    deaf.thaw();
    const lagged = await deaf.event('lagged');
    // Four rename at once, so any of the last four may be the newest.
    await deaf.until('the newest event', () => deaf.events.at(-1)?.id === reader.events.at(-1)?.id);
    const missed = deaf.named('lagged').reduce((sum, event) => sum + Number(event.data.missed), 0);
    expect(Number(lagged.data.missed)).toBeGreaterThan(0);
    expect(missed + deaf.named('session-renamed').length).toBe(total);
    deaf.cut();
    reader.cut();
  });
});
