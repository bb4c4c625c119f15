/** GET /events: resume, lag, bounds (http.md 6). */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type EventClient, type EventOptions, openEvents } from '../../../test/kit/event-client.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { sessionClosed, startFront, type TestFront, type TestFrontOptions } from '../../../test/kit/front.ts';
import { ApiClient, openSocket, rawLines, rawRequest } from '../../../test/kit/http.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES } from '../../contract/index.ts';
import { findStart } from './events.ts';

const cleanup = cleanupAfterEach();
const CLIENT = 'f3b1c7de-0000-4000-8000-000000000001';

async function setUp(options?: TestFrontOptions): Promise<TestFront> {
  return startFront(cleanup, options);
}

async function subscribe(front: TestFront, options?: EventOptions): Promise<EventClient> {
  const client = await openEvents(front.local, options);
  cleanup.defer(() => client.cut());
  return client;
}

function publish(front: TestFront, from: number, to: number): void {
  for (let index = from; index <= to; index++) front.bus.publish(sessionClosed(`s${index}`));
}

const idsOf = (client: EventClient) => client.named('session-closed').map(({ data }) => data.session_id);
const seen = (client: EventClient, id: string) => client.event('session-closed', (data) => data.session_id === id);

describe('event stream', () => {
  it('starts with the retry time and never compresses', async () => {
    const front = await setUp();
    const client = await subscribe(front, { headers: { 'accept-encoding': 'br, gzip' } });
    await client.until('the first record', () => client.retry !== undefined);
    expect(client.retry).toBe(5_000);
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(client.headers['content-encoding']).toBeUndefined();
  });

  it('gives every subscriber the same ids and one JSON object an event', async () => {
    const front = await setUp();
    publish(front, 1, 2);
    const [one, two] = [await subscribe(front), await subscribe(front, { types: ['session-closed'] })];
    publish(front, 3, 4);
    await Promise.all([seen(one, 's4'), seen(two, 's4')]);
    expect(one.events).toEqual([
      { name: 'session-closed', id: 'b00t-3', data: { session_id: 's3', reason: 'process_exit' } },
      { name: 'session-closed', id: 'b00t-4', data: { session_id: 's4', reason: 'process_exit' } },
    ]);
    expect(two.events).toEqual(one.events);
  });

  it('sends only the types asked for', async () => {
    const front = await setUp();
    const client = await subscribe(front, { types: ['pty-exit', 'unknown-type'] });
    publish(front, 1, 3);
    front.bus.publish({ name: 'pty-exit', data: { session_id: 'x' } });
    await client.event('pty-exit');
    expect(client.events.map(({ name, id }) => [name, id])).toEqual([['pty-exit', 'b00t-4']]);
  });

  it('W03: brings back what was missed, exactly, and nothing twice', async () => {
    const front = await setUp();
    const first = await subscribe(front);
    publish(front, 1, 5);
    await seen(first, 's5');
    first.cut();
    publish(front, 6, 10);
    const second = await subscribe(front, { lastEventId: first.lastId ?? '' });
    publish(front, 11, 11);
    await seen(second, 's11');
    expect(idsOf(second)).toEqual(['s6', 's7', 's8', 's9', 's10', 's11']);
    expect(second.named('lagged')).toEqual([]);
  });

  it('W03: resumes also when the connection was cut before the first event, and after filtered ones', async () => {
    const clock = new ManualClock();
    const front = await setUp({ clock });
    const host = `Host: 127.0.0.1:${front.local.port}`;
    publish(front, 1, 2);
    const silent = await rawRequest(front.local, rawLines('GET /events HTTP/1.1', [host]));
    expect(silent.all).toContain('id: b00t-2');
    const client = await subscribe(front, { types: ['pty-exit'] });
    await client.until('the first record', () => client.retry !== undefined);
    publish(front, 3, 7);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(DEADLINES.eventKeepAlive);
    await client.until('a ping', () => client.comments.length > 0);
    expect(client.passedIds).toContain('b00t-7');
  });

  it('T06 W03: tells a number for what has left the ring, and goes on', async () => {
    const front = await setUp({ busCapacity: 4 });
    const first = await subscribe(front);
    publish(front, 1, 1);
    await seen(first, 's1');
    first.cut();
    publish(front, 2, 10);
    const second = await subscribe(front, { lastEventId: 'b00t-1' });
    await seen(second, 's10');
    expect(second.events[0]).toEqual({ name: 'lagged', id: 'b00t-6', data: { missed: 5 } });
    expect(idsOf(second)).toEqual(['s7', 's8', 's9', 's10']);
  });

  it('W03: says lagged for an id of another server process, and sends what it has', async () => {
    const front = await setUp({ busCapacity: 4 });
    publish(front, 1, 6);
    for (const lastEventId of ['other-3', 'b00t-7', 'b00t-x', 'garbage', 'b00t-']) {
      const client = await subscribe(front, { lastEventId });
      await seen(client, 's6');
      expect(client.events[0]).toMatchObject({ name: 'lagged', data: { missed: 3 } });
      expect(idsOf(client)).toEqual(['s3', 's4', 's5', 's6']);
    }
    const fresh = await setUp();
    const client = await subscribe(fresh, { lastEventId: 'other-9' });
    publish(fresh, 1, 1);
    await seen(client, 's1');
    expect(client.events[0]).toMatchObject({ name: 'lagged', data: { missed: 1 } });
  });

  it('tells lagged at once, also when nothing follows', async () => {
    const front = await setUp();
    const client = await subscribe(front, { lastEventId: 'other-9' });
    expect((await client.event('lagged')).data).toEqual({ missed: 1 });
  });

  it('takes the id from the query of a page that opens a new stream with a ticket', async () => {
    const front = await setUp();
    publish(front, 1, 3);
    const client = await subscribe(front, { query: { last_event_id: 'b00t-2' } });
    await seen(client, 's3');
    expect(idsOf(client)).toEqual(['s3']);
  });

  it('W05: sends a comment each 15 s, so that bytes tell a live stream from a dead one', async () => {
    const clock = new ManualClock();
    const front = await setUp({ clock });
    const client = await subscribe(front);
    clock.advance(14_999);
    for (const expected of [1, 2]) {
      clock.advance(15_000);
      await client.until('a ping', () => client.comments.length === expected);
    }
    expect(client.comments).toEqual(['ping', 'ping']);
  });

  it('T06: a reader that stalls costs little, delays nobody, and learns what it missed', async () => {
    const front = await setUp({ busCapacity: 64 });
    const stalled = await subscribe(front);
    const quick = await subscribe(front);
    stalled.stall();
    const filler = 'x'.repeat(2_000);
    let published = 0;
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 2_000; round++) {
      for (let index = 0; index < 10; index++) front.bus.publish(sessionClosed(`${filler}${++published}`));
      await seen(quick, `${filler}${published}`);
      quick.events.length = 0;
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576);
    stalled.thaw();
    await seen(stalled, `${filler}${published}`);
    const missed = stalled.named('lagged').reduce((sum, { data }) => sum + Number(data.missed), 0);
    expect(missed).toBeGreaterThan(0);
    expect(missed + stalled.named('session-closed').length).toBe(published);
  });

  it('lets go of everything when a subscriber leaves or the server ends', async () => {
    const clock = new ManualClock();
    const front = await setUp({ clock });
    const client = await subscribe(front, { query: { client_id: CLIENT } });
    expect([front.bus.subscriberCount, front.clients.list().length, clock.pendingTimers]).toEqual([1, 1, 1]);
    client.cut();
    await client.until('the end', () => client.ended);
    await new Promise<void>((resolve) => {
      const look = () => (front.bus.subscriberCount === 0 ? resolve() : setImmediate(look));
      look();
    });
    expect([front.clients.list(), clock.pendingTimers]).toEqual([[], 0]);
    const last = await subscribe(front);
    await Promise.all(front.fronts.map((each) => each.close()));
    await last.until('the end', () => last.ended);
    expect([front.bus.subscriberCount, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('keeps nothing for a subscriber that left while it was being identified', async () => {
    let isAsked = false;
    let answer: (isSame: boolean) => void = () => {};
    const gate = () => {
      isAsked = true;
      return new Promise<boolean>((resolve) => {
        answer = resolve;
      });
    };
    const clock = new ManualClock();
    const front = await setUp({
      clock,
      change: () => ({ isSameUser: Object.assign(gate, { uidOf: async () => undefined }) }),
    });
    const socket = await openSocket(front.local);
    cleanup.defer(() => socket.destroy());
    socket.write(rawLines(`GET /events?client_id=${CLIENT} HTTP/1.1`, [`Host: 127.0.0.1:${front.local.port}`]));
    await eventually('the question', () => isAsked);
    socket.destroy();
    await eventually('the end of the deadline', () => clock.pendingTimers === 0);
    answer(true);
    await new ApiClient(front.ipc).get('/health');
    expect([front.bus.subscriberCount, front.clients.list(), clock.pendingTimers]).toEqual([0, [], 0]);
  });

  it('refuses a bad client before it opens the stream', async () => {
    const front = await setUp();
    for (const query of [{ client_id: 'x' }, { client: 'tv' }]) {
      await expect(openEvents(front.local, { query })).rejects.toThrow('answered 400');
    }
    expect(front.bus.subscriberCount).toBe(0);
  });
});

describe('where a stream starts', () => {
  it('is now for a new client, after the id for ours, at the beginning for any other', () => {
    const bus = { lastSequence: 7 } as Parameters<typeof findStart>[0];
    expect(findStart(bus, 'b', undefined)).toEqual({ after: 7, missed: 0 });
    expect(findStart(bus, 'b', '')).toEqual({ after: 7, missed: 0 });
    expect(findStart(bus, 'b', 'b-7')).toEqual({ after: 7, missed: 0 });
    expect(findStart(bus, 'b', 'b-0')).toEqual({ after: 0, missed: 0 });
    for (const id of ['b-8', 'a-3', 'b-3x', 'b', '3', 'b--3', 'b-9999999999999999999']) {
      expect(findStart(bus, 'b', id)).toEqual({ after: 0, missed: 1 });
    }
  });
});

describe('connected clients', () => {
  const workspace = (front: TestFront) => ({ cookie: front.cookie, origin: front.origin });

  it('are listed with their focus as long as they are subscribed', async () => {
    const front = await setUp();
    const api = new ApiClient(front.local, workspace(front));
    const client = await subscribe(front, { query: { client_id: CLIENT, client: 'phone' }, headers: workspace(front) });
    expect(await api.ok('POST', `/ui/clients/${CLIENT}`, { focused: true })).toEqual({ ok: true });
    expect(await api.ok('GET', '/ui/clients')).toEqual([
      { client_id: CLIENT, kind: 'phone', connected_at: expect.any(Number), last_focused_at: expect.any(Number) },
    ]);
    client.cut();
  });

  it('make a session the person’s own only through a logged-in workspace', async () => {
    const front = await setUp();
    const lastOrigin = () => front.sessions.calls.at(-1)?.[2] as { isRemote: boolean };
    const create = async (headers: Record<string, string>) => {
      await new ApiClient(front.local, headers).ok('POST', '/sessions', {}, 201);
      return lastOrigin().isRemote;
    };
    const own = { ...workspace(front), 'x-tuic-client': CLIENT };
    expect(await create(own)).toBe(true);
    const client = await subscribe(front, { query: { client_id: CLIENT }, headers: workspace(front) });
    expect(await create(own)).toBe(false);
    expect(await create(workspace(front))).toBe(true);
    expect(await create({ ...own, 'x-tuic-client': CLIENT.replace('1', '2') })).toBe(true);
    expect(await create({ 'x-tuic-client': CLIENT })).toBe(true);
    expect(await create({ 'x-tuic-client': CLIENT, authorization: `Bearer ${front.token}` })).toBe(true);
    client.cut();
  });

  it('keep their login while they stay connected', async () => {
    const front = await setUp();
    const client = await subscribe(front, { headers: workspace(front) });
    expect(client.headers['set-cookie']?.[0]).toMatch(/^tui-session-\d+=.*; Max-Age=86400$/);
    const script = await subscribe(front);
    expect(script.headers['set-cookie']).toBeUndefined();
  });
});

describe('events over a WebSocket', () => {
  function connect(front: TestFront, query = '') {
    const socket = new WebSocket(`ws://127.0.0.1:${front.local.port}/events/socket${query}`, {
      headers: { cookie: front.cookie, origin: front.origin },
    });
    cleanup.defer(() => socket.terminate());
    let text = '';
    socket.on('message', (data: Buffer, isBinary) => {
      text += isBinary ? 'binary' : data.toString('utf8');
    });
    return { socket, until: (part: string) => eventually(part, async () => text.includes(part)), all: () => text };
  }

  it('carries the same records, goes on behind the last one, and renews the login', async () => {
    const front = await setUp();
    publish(front, 1, 3);
    const { socket, until, all } = connect(front, '?last_event_id=b00t-1&types=session-closed');
    const [answer] = (await once(socket, 'upgrade')) as [{ headers: Record<string, unknown> }];
    expect(String(answer.headers['set-cookie'])).toContain('HttpOnly');
    await until('"s3"');
    publish(front, 4, 4);
    await until('"s4"');
    expect(all()).not.toContain('"s1"');
    expect(all()).toContain('event: session-closed\nid: b00t-4\ndata: {"session_id":"s4","reason":"process_exit"}\n\n');
  });

  it('makes its page a client for as long as it stands, and takes more than one write', async () => {
    const front = await setUp();
    const { socket, until } = connect(front, `?client_id=${CLIENT}`);
    await until('retry:');
    const listed = async () => ((await new ApiClient(front.local).ok('GET', '/ui/clients')) as unknown[]).length;
    expect(await listed()).toBe(1);
    publish(front, 1, 2_000);
    await until('"s2000"');
    socket.close();
    await eventually('it to be gone', async () => (await listed()) === 0);
  });

  it('X04: needs proof that it comes from our own page, and a query that is right', async () => {
    const front = await setUp();
    const upgrade = `Host: 127.0.0.1:${front.local.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: ${front.cookie}\r\nUser-Agent: Mozilla/5.0\r\n`;
    const ask = async (path: string, more: string) =>
      (await rawRequest(front.local, `GET ${path} HTTP/1.1\r\n${upgrade}${more}\r\n`)).status;
    expect(await ask('/events/socket', `Origin: ${front.origin}\r\n`)).toBe(101);
    expect(await ask('/events/socket', '')).toBe(401);
    expect(await ask('/events/socket?client=toaster', `Origin: ${front.origin}\r\n`)).toBe(400);
  });
});
