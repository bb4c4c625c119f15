import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../../test/kit/manual-clock.ts';
import type { JsonObject } from '../../base/index.ts';
import { DEADLINES, type UpstreamServer, upstreamServerSchema } from '../../contract/index.ts';
import { type LinkEvents, LinkFailure, type McpLink } from '../../platform/mcp-links/index.ts';
import { Breaker } from './breaker.ts';
import { Upstream } from './upstream.ts';

const failure = (kind: LinkFailure['kind'], reach: 'never' | 'maybe' = 'maybe') => new LinkFailure(kind, reach, kind);
const signal = new AbortController().signal;

/** A link whose answers a test sets. */
class FakeLink implements McpLink {
  diagnostics = '';
  isClosed = false;
  readonly events: LinkEvents;
  constructor(events: LinkEvents) {
    this.events = events;
  }
  request(method: string): Promise<unknown> {
    return answer(method);
  }
  notify(): void {}
  adopt(): void {}
  async close(): Promise<void> {
    this.isClosed = true;
  }
}

let clock: ManualClock;
let links: FakeLink[];
let statuses: string[];
let lists: number;
let answer: (method: string) => Promise<unknown>;
let tools: JsonObject[];
let opening: () => void;

const usual = async (method: string) => {
  if (method === 'initialize') return { protocolVersion: '2025-11-25', capabilities: { tools: {} } };
  if (method === 'tools/list') return { tools };
  return { content: [] };
};

function create(more: object = {}): Upstream {
  const server: UpstreamServer = upstreamServerSchema.parse({
    id: 'a',
    name: 'a',
    transport: { type: 'http', url: 'http://x' },
    ...more,
  });
  return new Upstream({
    server,
    clock,
    version: '1',
    log: { info: () => {}, warn: () => {} },
    openLink: async (_, events) => {
      opening();
      const link = new FakeLink(events);
      links.push(link);
      return link;
    },
    onStatus: (status) => statuses.push(status),
    onTools: () => lists++,
    onContent: () => {},
  });
}

async function start(more?: object): Promise<Upstream> {
  const upstream = create(more);
  upstream.start();
  await settle();
  return upstream;
}

const call = (upstream: Upstream, name = 'write') => {
  const tool = upstream.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no ${name}`);
  return upstream.call(tool, {}, { signal });
};

beforeEach(() => {
  clock = new ManualClock();
  links = [];
  statuses = [];
  lists = 0;
  answer = usual;
  opening = () => {};
  tools = [{ name: 'read', annotations: { readOnlyHint: true } }, { name: 'write' }];
});

describe('circuit', () => {
  it('UPX-4: three failures open it, pauses double up to a minute, five tries after that are the end', () => {
    const breaker = new Breaker();
    const pauses: number[] = [];
    let circuit = 'closed';
    let failures = 0;
    while (circuit !== 'failed') {
      circuit = breaker.fail();
      failures++;
      if (circuit === 'open') pauses.push(breaker.pause);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(failures).toBe(18);
    breaker.succeed();
    expect([breaker.fail(), breaker.fail(), breaker.fail()]).toEqual(['closed', 'closed', 'open']);
    expect(breaker.pause).toBe(1_000);
  });

  it('UPX-4: a server that is away opens its circuit, refuses at once, and comes back by itself', async () => {
    opening = () => {
      throw failure('unreachable', 'never');
    };
    const upstream = await start();
    expect([upstream.status, upstream.lastError]).toEqual(['connecting', 'unreachable']);
    await clock.advanceAsync(2 * DEADLINES.upstreamBackoffFirst);
    expect(upstream.status).toBe('circuit_open');
    opening = () => {};
    await clock.advanceAsync(DEADLINES.upstreamBackoffFirst);
    expect([upstream.status, upstream.lastError]).toEqual(['ready', null]);
    expect(statuses).toEqual(['connecting', 'circuit_open', 'ready']);
  });

  it('UPX-5: one that failed is tried at each look, and says nothing while it stays so', async () => {
    opening = () => {
      throw failure('unreachable', 'never');
    };
    const upstream = await start();
    for (let turn = 0; turn < 40 && upstream.status !== 'failed'; turn++) await clock.advanceAsync(60_000);
    expect([upstream.status, clock.pendingTimers]).toEqual(['failed', 0]);
    const before = statuses.length;
    await upstream.check();
    expect([upstream.status, statuses.length]).toEqual(['failed', before]);
    opening = () => {};
    await upstream.check();
    await clock.advanceAsync(DEADLINES.upstreamBackoffFirst);
    expect(upstream.status).toBe('ready');
  });

  it('HTP-5: one that wants a login waits for a person, and counts as no failure', async () => {
    opening = () => {
      throw failure('needs_oauth', 'never');
    };
    const upstream = await start();
    expect([upstream.status, clock.pendingTimers]).toEqual(['needs_auth', 0]);
    await upstream.check();
    expect(statuses).toEqual(['connecting', 'needs_auth']);
  });

  it('calls that time out open it too; one that the caller ends does not', async () => {
    const upstream = await start();
    answer = async (method) => {
      if (method === 'tools/call') throw failure('cancelled');
      return usual(method);
    };
    for (let n = 0; n < 4; n++) await expect(call(upstream)).rejects.toThrow();
    expect(upstream.status).toBe('ready');
    answer = async (method) => {
      if (method === 'tools/call') throw failure('timeout');
      return usual(method);
    };
    for (let n = 0; n < 3; n++) await expect(call(upstream)).rejects.toThrow(/timeout/);
    expect(upstream.status).toBe('circuit_open');
    await expect(call(upstream)).rejects.toThrow(/circuit_open: timeout/);
    expect(upstream.metrics).toMatchObject({ call_count: 8, error_count: 8 });
    expect(links[0]?.isClosed).toBe(true);
  });
});

describe('renewal', () => {
  it('M03, M07: a session that the server forgot is made again, and the call that never ran is sent once more', async () => {
    const upstream = await start();
    let calls = 0;
    answer = async (method) => {
      if (method === 'tools/call' && ++calls === 1) throw failure('session_lost', 'never');
      return usual(method);
    };
    expect(await call(upstream)).toEqual({ content: [] });
    expect([links.length, calls, links[0]?.isClosed, upstream.status]).toEqual([2, 2, true, 'ready']);
    expect(upstream.metrics).toMatchObject({ call_count: 1, error_count: 0 });
  });

  it('a call is sent again once only', async () => {
    const upstream = await start();
    let calls = 0;
    answer = async (method) => {
      if (method !== 'tools/call') return usual(method);
      calls++;
      throw failure('session_lost', 'never');
    };
    await expect(call(upstream)).rejects.toThrow(/session_lost/);
    expect(calls).toBe(2);
  });

  it('a call that may have run is repeated only when its tool says that this does no harm', async () => {
    const upstream = await start();
    let calls = 0;
    answer = async (method) => {
      if (method === 'tools/call' && ++calls % 2 === 1) throw failure('closed', 'maybe');
      return usual(method);
    };
    expect(await call(upstream, 'read')).toEqual({ content: [] });
    expect(calls).toBe(2);
    await expect(call(upstream, 'write')).rejects.toThrow(/closed/);
    expect(calls).toBe(3);
    await settle();
    expect(upstream.status).toBe('ready');
  });

  it('M36: a call waits while its server is being connected', async () => {
    let open = () => {};
    const upstream = await start();
    answer = async (method) => {
      if (method === 'initialize') await new Promise<void>((resolve) => (open = resolve));
      return usual(method);
    };
    links[0]?.events.onEnd(failure('closed'));
    const waiting = call(upstream);
    await settle();
    expect([upstream.status, links.length]).toEqual(['connecting', 2]);
    open();
    expect(await waiting).toEqual({ content: [] });
  });

  it('what an older connection still says changes nothing', async () => {
    const upstream = await start();
    await upstream.reconnect();
    links[0]?.events.onEnd(failure('closed'));
    links[0]?.events.onNotification('notifications/tools/list_changed', {});
    await settle();
    expect([upstream.status, links.length, clock.pendingTimers]).toEqual(['ready', 2, 0]);
  });

  it('STD-5: a program is not started twice within five seconds', async () => {
    const upstream = await start({ transport: { type: 'stdio', command: 'x' } });
    links[0]?.events.onEnd(failure('closed'));
    await clock.advanceAsync(DEADLINES.upstreamRespawn - 1);
    expect([upstream.status, links.length]).toEqual(['connecting', 1]);
    await clock.advanceAsync(1);
    expect([upstream.status, links.length]).toEqual(['ready', 2]);
  });

  it('STD-5: whoever asks for another start waits for it', async () => {
    const upstream = await start({ transport: { type: 'stdio', command: 'x' } });
    let isOver = false;
    const again = upstream.reconnect().then(() => {
      isOver = true;
    });
    await clock.advanceAsync(DEADLINES.upstreamRespawn - 1);
    expect([isOver, links.length]).toEqual([false, 1]);
    await clock.advanceAsync(1);
    await again;
    expect([upstream.status, links.length]).toEqual(['ready', 2]);
  });

  it('an answer that is no end of the call is no success', async () => {
    const upstream = await start();
    answer = async (method) => (method === 'tools/call' ? { resultType: 'input_required' } : usual(method));
    await expect(call(upstream)).rejects.toThrow(/input_required/);
    expect(upstream.metrics.error_count).toBe(1);
  });

  it('after its end nothing of it stays', async () => {
    const upstream = await start();
    links[0]?.events.onNotification('notifications/tools/list_changed', {});
    await upstream.stop();
    expect([clock.pendingTimers, links[0]?.isClosed]).toEqual([0, true]);
    await expect(call(upstream)).rejects.toThrow(/gone/);
  });
});

describe('tools', () => {
  it('M09: a storm of notices is one look, and only another list is told', async () => {
    const upstream = await start();
    const storm = () => {
      for (let n = 0; n < 50; n++) links[0]?.events.onNotification('notifications/tools/list_changed', {});
    };
    storm();
    await clock.advanceAsync(DEADLINES.upstreamSettle);
    expect(lists).toBe(0);
    tools = [{ name: 'other' }];
    storm();
    await clock.advanceAsync(DEADLINES.upstreamSettle);
    expect([lists, upstream.tools]).toEqual([1, tools]);
    tools = [];
    await upstream.check();
    expect([lists, upstream.tools]).toEqual([2, []]);
  });

  it('UPX-6: a list without tools is none, and the server is ready', async () => {
    answer = async (method) => (method === 'tools/list' ? { kite: 1 } : usual(method));
    const upstream = await start();
    expect([upstream.status, upstream.tools]).toEqual(['ready', []]);
  });

  it('LIM-3: no timeout, and one that is longer, is 295 s', () => {
    expect([0, 30, 295, 296].map((timeout_secs) => create({ timeout_secs }).timeout)).toEqual([
      295_000, 30_000, 295_000, 295_000,
    ]);
  });

  it('a disabled one is never connected', async () => {
    const upstream = await start({ enabled: false });
    await upstream.check();
    expect([upstream.status, links.length, statuses]).toEqual(['disabled', 0, []]);
    await expect(upstream.reconnect()).rejects.toThrow(/disabled/);
  });
});
