import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type JsonObject, systemClock } from '../../src/base/index.ts';
import { LIMITS } from '../../src/contract/index.ts';
import { McpSession, StdioLink } from '../../src/platform/mcp-links/index.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { RICH_RESULT } from '../kit/fake-upstream.mjs';

const PROGRAM = fileURLToPath(new URL('../kit/programs/fake-upstream.mjs', import.meta.url));
const cleanup = cleanupAfterEach();
const limits = { timeout: 20_000 };

function start(switches: object = {}) {
  const seen = { notices: [] as string[], ends: [] as string[], oddities: [] as string[] };
  const link = new StdioLink(
    { file: process.execPath, args: [PROGRAM, JSON.stringify(switches)], cwd: '/', env: { PATH: '/usr/bin' } },
    systemClock,
    {
      onNotification: (method) => seen.notices.push(method),
      onEnd: ({ message }) => seen.ends.push(message),
      onOddity: (what) => seen.oddities.push(what),
    },
  );
  cleanup.defer(() => link.close());
  const open = () => McpSession.open(link, { version: '1', ...limits });
  return { link, open, ...seen };
}

const call = (input: JsonObject) => ({ name: 'write', arguments: input });

describe('a program as a server', () => {
  it('M19, M20, STD-2: noise, a flood of stderr and early notices do not hurt the handshake', async () => {
    const { link, open, notices, oddities } = start({ noise: true, stderr: 300_000, early: true, stringIds: true });
    const session = await open();
    expect(session.server).toEqual({ name: 'fake', version: '1' });
    expect((await session.listTools(limits))?.map(({ name }) => name)).toEqual(['echo', 'write']);
    expect(notices).toHaveLength(100);
    expect(oddities).toEqual([expect.stringContaining('Welcome to the server 🚀')]);
    expect(link.diagnostics).toHaveLength(LIMITS.upstreamStderr);
    expect(link.diagnostics.endsWith('xthe end')).toBe(true);
  });

  it('M12, M22: results arrive as they are, large ones whole, one above the cap fails alone', async () => {
    const { open } = start();
    const session = await open();
    const ask = (input: JsonObject) => session.request('tools/call', call(input), limits);
    expect(await ask({ do: 'rich', isError: true })).toEqual({ ...RICH_RESULT, isError: true });
    for (const characters of [66_000, 1_500_000]) {
      expect(await ask({ do: 'big', characters })).toEqual({
        content: [{ type: 'text', text: 'ä'.repeat(characters) }],
      });
    }
    const [small, large] = await Promise.allSettled([
      ask({ do: 'echo' }),
      ask({ do: 'big', characters: LIMITS.upstreamMessage / 2 }),
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { kind: 'too_large' } });
    expect(small.status).toBe('fulfilled');
    expect(await ask({ do: 'echo' })).toMatchObject({ content: [{ type: 'text' }] });
  });

  it('M18, M21: a call that is cancelled or takes too long is cancelled there by its own id', async () => {
    const { open } = start();
    const session = await open();
    const caller = new AbortController();
    const cancelled = session.request('tools/call', call({ do: 'hang' }), { ...limits, signal: caller.signal });
    const late = session.request('tools/call', call({ do: 'hang' }), { timeout: 50 });
    await expect(late).rejects.toMatchObject({ kind: 'timeout' });
    caller.abort();
    caller.abort();
    await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
    const { content } = (await session.request('tools/call', call({ do: 'seen' }), limits)) as {
      content: [{ text: string }];
    };
    const seen = JSON.parse(content[0].text) as { id?: number; method: string; params: JsonObject }[];
    const calls = seen.filter(({ params }) => (params?.arguments as JsonObject | undefined)?.do === 'hang');
    const ended = seen
      .filter(({ method }) => method === 'notifications/cancelled')
      .map(({ params }) => params.requestId);
    expect(ended).toEqual(calls.map(({ id }) => id).reverse());
  });

  it('M16: progress comes back for the call that asked for it, and for no other', async () => {
    const { open } = start();
    const session = await open();
    const told: JsonObject[] = [];
    const asked = { ...limits, onProgress: (params: JsonObject) => told.push(params) };
    await session.request('tools/call', call({ do: 'progress' }), asked);
    expect(told.map(({ progress }) => progress)).toEqual([1, 2]);
    expect(await session.request('tools/call', call({ do: 'progress' }), limits)).toEqual({
      content: [{ type: 'text', text: '{}' }],
    });
  });

  it('M01: an error of the server is its own, with code and data', async () => {
    const session = await start().open();
    const failing = session.request('tools/call', call({ do: 'fail' }), limits);
    await expect(failing).rejects.toMatchObject({ code: -32_000, message: 'it went wrong', data: { why: 'because' } });
  });

  it('one that dies fails its calls and says what it wrote last', async () => {
    const { open, ends, link } = start();
    const session = await open();
    await expect(session.request('tools/call', call({ do: 'die' }), limits)).rejects.toMatchObject({
      kind: 'closed',
      reach: 'maybe',
    });
    expect(ends).toEqual([expect.stringContaining('code 3')]);
    await expect(link.request('ping', {}, limits)).rejects.toMatchObject({ reach: 'never' });
    await expect(start({ dies: true }).open()).rejects.toThrow(/code 4: Traceback: no such module/);
  });

  it('a program that is not there is told', async () => {
    const link = new StdioLink({ file: '/nothing/here', args: [], cwd: '/', env: {} }, systemClock, {
      onNotification: () => {},
      onEnd: () => {},
      onOddity: () => {},
    });
    await expect(McpSession.open(link, { version: '1', ...limits })).rejects.toMatchObject({ kind: 'unreachable' });
    await link.close();
  });

  it('STD-5: the end is the end of stdin', async () => {
    const { link, open, ends } = start();
    await open();
    await link.close();
    expect(ends).toEqual([]);
    expect(() => process.kill(link.pid ?? 0, 0)).toThrow('ESRCH');
  });

  it('UPX-6: a list without tools is told as none', async () => {
    const session = await start({ noTools: true }).open();
    expect(await session.listTools(limits)).toBeUndefined();
  });

  it('a server of the modern era alone is spoken to in its own way', async () => {
    const session = await start({ modernOnly: true }).open();
    expect(session.server.name).toBe('fake');
    expect((await session.listTools(limits))?.length).toBe(2);
  });
});
