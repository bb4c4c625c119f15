/** WS /sessions/:id/stream: framing, order, bounds, close codes (http.md 5). */
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { eventually, Signal } from '../../../test/kit/eventually.ts';
import { type ScriptedViewer, startFront, type TestFront, type TestFrontOptions } from '../../../test/kit/front.ts';
import { ApiClient, rawLines, rawRequest } from '../../../test/kit/http.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { openStream, type StreamClient, type StreamOptions, UpgradeRefused } from '../../../test/kit/stream-client.ts';
import { AppError, LIMITS } from '../../contract/index.ts';

const cleanup = cleanupAfterEach();

interface Opened {
  front: TestFront;
  client: StreamClient;
  viewer: ScriptedViewer;
  /** Resolves when the session saw this call. */
  called: (call: string) => Promise<unknown>;
}

async function open(
  options: StreamOptions = {},
  { id = 'known', front: given, ...frontOptions }: TestFrontOptions & { id?: string; front?: TestFront } = {},
): Promise<Opened> {
  const front = given ?? (await startFront(cleanup, frontOptions));
  const signal = new Signal();
  front.sessions.prepareViewer = (viewer) => {
    viewer.onCall = () => signal.notify();
  };
  const before = front.sessions.viewers.length;
  const client = await openStream(front.local, id, options);
  cleanup.defer(() => client.cut());
  const viewer = await eventually('the viewer', () => front.sessions.viewers[before]);
  const called = (call: string) =>
    signal.until(
      call,
      () => viewer.calls.includes(call),
      () => viewer.calls.join(', '),
    );
  return { front, client, viewer, called };
}

describe('opening', () => {
  it('hands the query to the session', async () => {
    const { front } = await open({ format: 'bytes', offset: 12, events: true });
    expect(front.sessions.calls).toEqual([['openViewer', 'known', { format: 'bytes', offset: 12, events: true }]]);
    await open({}, { front, id: 'ab-1' });
    expect(front.sessions.calls.at(-1)).toEqual(['openViewer', 'ab-1', { format: 'raw' }]);
    await open({ format: 'log' }, { front, id: 'gone' });
  });

  it('answers an unknown or ended session, or a bad query, as plain HTTP before the upgrade', async () => {
    const front = await startFront(cleanup);
    const refused = (id: string, query?: Record<string, string>) =>
      openStream(front.local, id, query === undefined ? {} : { query }).then(
        () => undefined,
        (error: unknown) => error,
      );
    for (const id of ['nobody', 'ended']) {
      expect(await refused(id)).toMatchObject({ status: 404, body: expect.stringContaining('Session not found') });
    }
    for (const query of [{ format: 'html' }, { offset: '-1' }, { offset: 'x' }, { events: 'yes' }]) {
      const error = await refused('known', query);
      expect(error).toBeInstanceOf(UpgradeRefused);
      expect(error).toMatchObject({ status: 400 });
    }
    expect((await new ApiClient(front.local).get('/sessions/known/stream')).status).toBe(400);
    expect(front.sessions.viewers).toEqual([]);
  });

  it('closes 1011 when the session is gone by the time it is opened', async () => {
    const front = await startFront(cleanup);
    front.sessions.beforeViewer = () => Promise.reject(new AppError('session_not_found'));
    const client = await openStream(front.local, 'known');
    expect(await client.closed).toMatchObject({ code: 1011, reason: 'Session not found' });
  });

  it('never offers compression', async () => {
    const front = await startFront(cleanup);
    const answer = await rawRequest(
      front.local,
      rawLines('GET /sessions/known/stream HTTP/1.1', [
        `Host: 127.0.0.1:${front.local.port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Extensions: permessage-deflate',
      ]),
    );
    expect(answer.status).toBe(101);
    expect(answer.head.toLowerCase()).not.toContain('extensions');
  });

  it('opens over the IPC socket as well', async () => {
    const front = await startFront(cleanup);
    const client = await openStream(front.ipc, 'known', { format: 'bytes' });
    cleanup.defer(() => client.cut());
    const viewer = await eventually('the viewer', () => front.sessions.viewers[0]);
    viewer.sink.bytes(0, Buffer.from('over ipc'));
    await client.untilOffset(8);
  });
});

describe('output', () => {
  it('frames bytes with their offset and everything else as JSON, in order', async () => {
    const { client, viewer } = await open({ format: 'bytes', keep: true });
    const large = 2 ** 40;
    viewer.sink.frame({ type: 'snapshot', data: 'é', offset: large, rows: 24, cols: 80 });
    viewer.sink.bytes(large, Buffer.from([0, 255, 10]));
    viewer.sink.frame({ type: 'gap', from: large + 3, to: large + 9, reason: 'slow viewer' });
    viewer.sink.bytes(large + 9, Buffer.from('end'));
    await client.untilOffset(large + 12);
    expect(client.order).toEqual(['snapshot', 'bytes', 'gap', 'bytes']);
    expect(client.frames[0]).toEqual({ type: 'snapshot', data: 'é', offset: large, rows: 24, cols: 80 });
  });

  it('closes 1000 after the session said closed, and says closed when the session did not', async () => {
    const first = await open();
    first.viewer.sink.frame({ type: 'exit', session_id: 'known', exit_code: 3 });
    first.viewer.sink.frame({ type: 'closed', session_id: 'known', reason: 'process_exit' });
    first.viewer.sink.end('process_exit');
    expect((await first.client.closed).code).toBe(1000);
    expect(first.client.order).toEqual(['exit', 'closed']);
    const second = await open({}, { front: first.front, id: 'ab-1' });
    second.viewer.sink.end('killed');
    expect((await second.client.closed).code).toBe(1000);
    expect(second.client.frames).toEqual([{ type: 'closed', session_id: 'known', reason: 'killed' }]);
    await second.called('dispose');
  });

  it('T06: tells the session what the network has not taken, and when it has', async () => {
    const { client, viewer } = await open({ format: 'bytes', acknowledge: false });
    client.stall();
    const block = Buffer.alloc(65_536, 1);
    let offset = 0;
    while (viewer.sink.backlog() < 1_048_576) {
      viewer.sink.bytes(offset, block);
      offset += block.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const drains = viewer.drains;
    client.thaw();
    await client.untilOffset(offset);
    await eventually('an empty backlog', () => viewer.sink.backlog() === 0);
    expect(viewer.drains).toBeGreaterThan(drains);
    expect(client.recorder.received).toBe(offset);
  });

  it('T06: cuts a viewer whose unsent bytes pass the bound, whatever the session does', async () => {
    const { client, viewer, called } = await open({ format: 'bytes', stalled: true });
    const block = Buffer.alloc(65_536, 1);
    let peak = 0;
    for (let sent = 0; sent < 200 * 1_048_576 && !viewer.isDisposed; sent += block.length) {
      viewer.sink.bytes(sent, block);
      peak = Math.max(peak, viewer.sink.backlog());
      if (sent % 1_048_576 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(peak).toBeLessThan(LIMITS.socketBuffer + 2 * block.length);
    await called('dispose');
    client.thaw();
    expect((await client.closed).code).toBe(1006);
  });

  it('T06: pings from a viewer that reads no pong stay within the bound', async () => {
    const front = await startFront(cleanup);
    const socket = new WebSocket(`ws://127.0.0.1:${front.local.port}/sessions/known/stream`);
    cleanup.defer(() => socket.terminate());
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('open', resolve));
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.pause();
    const payload = Buffer.alloc(125);
    const flood = async () => {
      while (socket.readyState === WebSocket.OPEN && !front.sessions.viewers[0]?.isDisposed) {
        for (let index = 0; index < 5_000; index++) socket.ping(payload);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await flood();
    socket.resume();
    socket.terminate();
    await gone;
    expect(front.sessions.viewers[0]?.isDisposed).toBe(true);
  });
});

describe('input', () => {
  it('writes every frame of raw, text and log as it is, and only binary frames of bytes', async () => {
    for (const format of ['raw', 'text', 'log'] as const) {
      const { client, viewer, called } = await open({ format });
      client.sendText('{"type":"ack","offset":1}');
      client.send(Buffer.from([3]));
      client.sendText('é');
      await called('input 2');
      expect(Buffer.concat(viewer.received).toString('utf8')).toBe('{"type":"ack","offset":1}\u0003é');
    }
    const { client, viewer, called } = await open({ format: 'bytes' });
    client.sendText('{"type":"unknown","offset":"x"}');
    client.control({ type: 'ack', offset: 7 });
    client.control({ type: 'resize', rows: 30, cols: 100 });
    client.control({ type: 'visible', visible: false });
    client.send(Buffer.from([0, 200]));
    await called('input 2');
    expect(viewer.calls).toEqual(['ack 7', 'resize 30x100', 'visible false', 'input 2']);
  });

  it('keeps the order of input while the session is slow, and acknowledges past it', async () => {
    const { client, viewer, called } = await open({ format: 'bytes' });
    const waiting: (() => void)[] = [];
    viewer.takeInput = () => new Promise((resolve) => waiting.push(resolve));
    for (const text of ['one', 'second', 'x']) client.send(text);
    client.control({ type: 'ack', offset: 99 });
    await called('ack 99');
    expect([waiting.length, viewer.received.length]).toEqual([1, 0]);
    for (let index = 0; index < 3; index++) {
      const release = await eventually('the next input', () => waiting.shift());
      release();
    }
    await called('input 1');
    expect(viewer.received.map(String)).toEqual(['one', 'second', 'x']);
  });

  it('loses nothing that came before the session had opened the viewer', async () => {
    const front = await startFront(cleanup);
    let openNow: () => void = () => {};
    front.sessions.beforeViewer = () =>
      new Promise((resolve) => {
        openNow = resolve;
      });
    const client = await openStream(front.local, 'known', { format: 'bytes' });
    cleanup.defer(() => client.cut());
    client.send('early');
    client.control({ type: 'resize', rows: 9, cols: 9 });
    client.control({ type: 'ack', offset: 1 });
    await eventually('the opening', () => front.sessions.calls.length > 0);
    await new ApiClient(front.local).get('/health');
    openNow();
    const viewer = await eventually('the viewer', () => front.sessions.viewers[0]);
    await eventually('all calls', () => viewer.calls.length === 3);
    expect(viewer.calls).toEqual(['input 5', 'resize 9x9', 'ack 1']);
  });

  it('P1: what a viewer typed before it left reaches the session, also when others wait before it', async () => {
    const { client, viewer, called } = await open({ format: 'bytes' });
    const waiting: (() => void)[] = [];
    viewer.takeInput = () => new Promise((resolve) => waiting.push(resolve));
    for (const text of ['one', 'second']) client.send(text);
    await client.leave();
    await called('dispose');
    for (let index = 0; index < 2; index++) {
      const release = await eventually('the next input', () => waiting.shift());
      release();
    }
    await called('input 6');
    expect(viewer.received.map(String)).toEqual(['one', 'second']);
  });

  it('closes a viewer that left during the opening', async () => {
    const front = await startFront(cleanup);
    let openNow: () => void = () => {};
    front.sessions.beforeViewer = () =>
      new Promise((resolve) => {
        openNow = resolve;
      });
    const client = await openStream(front.local, 'known');
    await eventually('the opening', () => front.sessions.calls.length > 0);
    client.cut();
    await client.closed;
    await new ApiClient(front.local).get('/health');
    openNow();
    const viewer = await eventually('the viewer', () => front.sessions.viewers[0]);
    await eventually('its end', () => viewer.isDisposed);
  });

  it('T21: tells a viewer that its input was refused, and goes on', async () => {
    const { client, viewer, called } = await open({ format: 'bytes' });
    viewer.takeInput = () => Promise.reject(new AppError('session_not_live', { lifecycle: 'lost' }));
    client.send('x');
    expect(await client.frame('error')).toEqual({
      type: 'error',
      code: 'session_not_live',
      error: 'The session is lost; it takes no input any more',
    });
    viewer.takeInput = () => Promise.resolve();
    client.control({ type: 'resize', rows: 0, cols: 1 });
    client.sendText('{"type":"unknown"}');
    client.send(Buffer.from('yz'));
    await called('input 2');
    await client.until('two refusals', () => client.frames.length === 2);
    expect(client.frames.map((frame) => (frame.type === 'error' ? frame.code : frame.type))).toEqual([
      'session_not_live',
      'size_out_of_range',
    ]);
  });

  it('T21: a paste is written as one when all of it is here, and answered; a refused one is told', async () => {
    const { client, viewer, called } = await open({ format: 'bytes' });
    client.control({ type: 'paste', id: 7, bytes: 5 });
    client.send(Buffer.from('abc'));
    client.send(Buffer.from('de'));
    client.send(Buffer.from('typed'));
    expect(await client.frame('pasted')).toEqual({ type: 'pasted', id: 7 });
    await called('input 5');
    await eventually('what was typed behind it', () => viewer.received.length === 2);
    expect(viewer.received.map(String)).toEqual(['abcde', 'typed']);
    viewer.takeInput = () => Promise.reject(new AppError('write_queue_full'));
    client.control({ type: 'paste', id: 8, bytes: 1 });
    client.send(Buffer.from('x'));
    await client.until('the refusal', () => client.frames.length === 2);
    expect(client.frames[1]).toMatchObject({ type: 'pasted', id: 8, code: 'write_queue_full' });
  });

  it('a paste that is cut off leaves nothing, and one that lies about its size ends the connection', async () => {
    const { client, viewer, front } = await open({ format: 'bytes' });
    client.control({ type: 'paste', id: 1, bytes: 4 });
    client.send(Buffer.from('abcde'));
    expect((await client.closed).code).toBe(1003);
    expect(viewer.received).toEqual([]);
    const other = await open({ format: 'bytes' }, { front });
    other.client.control({ type: 'paste', id: 1, bytes: 4 });
    other.client.control({ type: 'paste', id: 2, bytes: 4 });
    expect((await other.client.closed).code).toBe(1003);
    expect(other.viewer.received).toEqual([]);
  });

  it('closes 1011 on a fault of ours, without its text', async () => {
    const { client, viewer, front } = await open();
    viewer.takeInput = () => Promise.reject(new Error('inner secret'));
    client.send('x');
    expect(await client.closed).toEqual({ code: 1011, reason: '' });
    expect(front.log.recent().join()).toContain('inner secret');
  });

  it('closes 1003 on text that is no JSON object, and on a control that is not valid', async () => {
    const bad = [
      'ls\n',
      '',
      '[]',
      'null',
      '5',
      '{"type":"ack"}',
      '{"type":"ack","offset":-1}',
      '{"type":"resize","rows":"1","cols":1}',
      '{"type":"visible","visible":1}',
      '{"type":"paste","id":1,"bytes":0}',
      '{"type":"paste","id":1,"bytes":4194305}',
    ];
    const { front } = await open({ format: 'bytes' });
    for (const text of bad) {
      const { client, viewer } = await open({ format: 'bytes' }, { front });
      client.sendText(text);
      expect([text, (await client.closed).code]).toEqual([text, 1003]);
      expect(viewer.received).toEqual([]);
    }
  });

  it('closes 1009 on a message over 2 MiB, and on more than 4 MiB that wait', async () => {
    const first = await open();
    first.client.send(Buffer.alloc(LIMITS.requestBody + 1));
    expect((await first.client.closed).code).toBe(1009);
    const second = await open({}, { front: first.front });
    second.viewer.takeInput = () => new Promise(() => {});
    for (let index = 0; index < 5; index++) second.client.send(Buffer.alloc(1_048_576));
    expect((await second.client.closed).code).toBe(1009);
    await second.called('dispose');
  });

  it('W01: lets go of a viewer whose connection is cut', async () => {
    const { client, called, front } = await open();
    client.cut();
    await called('dispose');
    expect((await new ApiClient(front.local).get('/health')).status).toBe(200);
  });
});

describe('end of the server', () => {
  it('closes viewers 1001, and cuts those that do not answer after 200 ms', async () => {
    const clock = new ManualClock();
    const front = await startFront(cleanup, { clock });
    const { client } = await open({}, { front });
    const stalled = await open({ stalled: true }, { front });
    const closing = Promise.all(front.fronts.map((each) => each.close()));
    expect((await client.closed).code).toBe(1001);
    await clock.timerArmed(200);
    clock.advance(200);
    await closing;
    await stalled.called('dispose');
    stalled.client.thaw();
    expect([1001, 1006]).toContain((await stalled.client.closed).code);
  });

  it('lets a running request answer first', async () => {
    const front = await startFront(cleanup);
    let finish: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      front.sessions.answerOutput = () => {
        resolve();
        return new Promise((answer) => {
          finish = () => answer({ data: 'late', data_length: 4, total_written: 4 });
        });
      };
    });
    const answer = new ApiClient(front.local).get('/sessions/known/output');
    await started;
    const closing = Promise.all(front.fronts.map((each) => each.close()));
    finish();
    expect((await answer).json()).toMatchObject({ data: 'late' });
    await closing;
  });
});
