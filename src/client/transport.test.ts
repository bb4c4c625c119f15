import { describe, expect, it } from 'vitest';
import { FakeSocket } from '../../test/kit/fake-socket.ts';
import { createBrowserTransport } from './index.ts';
import { closeQuietly } from './resuming-socket.ts';

function transport(probed: () => Response = () => new Response('[]')) {
  const asked: string[] = [];
  const sockets: FakeSocket[] = [];
  const made = createBrowserTransport({
    origin: '',
    socketOrigin: 'ws://box:9877',
    WebSocket: class extends FakeSocket {
      readyState = 0;

      constructor(url: string) {
        super(url);
        sockets.push(this);
      }

      override open(): void {
        this.readyState = 1;
        super.open();
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
    expect(latest().url.href).toBe('ws://box:9877/events/socket?types=x&last_event_id=b00t-3');
    latest().open();
    const { headers, body } = await answer;
    expect(headers.get('content-type')).toBe('text/event-stream');
    latest().frame('event: a\n');
    latest().frame('data: ≤\n\n');
    latest().break();
    expect(await new Response(body).text()).toBe('event: a\ndata: ≤\n\n');
    await made.fetch('/sessions', {});
    expect(asked).toEqual(['GET /sessions']);
  });

  it('X10: a refused connection is told as what stands behind the same door tells it', async () => {
    const refused = transport(() => new Response('Log in', { status: 401 }));
    const answer = refused.made.fetch('/events', {});
    refused.latest().break();
    expect((await answer).status).toBe(401);
    const broken = transport();
    const failed = broken.made.fetch('/events', {});
    broken.latest().break();
    await expect(failed).rejects.toThrow(TypeError);
  });

  it('an abort closes the socket, before it stands and after', async () => {
    const { made, latest } = transport();
    const early = new AbortController();
    const waiting = made.fetch('/events', { signal: early.signal });
    early.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(latest().isClosed, 'a browser would warn in its console').toBe(false);
    latest().open();
    expect(latest().isClosed).toBe(true);

    const late = new AbortController();
    const answer = made.fetch('/events', { signal: late.signal });
    latest().open();
    const reading = (await answer).text();
    late.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(latest().isClosed).toBe(true);
  });

  it('a stream that is let go of while it connects is closed once it stands', async () => {
    const { made, latest } = transport();
    const socket = made.openSocket('/sessions/x/stream?format=log');
    closeQuietly(socket, 1000);
    expect(latest().isClosed).toBe(false);
    latest().open();
    expect(latest()).toMatchObject({ isClosed: true, closedWith: 1000 });
  });

  it('a body that nobody reads any more closes the socket', async () => {
    const { made, latest } = transport();
    const answer = made.fetch('/events', {});
    latest().open();
    await (await answer).body?.cancel();
    expect(latest().isClosed).toBe(true);
  });
});
