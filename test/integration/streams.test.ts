/** What viewers get of a terminal's output, and what a terminal gets of its viewers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/index.ts';
import { BASH, writeTemporary } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet, untilTaken } from '../kit/puppet.ts';
import { ScreenMirror } from '../kit/screen-mirror.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
});

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe('T03: letters of several bytes', () => {
  it('T03: a letter written in three parts arrives as one, in every view', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const raw = await openStream(server.ipc.target, id, { format: 'raw', offset: 0 });
    const log = await openStream(server.ipc.target, id, { format: 'log' });
    let written = 0;
    for (const byte of [0xe2, 0x89, 0xa4]) {
      await puppet.writeBytes(Uint8Array.of(byte));
      written++;
      await eventually('the byte', async () => (await server.ipc.rawOutput(id)).total_written === written);
    }
    await puppet.write('end');
    await raw.until('the end', () => raw.text.includes('end'));
    expect(raw.text).toBe('≤end');
    expect((await server.ipc.rawOutput(id)).data).toBe('≤end');
    expect((await server.ipc.textOutput(id)).data).toContain('≤end');
    const screens = () => JSON.stringify(log.frames);
    await log.until('the log view', () => screens().includes('≤end'));
    expect(screens()).not.toContain('\ufffd');
  });

  it('T03: a dangling tail at the exit is exactly one replacement character', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const raw = await openStream(server.ipc.target, id, { format: 'raw', offset: 0 });
    await puppet.write('tail:');
    await puppet.writeBytes(Uint8Array.of(0xe2, 0x89));
    await puppet.exit(0);
    await raw.closed;
    expect(raw.text).toBe('tail:\ufffd');
    expect((await server.ipc.rawOutput(id)).data).toBe('tail:\ufffd');
    expect(count((await server.ipc.textOutput(id)).data, '\ufffd')).toBeLessThanOrEqual(1);
  });

  it('T03: box lines longer than any buffer have no broken letter', async () => {
    const box = '─'.repeat(70);
    const path = await writeTemporary(cleanup, 'box', `${box}\n`.repeat(1_500));
    const { session_id } = await server.ipc.createSession({
      shell: '/bin/sh',
      args: ['-c', `stty -echo; read go; exec cat ${path}`],
    });
    const raw = await openStream(server.ipc.target, session_id, { format: 'raw', offset: 0 });
    raw.send('\n');
    await raw.closed;
    expect(raw.text).not.toContain('\ufffd');
    expect(count(raw.text, '─')).toBe(70 * 1_500);
    const log = await server.ipc.logOutput(session_id, { offset: 0, limit: 2_000 });
    const lines = [...log.lines, ...log.screen].map((line) => line.spans.map((span) => span.text).join(''));
    expect(lines.filter((line) => line === box)).toHaveLength(1_500);
  });
});

describe('T05: a flood', () => {
  it('T05: Ctrl-C stops it and a viewer that reads 100 KB/s sees the prompt; others stay served', async () => {
    const { session_id } = await server.ipc.createSession(BASH);
    const other = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const viewer = await openStream(server.ipc.target, session_id, { format: 'bytes', offset: 0, keep: true });
    await viewer.until('the prompt', () => viewer.content.includes('ready> '));
    viewer.slow(100_000);
    await server.ipc.write(session_id, 'yes\n');
    await viewer.until('the flood', () => viewer.recorder.received > 150_000);
    for (let turn = 0; turn < 10; turn++) {
      expect((await server.ipc.get('/health')).status).toBe(200);
      await server.ipc.write(other.id, `${turn}`);
      await other.puppet.untilRead(turn + 1);
    }
    const before = viewer.recorder.received;
    await server.ipc.write(session_id, '\x03');
    const promptShown = () => {
      const frame = viewer.frames.findLast((candidate) => candidate.type === 'snapshot');
      const tail = viewer.content.slice(Math.max(0, before - 100));
      return /\^C[\s\S]*ready> $/.test(tail) || (frame?.type === 'snapshot' && /\^C[\s\S]*ready> /.test(frame.data));
    };
    // 5 s is what a backlog of 500 KB would take at this speed: with more queued than that the test fails.
    await viewer.until('the prompt after Ctrl-C', promptShown, 5_000);
    expect(viewer.recorder.faults).toEqual([]);
  });
});

describe('T07: one line of megabytes', () => {
  it('T07: limits count bytes first, whatever the lines are', async () => {
    const { session_id } = await server.ipc.createSession({
      shell: '/bin/sh',
      args: ['-c', 'head -c 5000000 /dev/zero | tr "\\0" a; read go'],
    });
    const viewer = await openStream(server.ipc.target, session_id, { format: 'bytes', offset: 0 });
    await viewer.untilOffset(5_000_000);
    const raw = await server.ipc.rawOutput(session_id, 8_192);
    expect(raw.data_length).toBe(8_192);
    expect(raw.data).toBe('a'.repeat(8_192));
    expect(raw.total_written).toBe(5_000_000);
    const answer = await server.ipc.get(`/sessions/${session_id}/output?format=log&limit=100`);
    expect(answer.status).toBe(200);
    expect(answer.body.length).toBeLessThan(LIMITS.requestBody);
    const whole = await server.ipc.get(`/sessions/${session_id}/output?limit=100000000`);
    expect(whole.body.length).toBeLessThan(LIMITS.ring * 1.5);
    await server.ipc.remove(session_id);
  });
});

describe('T09: attaching again', () => {
  it('T09: a snapshot is the active buffer with its modes; the normal buffer is intact after leaving', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.write('\x1b[2J\x1b[Hnormal buffer\r\n\x1b[1;32mgreen\x1b[0m prompt> ');
    await puppet.write('\x1b[?1049h\x1b[?2004h\x1b[?1h\x1b[?1002h\x1b[?1006h\x1b[2J\x1b[5;10Hdrawn in the alternate');
    await untilTaken(server.ipc, id, puppet);
    const first = await openStream(server.ipc.target, id, { format: 'bytes' });
    const drawn = await first.frame('snapshot');
    expect(Buffer.byteLength(drawn.data)).toBeLessThanOrEqual(LIMITS.snapshot);
    const screen = new ScreenMirror(drawn.cols, drawn.rows);
    cleanup.defer(() => screen.dispose());
    await screen.write(drawn.data);
    expect(screen.isAlternate).toBe(true);
    expect(screen.rows()[4]).toBe(`${' '.repeat(9)}drawn in the alternate`);
    expect(screen.rows().join('\n')).not.toContain('normal buffer');
    expect(screen.cursor).toEqual({ row: 4, column: 31 });
    expect(screen.terminal.modes).toMatchObject({
      bracketedPasteMode: true,
      applicationCursorKeysMode: true,
      mouseTrackingMode: 'drag',
    });
    expect(drawn.data).toContain('\x1b[?1006h');
    first.cut();

    await puppet.write('\x1b[?1002l\x1b[?1006l\x1b[?2004l\x1b[?1049l');
    await untilTaken(server.ipc, id, puppet);
    const second = await openStream(server.ipc.target, id, { format: 'bytes' });
    const back = await second.frame('snapshot');
    const after = new ScreenMirror(back.cols, back.rows);
    cleanup.defer(() => after.dispose());
    await after.write(back.data);
    expect(after.isAlternate).toBe(false);
    expect(after.rows()).toEqual(['normal buffer', 'green prompt>']);
    expect(after.cursor).toEqual({ row: 1, column: 14 });
    expect(after.terminal.modes.bracketedPasteMode).toBe(false);
    expect(after.terminal.modes.mouseTrackingMode).toBe('none');
    expect(after.answers).toBe('');
  });
});

const CURSOR_QUERY = '\x1b[6n';
const DEVICE_QUERY = '\x1b[c';
const STATUS_QUERY = '\x1b[5n';
const STATUS_ANSWER = '\x1b[0n';

describe('T11 and T12: terminal queries', () => {
  it('T12: exactly one answer with no viewer, and with one', async () => {
    for (const viewers of [0, 1]) {
      const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
      const opened = [];
      for (let number = 0; number < viewers; number++) {
        opened.push(await openStream(server.ipc.target, id, { format: 'bytes' }));
      }
      await puppet.write(`\x1b[3;7H${CURSOR_QUERY}${DEVICE_QUERY}${STATUS_QUERY}`);
      await puppet.until('the last answer', () => puppet.received.includes(STATUS_ANSWER));
      // A second answer to an earlier query would come before the answer to a later one.
      await puppet.write(STATUS_QUERY);
      await puppet.until('one more answer', () => count(puppet.received.toString('latin1'), STATUS_ANSWER) === 2);
      const received = puppet.received.toString('latin1');
      expect(received, `${viewers} viewers`).toMatch(
        // biome-ignore lint/complexity/useRegexLiterals: the escapes read better in a string
        new RegExp('^\\x1b\\[3;7R\\x1b\\[\\?[0-9;]+c\\x1b\\[0n\\x1b\\[0n$'),
      );
      for (const viewer of opened) viewer.cut();
    }
  });

  it('T11: a replay carries no queries, and two more viewers cause no more answers', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.write(`before ${CURSOR_QUERY.repeat(20)}${DEVICE_QUERY} after`);
    await puppet.until('21 answers', () => count(puppet.received.toString('latin1'), '\x1b[') >= 21);
    const viewers = [
      await openStream(server.ipc.target, id, { format: 'raw' }),
      await openStream(server.ipc.target, id, { format: 'raw' }),
    ];
    const bytes = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, keep: true });
    const fresh = await openStream(server.ipc.target, id, { format: 'bytes' });
    for (const viewer of viewers) await viewer.until('the replay', () => viewer.text.includes(' after'));
    await bytes.until('the replay', () => bytes.content.includes(' after'));
    const snapshot = await fresh.frame('snapshot');
    for (const text of [...viewers.map((viewer) => viewer.text), bytes.content, snapshot.data]) {
      expect(text).toContain('before');
      expect(text).not.toContain(CURSOR_QUERY);
      expect(text).not.toContain(DEVICE_QUERY);
    }
    await puppet.write(STATUS_QUERY);
    await puppet.until('the answer to a new query', () => puppet.received.includes(STATUS_ANSWER));
    expect(count(puppet.received.toString('latin1'), 'R')).toBe(20);
    expect(count(puppet.received.toString('latin1'), 'c')).toBe(1);
  });

  it('T11: a reply that a viewer sends to an answered query is dropped; what is typed passes', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const viewer = await openStream(server.ipc.target, id, { format: 'raw' });
    await puppet.write(`${DEVICE_QUERY}${CURSOR_QUERY}`);
    await puppet.until('both answers', () => count(puppet.received.toString('latin1'), '\x1b[') === 2);
    await viewer.until('the query to arrive', () => viewer.text.length > 0 || viewer.frames.length > 0);
    puppet.forgetReads();
    viewer.send('\x1b[?1;2c');
    viewer.send('\x1b[1;1R');
    viewer.send('typed');
    await puppet.untilRead(5);
    expect(puppet.received.toString('latin1')).toBe('typed');
  });
});

describe('T13: several windows', () => {
  it('T13: the last active viewer decides the size; it goes back when that one leaves', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { rows: 24, cols: 80 });
    const desk = await openStream(server.ipc.target, id, { format: 'bytes' });
    desk.control({ type: 'resize', rows: 50, cols: 200 });
    await puppet.until('the desk size', () => puppet.sizes.at(-1)?.columns === 200);
    const phone = await openStream(server.ipc.target, id, { format: 'bytes' });
    phone.control({ type: 'resize', rows: 80, cols: 40 });
    await puppet.until('the phone size', () => puppet.sizes.at(-1)?.columns === 40);
    await desk.until('to be told', () => desk.frames.some((frame) => frame.type === 'size' && frame.cols === 40));
    expect((await server.ipc.listSessions()).find((session) => session.session_id === id)).toMatchObject({
      rows: 80,
      cols: 40,
    });
    desk.send('x');
    await puppet.until('the desk size after typing there', () => puppet.sizes.at(-1)?.columns === 200);
    phone.control({ type: 'visible', visible: true });
    await puppet.until('the phone size after it is shown', () => puppet.sizes.at(-1)?.columns === 40);
    phone.cut();
    await puppet.until('the desk size again', () => puppet.sizes.at(-1)?.columns === 200);
    expect(puppet.sizes.at(-1)).toEqual({ columns: 200, rows: 50 });
    await desk.until('to be told again', () => desk.frames.findLast((frame) => frame.type === 'size')?.cols === 200);
  });
});

describe('T16 and T17: what is written', () => {
  it('T16: 1,204 bytes arrive whole and in order, through REST and through a viewer', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes' });
    const text = Array.from({ length: 1_204 }, (_, index) => String.fromCharCode(33 + (index % 90))).join('');
    await server.ipc.write(id, text);
    expect((await puppet.untilRead(1_204)).toString('latin1')).toBe(text);
    puppet.forgetReads();
    viewer.send(text);
    expect((await puppet.untilRead(1_204)).toString('latin1')).toBe(text);
  });

  it('T16: 300,000 bytes to a program that reads late arrive whole', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.do('deaf', { on: true });
    const text = Array.from({ length: 300_000 }, (_, index) => String.fromCharCode(33 + (index % 89))).join('');
    await server.ipc.write(id, text);
    await puppet.do('deaf', { on: false });
    expect((await puppet.untilRead(text.length)).toString('latin1') === text).toBe(true);
  });

  it('T17: a raw write adds nothing: no Enter, no paste marks, mode 2004 on or off', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    for (const mode of ['\x1b[?2004h', '\x1b[?2004l']) {
      puppet.forgetReads();
      await puppet.write(mode);
      await server.ipc.write(id, 'two\nlines\n');
      expect((await puppet.untilRead(10)).toString('latin1')).toBe('two\nlines\n');
    }
    puppet.forgetReads();
    await server.ipc.write(id, 'naïve ✓');
    expect((await puppet.untilRead(10)).toString('utf8')).toBe('naïve ✓');
  });
});

describe('pause and titles', () => {
  it('pause stops the reading of the terminal, resume goes on without a loss', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, keep: true });
    await puppet.write('first ');
    await viewer.untilOffset(6);
    await server.ipc.ok('POST', `/sessions/${id}/pause`);
    const metrics = (await server.ipc.ok('GET', '/metrics')) as { pauses_triggered: number };
    expect(metrics.pauses_triggered).toBeGreaterThanOrEqual(1);
    await puppet.write('second');
    await server.ipc.get('/health');
    expect(viewer.content).toBe('first ');
    await server.ipc.ok('POST', `/sessions/${id}/resume`);
    await viewer.untilOffset(12);
    expect(viewer.content).toBe('first second');
  });

  it('a title set by the program is told as an event and stands in the list as plain text', async () => {
    const events = await openEvents(server.ipc.target, { types: ['session-title'] });
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    await puppet.write('\x1b]2;<b>my & title</b>\x07');
    const event = await events.event('session-title', (data) => data.session_id === id);
    expect(event.data.title).toBe('<b>my & title</b>');
    const entry = (await server.ipc.listSessions()).find((session) => session.session_id === id);
    expect(entry?.title).toBe('<b>my & title</b>');
    expect(events.events.every((received) => received.name === 'session-title')).toBe(true);
    events.cut();
  });
});
