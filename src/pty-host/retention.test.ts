import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { eventually } from '../../test/kit/eventually.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { openProgram, programRequest, RecordingSink } from '../../test/kit/recording-sink.ts';
import { DEADLINES, LIMITS } from '../contract/index.ts';
import { createHost, type LocalHost } from './index.ts';

const cleanup = cleanupAfterEach();

/** 2,688,894 bytes. */
const FLOOD = ['-c', 'stty -opost; seq 1 400000; exit 3'];
let flood = '';
for (let n = 1; n <= 400_000; n++) flood += `${n}\n`;

function newHost(clock?: ManualClock): LocalHost {
  const host = createHost({ bootId: 'boot', build: 'test', ...(clock === undefined ? {} : { clock }) });
  cleanup.defer(async () => {
    const done = host.shutdown();
    if (clock !== undefined) {
      let isDone = false;
      done.finally(() => (isDone = true)).catch(() => undefined);
      while (!isDone) await clock.advanceAsync(20);
    }
    await done;
  });
  return host;
}

async function state(host: LocalHost, id: string) {
  const found = (await host.list()).find((session) => session.id === id);
  if (found === undefined) throw new Error('no such session');
  return found;
}

/** Full: the next read might not fit. */
async function untilFull(host: LocalHost, id: string, clock?: ManualClock): Promise<number> {
  await eventually('the ring to be full', async () => {
    await clock?.advanceAsync(0);
    const { head, checkpointOffset } = await state(host, id);
    return head - checkpointOffset > LIMITS.ring - 65_536;
  });
  return (await state(host, id)).head;
}

/** Shows that time went by in which a program could have written more. */
async function letOthersRun(): Promise<void> {
  const other = await openProgram(newHost(), programRequest('/bin/sh', ['-c', 'sleep 0.1']));
  await other.sink.untilEnd();
}

describe('retention', () => {
  it('P1: an attached session is not overwritten: without a checkpoint the program waits, with one it goes on', async () => {
    const host = newHost();
    const request = programRequest('/bin/sh', FLOOD);
    await host.spawn(request);
    const sink = new RecordingSink();
    sink.onOutput = (end) => host.acknowledge(request.id, end);
    await host.attach(request.id, 0, sink);
    const head = await untilFull(host, request.id);
    await letOthersRun();
    expect((await state(host, request.id)).head).toBe(head);
    expect(head).toBeLessThanOrEqual(LIMITS.ring);
    expect((await state(host, request.id)).tail).toBe(0);
    expect(sink.byteCount).toBe(head);
    host.storeCheckpoint(request.id, head, Uint8Array.of(1));
    expect(await untilFull(host, request.id)).toBeGreaterThan(head + LIMITS.ring - 131_072);
    sink.onOutput = (end) => {
      host.storeCheckpoint(request.id, end, Uint8Array.of(1));
      host.acknowledge(request.id, end);
    };
    host.storeCheckpoint(request.id, sink.byteCount, Uint8Array.of(1));
    await sink.untilEnd();
    expect(sink.text === flood).toBe(true);
    expect(sink.exitStatus?.code).toBe(3);
  });

  it('P1: detached and full it waits 30 s, then overwrites, and tells exactly what is gone', async () => {
    const clock = new ManualClock();
    const host = newHost(clock);
    const request = programRequest('/bin/sh', FLOOD);
    await host.spawn(request);
    await host.resize(request.id, 90, 30);
    const head = await untilFull(host, request.id, clock);
    clock.advance(DEADLINES.hostDetachedPause - 1);
    await letOthersRun();
    expect(await state(host, request.id)).toMatchObject({ head, tail: 0 });
    clock.advance(1);
    await eventually('the program to end', async () => {
      await clock.advanceAsync(1);
      return (await state(host, request.id)).ended;
    });
    const { tail, head: end } = await state(host, request.id);
    expect([end, end - tail]).toEqual([flood.length, LIMITS.ring]);
    const sink = new RecordingSink();
    sink.onOutput = (to) => host.acknowledge(request.id, to);
    expect(await host.attach(request.id, 0, sink)).toMatchObject({ start: tail, cols: 90, rows: 30 });
    await sink.untilEnd();
    expect(sink.events[0]).toEqual({ kind: 'gap', from: 0, to: tail });
    expect(sink.text === flood.slice(tail)).toBe(true);
  });

  it('P2: a server that is back within 30 s finds every byte from its checkpoint on', async () => {
    const clock = new ManualClock();
    const host = newHost(clock);
    const request = programRequest('/bin/sh', FLOOD);
    await host.spawn(request);
    const first = new RecordingSink();
    await host.attach(request.id, 0, first);
    await eventually('some output', async () => {
      await clock.advanceAsync(2);
      return first.byteCount > 300_000;
    });
    host.storeCheckpoint(request.id, 200_000, Uint8Array.of(7));
    await host.detach(request.id);
    await untilFull(host, request.id, clock);
    clock.advance(DEADLINES.hostDetachedPause - 1);
    const second = new RecordingSink();
    second.onOutput = (to) => {
      host.storeCheckpoint(request.id, to, Uint8Array.of(8));
      host.acknowledge(request.id, to);
    };
    const attached = await host.attach(request.id, 200_000, second);
    expect(attached).toMatchObject({ start: 200_000, checkpoint: { offset: 200_000, blob: Uint8Array.of(7) } });
    clock.advance(DEADLINES.hostDetachedPause * 2);
    await eventually('the end', async () => {
      await clock.advanceAsync(2);
      return second.exitStatus !== undefined;
    });
    expect(second.text === flood.slice(200_000)).toBe(true);
  });

  it('P1: a full ring does not cost a dying program its last bytes', async () => {
    const host = newHost();
    const request = programRequest('/bin/sh', ['-c', 'stty -opost; exec seq 1 160000']);
    await host.spawn(request);
    await untilFull(host, request.id);
    const sink = new RecordingSink();
    await host.attach(request.id, 0, sink);
    await host.kill(request.id, 'kill');
    expect((await state(host, request.id)).exit).toBeUndefined();
    sink.onOutput = (to) => {
      host.storeCheckpoint(request.id, to, Uint8Array.of(1));
      host.acknowledge(request.id, to);
    };
    sink.onOutput(sink.byteCount);
    await sink.untilEnd();
    expect(flood.startsWith(sink.text)).toBe(true);
    expect(sink.byteCount).toBeGreaterThan(LIMITS.ring - 65_536);
    expect(sink.exitStatus?.signal).toBe('SIGKILL');
  });

  it('an older checkpoint never replaces a newer one', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(host, programRequest('/bin/echo', ['hello']));
    await sink.untilEnd();
    host.storeCheckpoint(id, 5, Uint8Array.of(5));
    host.storeCheckpoint(id, 3, Uint8Array.of(3));
    host.storeCheckpoint(id, 100, Uint8Array.of(100));
    expect(await host.checkpoint(id)).toEqual({ offset: 5, blob: Uint8Array.of(5) });
  });

  it('D10: says which bytes are older than 2 s', async () => {
    const clock = new ManualClock();
    const host = newHost(clock);
    const { id, sink } = await openProgram(host, programRequest('/bin/cat'));
    const type = async (text: string, until: string) => {
      await host.write(id, Buffer.from(text));
      await sink.untilText(until);
    };
    await type('old\r', 'old\r\nold\r\n');
    clock.advance(DEADLINES.queryOpen);
    await type('new\r', 'new\r\nnew\r\n');
    expect((await host.attach(id, 0, new RecordingSink())).staleBefore).toBe(10);
    clock.advance(DEADLINES.queryOpen - 1);
    expect((await host.attach(id, 0, new RecordingSink())).staleBefore).toBe(10);
    clock.advance(1);
    expect((await host.attach(id, 0, new RecordingSink())).staleBefore).toBe(20);
  });
});

describe('answers to terminal queries', () => {
  const prompt = 'PROMPT>';
  async function openShell(host: LocalHost) {
    const request = programRequest('/bin/bash', ['--norc', '--noediting', '-i']);
    request.env.PS1 = prompt;
    const shell = await openProgram(host, request);
    await shell.sink.untilText(prompt);
    return shell;
  }

  it('D10: reach the asking program once, the highest offset decides', async () => {
    const host = newHost();
    const { id, sink } = await openShell(host);
    const ask = String.raw`sh -c 'stty raw -echo; printf "\033[c"; head -c 7 | od -An -c; sleep 0.1; stty sane; echo finis""hed'`;
    await host.write(id, Buffer.from(`${ask}\r`));
    await sink.untilText('\x1b[c');
    const query = sink.text.indexOf('\x1b[c') + 3;
    host.answer(id, query, Buffer.from('\x1b[?1;2c'));
    host.answer(id, query, Buffer.from('TWICE\r'));
    host.answer(id, query - 1, Buffer.from('OLDER\r'));
    await sink.untilText('finished');
    expect(sink.text).toMatch(/033\s+\[\s+\?\s+1\s+;\s+2\s+c/);
    expect(sink.text).not.toMatch(/TWICE|OLDER/);
    expect((await state(host, id)).answeredOffset).toBe(query);
  });

  it('W09: a late answer is not given to the shell that has the terminal now', async () => {
    const host = newHost();
    const { id, sink } = await openShell(host);
    const ask = String.raw`sh -c 'printf "\033[c"; sleep 0.3'; echo ba""ck`;
    await host.write(id, Buffer.from(`${ask}\r`));
    await sink.untilText('\x1b[c');
    const query = sink.text.indexOf('\x1b[c') + 3;
    await sink.untilText('back');
    await sink.until(() => sink.text.lastIndexOf(prompt) > sink.text.indexOf('back'));
    host.answer(id, query, Buffer.from('LATE\r'));
    await host.write(id, Buffer.from('echo do""ne\r'));
    await sink.untilText('done');
    expect(sink.text).not.toContain('LATE');
    expect((await state(host, id)).answeredOffset).toBe(query);
  });
});
