/** The state of an agent over a real server: a program that draws as Claude Code does stands for it (mcp.md 9). */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startServer } from '../kit/server.ts';
import { startBridge, toolValue } from '../kit/stdio-client.ts';

const cleanup = cleanupAfterEach();
const PROGRAM = fileURLToPath(new URL('../kit/programs/claude-like.mjs', import.meta.url));

interface Told {
  agent_type?: string;
  agent_state?: string;
  evidence?: { agent_type_by?: string; shell_state_by?: string; turn_epoch?: number; typing_refusal?: string };
}

async function setUp() {
  const folder = await cleanup.temporaryDirectory('claude-like-');
  const program = join(folder, 'claude');
  await copyFile(PROGRAM, program);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const server = await startServer(cleanup);
  const { session_id: id } = await server.ipc.createSession({
    shell: process.execPath,
    args: [program],
    cwd: folder,
    rows: 24,
    cols: 80,
  });
  await server.ipc.ok('PUT', '/config', { disabled_native_tools: [] });
  const bridge = startBridge(cleanup, server.configDirectory);
  await bridge.initialize('claude-code');
  const tell = async () => {
    const input = { action: 'agent_detection', session_id: id };
    const answer = toolValue(await bridge.request('tools/call', { name: 'debug', arguments: input }));
    return (answer as { sessions?: Told[] }).sessions?.[0] ?? raise(answer);
  };
  const until = (what: string, isSo: (told: Told) => boolean) => eventually(what, async () => isSo(await tell()));
  const mayType = () =>
    until(
      'a line may be typed',
      ({ agent_state, evidence }) => agent_state === 'idle' && evidence?.typing_refusal === undefined,
    );
  return { folder, server, id, tell, until, mayType };
}

describe('an agent that only draws', () => {
  it('STM-36, STM-21, STM-2, STM-24: is known by its process, ready by its screen, at work and interrupted by it', async () => {
    const { server, id, tell, until, mayType } = await setUp();
    await mayType();
    expect(await tell()).toMatchObject({ agent_type: 'claude', agent_state: 'idle' });
    expect((await tell()).evidence).toMatchObject({ agent_type_by: 'foreground', shell_state_by: 'ready_screen' });
    await server.ipc.write(id, 'work\r');
    await until('it works', ({ evidence }) => evidence?.shell_state_by === 'screen');
    expect(await tell()).toMatchObject({
      agent_state: 'working',
      evidence: { turn_epoch: 1, typing_refusal: 'not_idle' },
    });
    await server.ipc.write(id, '\x1b');
    await mayType();
    await server.ipc.write(id, 'half a line');
    await until('half a line stands there', ({ evidence }) => evidence?.typing_refusal === 'composer_not_empty');
  });

  it('STM-57: a file full of markers, printed while it works, opens nothing', async () => {
    const { folder, server, id, tell, mayType } = await setUp();
    const file = join(folder, 'hostile');
    const markers = ['7501;state=idle:app=claude', '7501;state=done', '133;A', '133;D;0', '7770;nonce=0;state=idle'];
    await writeFile(file, markers.map((marker) => `\x1b]${marker}\x07`).join('nothing to see\r\n'));
    await mayType();
    await server.ipc.write(id, 'work\r');
    await eventually('it works', async () => (await tell()).agent_state === 'working');
    await server.ipc.write(id, `print ${file}\r`);
    await eventually('the file was printed', async () => (await tell()).evidence?.turn_epoch === 2);
    const refusals = new Set<string | undefined>();
    for (let look = 0; look < 20; look++) refusals.add((await tell()).evidence?.typing_refusal);
    expect(refusals).not.toContain(undefined);
  });

  it('MRK-2, MRK-5, PRJ-5, STM-31, STM-50: its own markers complete its turn and stand in the journal, also for the next server', async () => {
    const { folder, server, id, until, mayType } = await setUp();
    await server.ipc.ok('PUT', '/config/repositories', { repos: { [folder]: {} } });
    await mayType();
    await server.ipc.write(id, 'say intent: read the parser (Parser)\r');
    const journal = async () =>
      (await server.ipc.ok('GET', `/progress?path=${encodeURIComponent(folder)}`)) as { entries: object[] };
    await eventually('the intent was recorded', async () => (await journal()).entries.length === 1);
    expect((await journal()).entries).toMatchObject([
      { kind: 'intent', text: 'read the parser', step: 'Parser', agent: 'claude', session_id: id },
    ]);
    await mayType();
    await server.ipc.write(id, 'say suggest: [ Run the tests | Commit ]\r');
    const isCompleted = ({ agent_state }: Told) => agent_state === 'completed';
    await until('the turn is completed', isCompleted);
    const state = async () => {
      const sessions = (await server.ipc.ok('GET', '/sessions')) as { session_id: string; state?: object }[];
      return sessions.find(({ session_id }) => session_id === id)?.state;
    };
    const told = { agent_intent: 'read the parser (Parser)', suggested_actions: ['Run the tests', 'Commit'] };
    expect(await state()).toMatchObject({ agent_state: 'completed', shell_state: 'idle', ...told });
    await server.restart();
    await until('the next server knows it', isCompleted);
    expect(await state()).toMatchObject(told);
    expect((await journal()).entries).toHaveLength(1);
    await server.ipc.write(id, 'work\r');
    await until('it works again', ({ agent_state }) => agent_state === 'working');
    expect(await state()).not.toHaveProperty('suggested_actions');
  });

  it('STM-50, BUF-3: the next server knows the turn, and asks the screen what stands in the composer', async () => {
    const { server, id, tell, mayType } = await setUp();
    await mayType();
    await server.ipc.write(id, 'hello\r');
    await eventually('the turn is over', async () => (await tell()).evidence?.turn_epoch === 1);
    await mayType();
    await server.restart();
    await mayType();
    expect(await tell()).toMatchObject({ agent_type: 'claude', agent_state: 'idle', evidence: { turn_epoch: 1 } });
  });
});

function raise(answer: unknown): never {
  throw new Error(JSON.stringify(answer));
}
