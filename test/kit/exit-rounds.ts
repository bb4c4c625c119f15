/** T01 in any number of runs: a program prints 20,480 bytes and exits at once. */
import { expect } from 'vitest';
import { inParallel, makeText, range, sha256, turnedOut, writeTemporary } from './cases.ts';
import type { Cleanup } from './cleanup.ts';
import type { EventClient } from './event-client.ts';
import type { ServerUnderTest } from './server.ts';
import { openStream } from './stream-client.ts';

const BYTES = 20_480;

/** Without a viewer: everything is in the output when the exit is told. */
export async function runUnwatchedExits(
  cleanup: Cleanup,
  server: ServerUnderTest,
  events: EventClient,
  runs: number,
): Promise<void> {
  const text = makeText(BYTES);
  const path = await writeTemporary(cleanup, 'short', text);
  const expected = sha256(turnedOut(text));
  await inParallel(range(runs), 4, async (run) => {
    const { session_id } = await server.ipc.createSession({ shell: '/bin/cat', args: [path], rows: 24, cols: 80 });
    await events.event('pty-exit', (data) => data.session_id === session_id);
    const output = await server.ipc.rawOutput(session_id, 100_000);
    expect(sha256(output.data), `run ${run}: ${output.data_length} bytes`).toBe(expected);
    expect(output.total_written).toBe(Buffer.byteLength(turnedOut(text)));
    const closed = await events.event('session-closed', (data) => data.session_id === session_id);
    expect(closed.data.reason).toBe('process_exit');
  });
}

/** With a viewer: everything is in the stream before its exit frame, and the close frame is the last. */
export async function runWatchedExits(cleanup: Cleanup, server: ServerUnderTest, runs: number): Promise<void> {
  const text = makeText(BYTES, 7);
  const path = await writeTemporary(cleanup, 'short', text);
  await inParallel(range(runs), 4, async (run) => {
    const { session_id } = await server.ipc.createSession({
      shell: '/bin/sh',
      args: ['-c', `stty -echo; read go; exec cat ${path}`],
    });
    const viewer = await openStream(server.ipc.target, session_id, { format: 'bytes', offset: 0, keep: true });
    viewer.send('\n');
    const { code } = await viewer.closed;
    expect(viewer.recorder.faults).toEqual([]);
    expect(viewer.order.at(-1)).toBe('closed');
    expect(viewer.order.lastIndexOf('bytes')).toBeLessThan(viewer.order.indexOf('exit'));
    // The echo of the newline may come before `stty` runs.
    expect(viewer.content.replace(/^\r\n/, ''), `run ${run}`).toBe(turnedOut(text));
    expect(await viewer.frame('exit')).toEqual({ type: 'exit', session_id, exit_code: 0 });
    expect(code).toBe(1000);
  });
}
