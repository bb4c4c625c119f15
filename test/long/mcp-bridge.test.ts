/** The bridge through what happens to servers and clients: killed, gone, hung, flooded. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { isAlive } from '../kit/processes.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { BRIDGE_PROGRAM, StdioClient, type StdioMessage, startBridge, toolValue } from '../kit/stdio-client.ts';

const LIST_CHANGED = 'notifications/tools/list_changed';
/** What the product promises: a call works again at most so long after the server does. */
const BACK_WITHIN = 5_000;

const cleanup = cleanupAfterAll();
let server: ServerUnderTest;
beforeAll(async () => {
  server = await startServer(cleanup);
});

async function identityOf(session: string): Promise<string> {
  const sessions = await server.ipc.listSessions();
  return sessions.find(({ session_id }) => session_id === session)?.tuic_session ?? '';
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => systemClock.after(milliseconds, resolve));
const isSuccess = (message: StdioMessage | undefined) =>
  message?.result !== undefined && message.result.isError !== true;

/** A call of a tool each 100 ms until it is told to stop; gives the ids of all. */
function callSteadily(client: StdioClient) {
  const ids: string[] = [];
  const call = () => {
    const id = `call-${ids.length}`;
    ids.push(id);
    client.send({ id, method: 'tools/call', params: { name: 'session', arguments: { action: 'list' } } });
  };
  call();
  const timer = systemClock.every(100, call);
  cleanup.defer(() => timer.dispose());
  return {
    ids,
    stop: () => timer.dispose(),
    /** The first call that succeeded of those sent from this number on. */
    success: (from: number) => ids.slice(from).find((id) => isSuccess(client.answersTo(id)[0])),
  };
}

describe('a server that is killed', () => {
  it('BRG-7, BRG-8, BRG-11, P2: calls each 100 ms have one answer each, and work again soon after the server does', async () => {
    const client = startBridge(cleanup, server.configDirectory);
    await client.initialize('steady-client');
    const calls = callSteadily(client);
    await client.until(
      'ten calls that work',
      () => calls.ids.filter((id) => isSuccess(client.answersTo(id)[0])).length >= 10,
    );

    await server.kill9();
    await pause(1_000);
    const whileDown = calls.ids.length;
    const noticesBefore = client.notices(LIST_CHANGED).length;
    await server.start();
    const healthy = performance.now();
    const atHealth = calls.ids.length;
    await client.until('a call that works again', () => calls.success(whileDown));
    expect(performance.now() - healthy).toBeLessThanOrEqual(BACK_WITHIN);
    await client.until('the change of the tools to be told', () => client.notices(LIST_CHANGED).length > noticesBefore);
    await client.until('ten more calls', () => calls.ids.length >= atHealth + 10);
    calls.stop();
    await client.until('every call to be answered', () => calls.ids.every((id) => client.answersTo(id).length > 0));

    // Whatever was sent twice would have its second answer before this one.
    await client.request('ping');
    const counts = calls.ids.map((id) => client.answersTo(id).length);
    expect(counts.every((count) => count === 1)).toBe(true);
    expect(client.answersTo('init')).toHaveLength(1);
    const unasked = client.messages.filter(({ id, method }) => method === undefined && String(id).startsWith('tuic-'));
    expect(unasked).toEqual([]);
    const failed = calls.ids.map((id) => client.answersTo(id)[0]).filter((message) => !isSuccess(message));
    expect(failed.length).toBeGreaterThan(0);
    // In each the client reads what to do: a tool error, or the error of a call that was under way.
    for (const message of failed) expect(JSON.stringify(message)).toMatch(/tuic start|may have acted|not running/);
  });

  it('MSG-8, TRN-16: behind the same bridge the terminal is known again, without a word of the client', async () => {
    const { session_id } = await server.ipc.createSession({});
    const identity = await identityOf(session_id);
    const client = startBridge(cleanup, server.configDirectory, { TUIC_SESSION: identity });
    await client.initialize('claude-code');
    const isCaller = async () => {
      const answer = await client.request('tools/call', { name: 'session', arguments: { action: 'list' } });
      const entries = toolValue(answer) as { tuic_session: string; is_caller: boolean }[];
      return entries.find((entry) => entry.tuic_session === identity)?.is_caller;
    };
    expect(await isCaller()).toBe(true);
    const before = client.notices(LIST_CHANGED).length;
    await server.kill9();
    await server.start();
    await client.until('the bridge to be back', () => client.notices(LIST_CHANGED).length > before);
    expect(await isCaller()).toBe(true);
  });
});

describe('a client that is killed', () => {
  it('M26: the bridge ends with its client, also when somebody else keeps its input open', async () => {
    const program = fileURLToPath(new URL('../kit/programs/bridge-parent.mjs', import.meta.url));
    const env = { PATH: process.env.PATH ?? '', TUIC_CONFIG_DIR: server.configDirectory, HOME: server.configDirectory };
    const parent = new StdioClient(cleanup, program, [BRIDGE_PROGRAM], env);
    const { pid } = await parent.until(
      'the pid of the bridge',
      () => parent.messages[0] as { pid: number } | undefined,
    );
    await parent.initialize('short-lived');
    expect(isAlive(pid)).toBe(true);
    parent.child.kill('SIGKILL');
    await eventually('the bridge to end', () => !isAlive(pid));
    expect(parent.noise).toEqual([]);
  });

  it('BRG-12: ten clients that come and go at once end, and the next is served', async () => {
    for (let turn = 0; turn < 2; turn++) {
      const clients = Array.from({ length: 5 }, () => startBridge(cleanup, server.configDirectory));
      await Promise.all(clients.map((client) => client.initialize('passing')));
      clients.forEach((client, index) => {
        if (index % 2 === 0) client.child.stdin.end();
        else client.child.kill('SIGKILL');
      });
      await Promise.all(clients.map((client) => client.exited));
    }
    const steady = startBridge(cleanup, server.configDirectory);
    await steady.initialize('steady');
    expect(isSuccess(await steady.request('tools/list'))).toBe(true);
  });
});

describe('large and many', () => {
  it('M22: an answer of 0.8 MB arrives whole, through pipe and socket', async () => {
    const { session_id } = await server.ipc.createSession({
      cols: 200,
      shell: '/bin/sh',
      args: [
        '-c',
        'i=0; while [ $i -lt 7500 ]; do printf "line %d äöü 漢字 %0100d\\n" $i $i; i=$((i+1)); done; printf ALL-THERE; read go',
      ],
    });
    await eventually(
      'the output',
      async () => (await server.ipc.textOutput(session_id)).data.includes('ALL-THERE'),
      60_000,
    );
    const client = startBridge(cleanup, server.configDirectory);
    await client.initialize('reader');
    const answer = await client.request('tools/call', {
      name: 'session',
      arguments: { action: 'output', session_id, limit: 3_000_000 },
    });
    const { data } = toolValue(answer) as { data: string };
    const numbers = [...data.matchAll(/line (\d+) äöü 漢字/g)].map(([, number]) => Number(number));
    expect(Buffer.byteLength(data)).toBeGreaterThan(800_000);
    expect(numbers).toEqual(Array.from({ length: 7_500 }, (_, index) => index));
  });

  it('M01, BRG-10: 300 calls at once have their own answers, ids of every kind', async () => {
    const client = startBridge(cleanup, server.configDirectory);
    await client.initialize('many');
    const ids = [0, '', '0', 'ä', 2 ** 53 - 1, -1, ...Array.from({ length: 294 }, (_, index) => `many-${index}`)];
    for (const id of ids)
      client.send({ id, method: 'tools/call', params: { name: 'session', arguments: { action: 'list' } } });
    await client.until('all answers', () => ids.every((id) => client.answersTo(id).length > 0));
    expect(ids.filter((id) => client.answersTo(id).length !== 1 || !isSuccess(client.answersTo(id)[0]))).toEqual([]);
  });
});
