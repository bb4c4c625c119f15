import { describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../../test/kit/manual-clock.ts';
import type { JsonObject } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import { parseExactJson } from '../../platform/mcp-links/index.ts';
import { answerOrStream, restoreEvents } from './call-stream.ts';
import type { McpAnswer } from './message.ts';

const done: McpAnswer = { status: 200, headers: {}, body: { id: 1 } };
const textOf = (stream: ReadableStream<Uint8Array> | undefined) => new Response(stream).text();

describe('TRN-33: the answer to a call', () => {
  it('is JSON while nothing goes out before it, and no timer stays', async () => {
    const clock = new ManualClock();
    expect(await answerOrStream(clock, {}, async () => done)).toBe(done);
    await expect(
      answerOrStream(clock, {}, async () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is a stream from the first message on, kept open by comments, and ends with the result', async () => {
    const clock = new ManualClock();
    let finish: (answer: McpAnswer) => void = () => {};
    let send: (message: JsonObject) => void = () => {};
    const answering = answerOrStream(clock, { 'mcp-session-id': 's' }, (sender) => {
      send = sender;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    send({ progress: 1 });
    const { headers, stream, body } = await answering;
    expect([headers, body]).toEqual([{ 'mcp-session-id': 's' }, undefined]);
    const text = textOf(stream);
    clock.advance(DEADLINES.eventKeepAlive);
    finish(done);
    expect(await text).toBe('event: message\ndata: {"progress":1}\n\n: ping\n\nevent: message\ndata: {"id":1}\n\n');
    expect(clock.pendingTimers).toBe(0);
  });

  it('a reader that left is written to no more', async () => {
    const clock = new ManualClock();
    let send: (message: JsonObject) => void = () => {};
    let finish: (answer: McpAnswer) => void = () => {};
    const answering = answerOrStream(clock, {}, (sender) => {
      send = sender;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    send({});
    await (await answering).stream?.cancel();
    send({});
    finish(done);
    await settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('P6: numbers of a stream are written back, wherever it is cut', async () => {
    const source = `data: ${JSON.stringify(parseExactJson('{"n":9007199254740993}'))}\n\ndata: 2`;
    const bytes = new TextEncoder().encode(source);
    const cut = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await textOf(restoreEvents(cut))).toBe('data: {"n":9007199254740993}\n\ndata: 2');
  });
});
