/** A capture of a real session against what its program really wrote and read. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Capture, type CaptureStatus, decodeCapture, LIMITS } from '../../src/contract/index.ts';
import { replayCapture } from '../../src/domain/capture/index.ts';
import { makeText, sha256, turnedOut } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

function partOf({ records }: Capture, wanted: 'output' | 'input'): Buffer {
  return Buffer.concat(records.filter(({ direction }) => direction === wanted).map(({ bytes }) => bytes));
}

describe('capture of a running session', () => {
  it('P1 FIX-1: at full speed: every byte in order, input and answers too; what does not fit is told', async () => {
    const server = await startServer(cleanup);
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const other = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const change = (body: object) => server.ipc.ok('POST', '/diagnostics/capture', body) as Promise<CaptureStatus>;
    const read = async () => decodeCapture(await readFile(join(server.configDirectory, 'captures', `${id}.tcap`)));
    await change({ enabled: true, session_id: id });

    const text = makeText(400_000);
    await server.ipc.write(id, 'typed');
    await puppet.untilRead(5);
    await puppet.write(`${text}\x1b[5n`);
    // The answer to the query is input of the terminal as well.
    await puppet.untilRead(9);
    await other.puppet.write('of another session');
    await eventually('all output to be recorded', async () => {
      const status = (await server.ipc.ok('GET', '/diagnostics/capture')) as CaptureStatus;
      return (status.sessions[id] ?? 0) > text.length;
    });
    const first = await change({ enabled: false });
    expect(first).toMatchObject({ enabled: false, ended: {} });
    expect(Object.keys(first.sessions)).toEqual([id]);
    const capture = await read();
    expect(sha256(partOf(capture, 'output'))).toBe(sha256(`${turnedOut(text)}\x1b[5n`));
    expect(partOf(capture, 'input').toString()).toBe('typed\x1b[0n');
    expect(capture.records[0]?.direction).toBe('input');
    const times = capture.records.map(({ microseconds }) => microseconds);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    // The same screen as the session's.
    const { rows, cols } = (await server.ipc.listSessions()).find(({ session_id }) => session_id === id) ?? {};
    if (rows === undefined || cols === undefined) throw new Error('the session is gone');
    const shown = (await server.ipc.textOutput(id)).data.split('\n');
    expect(replayCapture(capture, { rows, cols }).screen).toEqual(shown);

    await change({ enabled: true });
    await puppet.write(makeText(700_000));
    const full = await eventually('the file to be full', async () => {
      const status = (await server.ipc.ok('GET', '/diagnostics/capture')) as CaptureStatus;
      return status.ended[id] === 'full' && status;
    });
    expect(full.sessions[id]).toBeLessThanOrEqual(LIMITS.captureFile);
    await change({ enabled: false });
    const cut = await read();
    expect(cut.trailing).toBe(0);
    const kept = partOf(cut, 'output').toString();
    expect(kept.length).toBeGreaterThan(LIMITS.captureFile * 0.8);
    expect(turnedOut(makeText(700_000)).startsWith(kept)).toBe(true);
    const logs = (await server.ipc.ok('GET', '/logs?source=capture&audience=user')) as { data_json?: string }[];
    expect(logs.some(({ data_json }) => data_json?.includes('"full"'))).toBe(true);
  });
});
