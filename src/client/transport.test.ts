import { describe, expect, it } from 'vitest';
import { createBrowserTransport, type SocketLike } from './index.ts';

function transport(isSecureContext: boolean, answers: Record<string, () => Response> = {}) {
  const asked: string[] = [];
  const made = createBrowserTransport({
    origin: '',
    socketOrigin: 'ws://box:9877',
    isSecureContext,
    WebSocket: class {} as unknown as new (url: string) => SocketLike,
    fetch: async (url, init) => {
      asked.push(`${init?.method ?? 'GET'} ${String(url)}`);
      return (answers[String(url)] ?? (() => new Response('{}')))();
    },
  });
  return { made, asked };
}

const ticket = { '/login/ticket': () => Response.json({ ticket: 'a b', expires_in_secs: 60 }) };

describe('browser transport', () => {
  it('X10: shows a fresh stream ticket for the events where the browser adds no proof of its own', async () => {
    const { made, asked } = transport(false, ticket);
    await made.fetch('/events', {});
    await made.fetch('/events?types=x', {});
    await made.fetch('/sessions', {});
    expect(asked).toEqual([
      'POST /login/ticket',
      'GET /events?ticket=a%20b',
      'POST /login/ticket',
      'GET /events?types=x&ticket=a%20b',
      'GET /sessions',
    ]);
  });

  it('passes on that no ticket is given, and needs none in a secure context', async () => {
    const refused = transport(false, { '/login/ticket': () => new Response('Log in', { status: 401 }) });
    expect((await refused.made.fetch('/events', {})).status).toBe(401);
    expect(refused.asked).toEqual(['POST /login/ticket']);
    const secure = transport(true, ticket);
    await secure.made.fetch('/events', {});
    expect(secure.asked).toEqual(['GET /events']);
  });
});
