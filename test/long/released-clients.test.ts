/** Clients that people have, against a real server: both lines of the SDK, over HTTP with the token and over stdio through the bridge. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PendingConfirm } from '../../src/contract/index.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { eventually, Signal } from '../kit/eventually.ts';
import {
  connectReleased,
  type ReleasedClient,
  type ReleasedKind,
  type ReleasedPlace,
} from '../kit/released-clients.mjs';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { BRIDGE_PROGRAM } from '../kit/stdio-client.ts';

const cleanup = cleanupAfterAll();
let server: ServerUnderTest;
let token: string;

beforeAll(async () => {
  server = await startServer(cleanup);
  token = (await readFile(join(server.configDirectory, 'token'), 'utf8')).trim();
});

const DOORS: Record<string, () => ReleasedPlace> = {
  'HTTP with the token': () => ({
    url: `${server.origin}/mcp`,
    headers: { authorization: `Bearer ${token}` },
  }),
  'stdio through tuic-bridge': () => ({
    command: process.execPath,
    args: [BRIDGE_PROGRAM],
    env: { PATH: process.env.PATH ?? '', HOME: server.configDirectory, TUIC_CONFIG_DIR: server.configDirectory },
  }),
};

const REVISIONS: Record<ReleasedKind, string> = {
  v1: '2025-11-25',
  'v2 of sessions': '2025-11-25',
  v2: '2026-07-28',
};

const cases = (Object.keys(REVISIONS) as ReleasedKind[]).flatMap((kind) =>
  Object.keys(DOORS).map((door) => ({ kind, door })),
);

async function value(client: ReleasedClient, input: object, tool = 'session'): Promise<unknown> {
  const { isError, content } = await client.callTool(tool, input);
  const text = content[0]?.text ?? '';
  if (isError) throw new Error(text);
  return JSON.parse(text);
}

const questions = async () => (await server.ipc.ok('GET', '/ui/confirms')) as PendingConfirm[];
const showTools = (disabled: string[]) => server.ipc.ok('PUT', '/config', { disabled_native_tools: disabled });

describe.each(cases)('SDK $kind over $door', ({ kind, door }) => {
  it('lists, calls, is told of changes, cancels, and goes on after a restart of the server', async () => {
    const place = DOORS[door]?.();
    if (place === undefined) throw new Error(`there is no door ${door}`);
    let changes = 0;
    const signal = new Signal();
    const client = await connectReleased(kind, place, () => {
      changes++;
      signal.notify();
    });
    cleanup.defer(() => client.close());
    await client.listen();
    expect(client.revision()).toBe(REVISIONS[kind]);
    const names = async () => (await client.listTools()).map(({ name }) => name);
    expect(await names()).toContain('session');

    const { session_id } = (await value(client, {
      action: 'create',
      shell: '/bin/sh',
    })) as { session_id: string };
    await value(client, { action: 'input', session_id, input: 'echo from-$((6*7))', special_key: 'enter' });
    const output = async () => ((await value(client, { action: 'output', session_id })) as { data: string }).data;
    await eventually('the output', async () => (await output()).includes('from-42'));
    const ids = async () =>
      ((await value(client, { action: 'list' })) as { session_id: string }[]).map((entry) => entry.session_id);
    expect(await ids()).toContain(session_id);
    await expect(value(client, { action: 'status', session_id: 'nobody' })).rejects.toThrow('session_not_found');

    const told = async (disabled: string[]) => {
      const before = changes;
      await showTools(disabled);
      await signal.until('the change to be told', () => changes > before);
    };
    await told(['debug']);
    expect(await names()).toContain('config');
    await told(['config', 'debug']);
    expect(await names()).not.toContain('config');

    // M18: a call that the client gives up takes its question from the person's screen, and the connection goes on.
    const caller = new AbortController();
    const asked = client.callTool('ui', { action: 'confirm', title: `${kind} ${door}` }, caller.signal);
    const outcome = asked.then(
      () => 'answered',
      () => 'given up',
    );
    await eventually('the question', async () => (await questions()).length === 1);
    caller.abort();
    expect(await outcome).toBe('given up');
    await eventually('the question to go', async () => (await questions()).length === 0);

    await server.kill9();
    await server.start();
    await eventually('a call that works again', async () => {
      try {
        return (await ids()).includes(session_id);
      } catch {
        // The connection of before, or a bridge that has not found the server yet.
        return false;
      }
    });
    expect(await output()).toContain('from-42');
    if (kind === 'v2') await client.listen();
    // Until the stream is open again a change is told to nobody: made once more, it is.
    const before = changes;
    await eventually('a change to be told after the restart', async () => {
      await showTools(['debug']);
      await showTools(['config', 'debug']);
      return changes > before;
    });
    await value(client, { action: 'kill', session_id });
    await client.close();
  });
});
