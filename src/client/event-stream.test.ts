import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../test/kit/manual-clock.ts';
import { EventParser, type ServerSentEvent } from '../base/index.ts';
import type { AppEvent } from '../contract/index.ts';
import { type EventStreamOptions, openEventStream } from './event-stream.ts';
import type { RequestOptions, Transport } from './transport.ts';

class FakeConnection {
  readonly path: string;
  readonly options: RequestOptions;
  #resolve: (response: Response) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly response: Promise<Response>;

  constructor(path: string, options: RequestOptions) {
    this.path = path;
    this.options = options;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  async accept(): Promise<void> {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
    });
    this.#resolve(new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } }));
    await settle();
  }

  async refuse(status: number, text: string): Promise<void> {
    this.#resolve(new Response(text, { status }));
    await settle();
  }

  async fail(): Promise<void> {
    this.#reject(new TypeError('fetch failed'));
    await settle();
  }

  async say(text: string): Promise<void> {
    this.#controller?.enqueue(new TextEncoder().encode(text));
    await settle();
  }

  async cut(): Promise<void> {
    this.#controller?.error(new TypeError('network error'));
    await settle();
  }

  async end(): Promise<void> {
    this.#controller?.close();
    await settle();
  }
}

function open(options: EventStreamOptions = {}) {
  const clock = new ManualClock();
  const connections: FakeConnection[] = [];
  const told: unknown[] = [];
  const transport: Transport = {
    fetch: (path, init) => {
      const connection = new FakeConnection(path, init);
      connections.push(connection);
      return connection.response;
    },
    openSocket: () => {
      throw new Error('no sockets here');
    },
  };
  const stream = openEventStream(
    { transport, clock, random: () => 0.5 },
    {
      event: (event: AppEvent) => told.push([event.name, 'session_id' in event.data ? event.data.session_id : '']),
      lagged: (missed) => told.push(['lagged', missed]),
      connected: (isResume) => told.push(['connected', isResume]),
      disconnected: (wait, cause) => told.push(['disconnected', wait, cause.name]),
    },
    options,
  );
  const current = () => {
    const connection = connections.at(-1);
    if (connection === undefined) throw new Error('nothing was fetched');
    return connection;
  };
  return { clock, connections, told, stream, current };
}

const record = (name: string, id: string, data: object) =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

describe('event stream', () => {
  it('resumes behind the last event seen (W03)', async () => {
    const { clock, told, current } = open();
    await current().accept();
    await current().say(`retry: 5000\n\n${record('pty-exit', 'b-1', { session_id: 'a' })}`);
    await current().cut();
    expect(told).toEqual([
      ['connected', false],
      ['pty-exit', 'a'],
      ['disconnected', 100, 'TypeError'],
    ]);
    clock.advance(100);
    expect(current().options.headers).toMatchObject({ 'last-event-id': 'b-1' });
    await current().accept();
    await current().say(record('pty-exit', 'b-2', { session_id: 'b' }));
    expect(told.slice(3)).toEqual([
      ['connected', true],
      ['pty-exit', 'b'],
    ]);
  });

  it('tells how many events were missed (P1, W03)', async () => {
    const { told, current } = open();
    await current().accept();
    await current().say('event: lagged\ndata: {"missed":7}\n\n');
    expect(told).toEqual([
      ['connected', false],
      ['lagged', 7],
    ]);
  });

  it('passes filter and client on', () => {
    const { current } = open({ types: ['pty-exit', 'session-closed'], client: { id: 'c 1', kind: 'workspace' } });
    expect(current().path).toBe('/events?types=pty-exit%2Csession-closed&client_id=c+1&client=workspace');
  });

  it('takes a connection without a byte for 35 s as dead; keep-alive comments count (W05)', async () => {
    const { clock, connections, current, told } = open();
    await current().accept();
    for (let time = 0; time < 4; time++) {
      await clock.advanceAsync(30_000);
      await current().say(': ping\n\n');
    }
    expect(connections).toHaveLength(1);
    await clock.advanceAsync(30_000);
    expect(connections).toHaveLength(1);
    await clock.advanceAsync(10_000);
    expect(told.slice(1)).toEqual([['disconnected', 100, 'ConnectionSilent']]);
    expect(connections).toHaveLength(2);
  });

  it('looks at once when the page wakes, without waiting for its timers (W05)', async () => {
    const { clock, connections, current, stream } = open();
    await current().accept();
    await current().say(': ping\n\n');
    stream.check();
    await settle();
    expect(connections).toHaveLength(1);
    clock.jump(60_000);
    stream.check();
    await settle();
    clock.advance(100);
    expect(connections).toHaveLength(2);
  });

  it('also gives up an answer that never comes', async () => {
    const { clock, connections } = open();
    await clock.advanceAsync(40_000);
    expect(connections).toHaveLength(2);
  });

  it('goes on trying with growing pauses, and says why', async () => {
    const { clock, told, current } = open();
    for (const wait of [100, 1_000, 2_000]) {
      if (wait === 100) await current().fail();
      else await current().refuse(401, 'run "tuic open"');
      clock.advance(wait);
    }
    expect(told).toEqual([
      ['disconnected', 100, 'ServerUnreachable'],
      ['disconnected', 1_000, 'RequestRefused'],
      ['disconnected', 2_000, 'RequestRefused'],
    ]);
  });

  it('waits no longer than it is told to', async () => {
    const { clock, told, current } = open({ longestWait: 1_500 });
    for (let attempt = 0; attempt < 4; attempt++) {
      await current().fail();
      clock.advance(1_500);
    }
    expect(told.map((one) => (one as unknown[])[1])).toEqual([100, 1_000, 1_500, 1_500]);
  });

  it('does not take a page for an event stream', async () => {
    const { told, current } = open();
    await current().refuse(200, '<!doctype html>');
    expect(told).toEqual([['disconnected', 100, 'RequestRefused']]);
  });

  it('skips events it does not know and data that is no object', async () => {
    const { told, current } = open();
    await current().accept();
    await current().say(record('from-the-future', 'b-1', { session_id: 'a' }));
    await current().say('event: pty-exit\ndata: {broken\n\n');
    await current().say('event: pty-exit\ndata: null\n\n');
    await current().say(record('pty-exit', 'b-4', { session_id: 'a' }));
    expect(told).toEqual([
      ['connected', false],
      ['pty-exit', 'a'],
    ]);
  });

  it('leaves nothing behind when disposed', async () => {
    const { clock, current, stream, told, connections } = open();
    await current().accept();
    stream.dispose();
    await settle();
    expect(current().options.signal?.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    expect(told).toEqual([['connected', false]]);
    expect(connections).toHaveLength(1);
  });
});

describe('event parser', () => {
  const parse = (pieces: string[]) => {
    const events: ServerSentEvent[] = [];
    const parser = new EventParser((event) => events.push(event));
    for (const piece of pieces) parser.push(piece);
    return events;
  };

  it('joins data lines, keeps the id, and drops a block without data', () => {
    expect(parse(['id: 1\nevent: a\ndata: x\ndata:y\n\nevent: b\n\ndata: z\n\n'])).toEqual([
      { event: 'a', data: 'x\ny', id: '1' },
      { event: 'message', data: 'z', id: '1' },
    ]);
  });

  it('gives the same events wherever the stream is cut and however lines end', () => {
    const field = fc.constantFrom('data: a', 'data:b:c', 'event: e', 'id: 7', ': note', 'retry: 5', 'data', '');
    const line = fc.tuple(field, fc.constantFrom('\n', '\r\n', '\r'));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(200)), (lines, cuts) => {
        // A lone CR followed by a lone LF would read as one line end; that text means something else.
        const text = lines
          .map(([content, end]) => content + end)
          .join('')
          .replaceAll('\r\n', '\n')
          .replaceAll('\r', '\r\n');
        const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
        const pieces = [...places, text.length].map((place, index) => text.slice(places[index - 1] ?? 0, place));
        expect(parse(pieces)).toEqual(parse([text.replaceAll('\r\n', '\n')]));
      }),
    );
  });
});
