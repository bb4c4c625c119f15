/** Viewers and event readers that lose their connection: what was missed comes, or is told. */
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/index.ts';
import { ByteRecorder } from '../kit/byte-recorder.ts';
import { BASH, range } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { type EventClient, openEvents } from '../kit/event-client.ts';
import { startPuppet, untilTaken } from '../kit/puppet.ts';
import { ScreenMirror } from '../kit/screen-mirror.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;
let patient: EventClient;

beforeAll(async () => {
  server = await startServer(shared);
  patient = await openEvents(server.ipc.target);
  shared.defer(() => patient.cut());
});

describe('W01: a cut connection', () => {
  it('W01: does not touch the program: same process, same screen', async () => {
    const { session_id } = await server.ipc.createSession(BASH);
    const viewer = await openStream(server.ipc.target, session_id, { format: 'bytes', offset: 0, keep: true });
    await viewer.until('the prompt', () => viewer.content.includes('ready> '));
    await server.ipc.write(session_id, 'echo on the screen; sleep 600\n');
    await viewer.until('the output', () => viewer.content.includes('on the screen\r\n'));
    const leaf = async () =>
      ((await server.ipc.ok('GET', `/sessions/${session_id}/leaf-pid`)) as { pid: number | null }).pid;
    const foreground = async () =>
      ((await server.ipc.ok('GET', `/sessions/${session_id}/has-foreground`)) as { process: string | null }).process;
    const pid = await leaf();
    expect(pid).toBeGreaterThan(0);
    expect(await foreground()).toBe('sleep');
    viewer.cut();
    await viewer.closed;
    const back = await openStream(server.ipc.target, session_id, { format: 'bytes' });
    const snapshot = await back.frame('snapshot');
    const screen = new ScreenMirror(snapshot.cols, snapshot.rows);
    cleanup.defer(() => screen.dispose());
    await screen.write(snapshot.data);
    expect(screen.rows()).toEqual(['ready> echo on the screen; sleep 600', 'on the screen']);
    expect(await leaf()).toBe(pid);
    await server.ipc.remove(session_id);
  });
});

describe('W02: coming back with an offset', () => {
  it('W02: only what is missing is sent, byte for byte', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const recorder = new ByteRecorder();
    const first = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, recorder });
    await puppet.lines(1, 200);
    await first.until('half of it', () => recorder.received > 6_000);
    first.cut();
    await first.closed;
    const { bytes, sha256 } = await puppet.lines(201, 400).then(() => puppet.sum());
    const second = await openStream(server.ipc.target, id, { format: 'bytes', offset: recorder.next ?? 0, recorder });
    await second.untilOffset(bytes);
    expect(recorder.faults).toEqual([]);
    expect(recorder.gaps).toEqual([]);
    expect(second.frames.filter((frame) => frame.type === 'snapshot')).toEqual([]);
    expect(recorder.received).toBe(bytes);
    expect(recorder.sha256()).toBe(sha256);
  });

  it('W02: what is gone is told exactly, and the screen comes with it', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const recorder = new ByteRecorder();
    const first = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, recorder });
    await puppet.write('the beginning\n');
    await first.untilOffset(15);
    first.cut();
    await first.closed;
    const { bytes } = await puppet.lines(1, 40_000).then(() => puppet.sum());
    expect(bytes).toBeGreaterThan(LIMITS.ring * 2);
    await puppet.write('the end\n');
    const second = await openStream(server.ipc.target, id, { format: 'bytes', offset: 15, recorder });
    const gap = await second.frame('gap');
    expect(gap).toMatchObject({ from: 15, reason: 'evicted' });
    const snapshot = await second.frame('snapshot');
    expect(snapshot.offset).toBeGreaterThanOrEqual(gap.to);
    await second.untilOffset(bytes + 9);
    expect(second.order.filter((type) => type !== 'size').slice(0, 2)).toEqual(['gap', 'snapshot']);
    expect(recorder.faults).toEqual([]);
    expect(recorder.next).toBe(bytes + 9);
    const screen = new ScreenMirror(snapshot.cols, snapshot.rows);
    cleanup.defer(() => screen.dispose());
    await screen.write(snapshot.data);
    expect(screen.rows().join('\n')).toContain('line 40000 ');
  });

  it('W02: the log goes on at its line cursor, no line twice, none missing', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const lines: string[] = [];
    let cursor: number | undefined;
    const wanted = 300;
    const follow = async (until: number) => {
      const viewer = await openStream(
        server.ipc.target,
        id,
        cursor === undefined ? { format: 'log' } : { format: 'log', offset: cursor },
      );
      let seen = 0;
      await viewer.until(`line ${until}`, () => {
        for (; seen < viewer.frames.length; seen++) {
          const frame = viewer.frames[seen];
          if (frame?.type !== 'log') continue;
          if (frame.lines !== undefined && frame.lines.length > 0) {
            expect(frame.offset).toBe(lines.length);
            lines.push(...frame.lines.map((line) => line.spans.map((span) => span.text).join('')));
          }
          cursor = frame.total_lines;
        }
        return lines.length >= until;
      });
      viewer.cut();
      await viewer.closed;
    };
    await puppet.lines(1, 100);
    await follow(70);
    await puppet.lines(101, wanted);
    await follow(wanted - 24);
    expect(lines.map((line) => line.split(' ')[1])).toEqual(lines.map((_, index) => String(index + 1)));
    const page = await server.ipc.logOutput(id, { offset: 10, limit: 5 });
    expect(page.offset).toBe(10);
    expect(
      page.lines.map(
        (line) =>
          line.spans
            .map((span) => span.text)
            .join('')
            .split(' ')[1],
      ),
    ).toEqual(['11', '12', '13', '14', '15']);
  });

  it('W02: clearing the scrollback is told in the log, and cursors never go back', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    await puppet.lines(1, 100);
    await untilTaken(server.ipc, id, puppet);
    const before = await server.ipc.logOutput(id, { offset: 0, limit: 10 });
    expect(before.lines).toHaveLength(10);
    const viewer = await openStream(server.ipc.target, id, { format: 'log', offset: before.total_lines });
    await viewer.frame('log');
    await puppet.write('\x1b[3J\x1b[2J\x1b[H');
    await puppet.lines(1, 50);
    const gap = await viewer.frame('gap');
    expect(gap.reason).toBe('cleared by program');
    const after = await server.ipc.logOutput(id, { offset: 0, limit: 1_000 });
    expect(after.total_lines).toBeGreaterThanOrEqual(before.total_lines);
    expect(after.offset).toBeGreaterThanOrEqual(before.total_lines);
    expect(after.gap).toMatchObject({ from: 0, reason: 'cleared by program' });
  });
});

async function rename(id: string, name: string): Promise<void> {
  await server.ipc.ok('PUT', `/sessions/${id}/name`, { name });
}

describe('W03: events', () => {
  it('W03: five events, a cut, five more: the reader that resumes gets exactly those five', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const types = ['session-renamed'];
    const first = await openEvents(server.ipc.target, { types });
    expect(first.headers['content-type']).toContain('text/event-stream');
    await first.until('retry', () => first.retry === 5_000);
    for (const number of range(5)) await rename(id, `before ${number}`);
    await first.until('five events', () => first.events.length === 5);
    const lastEventId = first.lastId ?? '';
    first.cut();
    for (const number of range(5)) await rename(id, `after ${number}`);
    const second = await openEvents(server.ipc.target, { types, lastEventId });
    await second.until('five events', () => second.events.length === 5);
    await rename(id, 'now');
    await second.event('session-renamed', (data) => data.display_name === 'now');
    expect(second.events.map((event) => event.data.display_name)).toEqual([
      ...range(5).map((number) => `after ${number}`),
      'now',
    ]);
    expect(second.named('lagged')).toEqual([]);
    second.cut();
  });

  it('W03: two readers get the same id for the same event, filtered or not', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const all = await openEvents(server.ipc.target);
    const some = await openEvents(server.ipc.target, { types: ['session-renamed'] });
    await rename(id, 'same');
    const seen = await all.event('session-renamed', (data) => data.session_id === id);
    expect((await some.event('session-renamed', (data) => data.session_id === id)).id).toBe(seen.id);
    all.cut();
    some.cut();
  });

  it('W03: an id of another server process is told as lagged, and live events follow', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const reader = await openEvents(server.ipc.target, {
      types: ['session-renamed'],
      lastEventId: '0badc0de0badc0de-17',
    });
    await rename(id, 'live');
    await reader.event('session-renamed', (data) => data.display_name === 'live');
    const lagged = reader.events.filter((event) => event.name === 'lagged');
    expect(lagged).toHaveLength(1);
    expect(lagged[0]?.data.missed).toBeGreaterThanOrEqual(0);
    expect(reader.events[0]?.name).toBe('lagged');
    reader.cut();
  });
});

describe('W05: a reader that sleeps', () => {
  it('W05: the server sends bytes at least each 15 s, and a thawed reader is up to date', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const reader = await openEvents(server.ipc.target, { types: ['session-renamed'] });
    reader.stall();
    for (const number of range(20)) await rename(id, `frozen ${number}`);
    reader.thaw();
    await reader.event('session-renamed', (data) => data.display_name === 'frozen 19');
    expect(reader.named('session-renamed')).toHaveLength(20);
    reader.cut();
    // This reader has been open since the file began, so its first ping is due soon.
    await patient.until('a ping', () => patient.comments.includes('ping'), 20_000);
  });
});
