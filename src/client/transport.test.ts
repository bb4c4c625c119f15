import { describe, expect, it } from 'vitest';
import { createBrowserTransport, type SocketLike } from './index.ts';

/** A socket that the test opens, feeds and ends. */
class FakeSocket implements SocketLike {
  binaryType = 'blob';
  bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  closed = false;
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  send(): void {
    throw new Error('events are only read');
  }

  close(): void {
    this.closed = true;
  }

  open(): void {
    this.onopen?.({} as never);
  }

  text(data: string): void {
    this.onmessage?.({ data } as never);
  }

  end(): void {
    this.onclose?.({ code: 1006 } as never);
  }
}

function transport(probed: () => Response = () => new Response('[]')) {
  const asked: string[] = [];
  const sockets: FakeSocket[] = [];
  const made = createBrowserTransport({
    origin: '',
    socketOrigin: 'ws://box:9877',
    WebSocket: class extends FakeSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    },
    fetch: async (url, init) => {
      asked.push(`${init?.method ?? 'GET'} ${String(url)}`);
      return probed();
    },
  });
  const latest = () => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  };
  return { made, asked, latest };
}

describe('browser transport', () => {
  it('events come over a socket, as the body of an answer, and go on behind the last one', async () => {
    const { made, asked, latest } = transport();
    const answer = made.fetch('/events?types=x', { headers: { 'last-event-id': 'b00t-3' } });
    expect(latest().url).toBe('ws://box:9877/events/socket?types=x&last_event_id=b00t-3');
    latest().open();
    const { headers, body } = await answer;
    expect(headers.get('content-type')).toBe('text/event-stream');
    latest().text('event: a\n');
    latest().text('data: ≤\n\n');
    latest().end();
    expect(await new Response(body).text()).toBe('event: a\ndata: ≤\n\n');
    await made.fetch('/sessions', {});
    expect(asked).toEqual(['GET /sessions']);
  });

  it('X10: a refused connection is told as what stands behind the same door tells it', async () => {
    const refused = transport(() => new Response('Log in', { status: 401 }));
    const answer = refused.made.fetch('/events', {});
    refused.latest().end();
    expect((await answer).status).toBe(401);
    const broken = transport();
    const failed = broken.made.fetch('/events', {});
    broken.latest().end();
    await expect(failed).rejects.toThrow(TypeError);
  });

  it('an abort closes the socket, before it stands and after', async () => {
    const { made, latest } = transport();
    const early = new AbortController();
    const waiting = made.fetch('/events', { signal: early.signal });
    early.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(latest().closed).toBe(true);

    const late = new AbortController();
    const answer = made.fetch('/events', { signal: late.signal });
    latest().open();
    const reading = (await answer).text();
    late.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(latest().closed).toBe(true);
  });

  it('a body that nobody reads any more closes the socket', async () => {
    const { made, latest } = transport();
    const answer = made.fetch('/events', {});
    latest().open();
    await (await answer).body?.cancel();
    expect(latest().closed).toBe(true);
  });
});
