/**
 * Released agents against our MCP endpoint, each by both ways: over HTTP with the token, and by the bridge that `tuic mcp install`
 * enters. Their own word that they are connected counts; Codex lists without connecting, so it has a turn in which the model is
 * offered our tools and calls one.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { FakeModelServer } from '../kit/fake-models/server.ts';
import { SERVER_PROGRAM, type ServerUnderTest, startServer } from '../kit/server.ts';
import { AGENT_NAMES, type AgentHome, type AgentName, enterHttpServer, makeAgentHome } from './agent-home.ts';
import { HEADLESS, runAgent } from './agent-run.ts';

const models = new FakeModelServer();
const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;

beforeAll(async () => {
  await models.start();
  server = await startServer(shared);
});
afterAll(() => models.stop());

const CONNECTED: Record<Exclude<AgentName, 'codex'>, RegExp> = {
  claude: /tuicommander: .* ✔ Connected/,
  gemini: /✓ tuicommander: .* Connected/,
  opencode: /✓ +tuicommander +connected/,
};

/** As a person does: `tuic mcp install NAME`. */
async function installBridge(name: AgentName, { env, project }: AgentHome): Promise<void> {
  const child = spawn(process.execPath, [SERVER_PROGRAM, 'mcp', 'install', name], {
    cwd: project,
    env: { ...env, TUIC_CONFIG_DIR: server.configDirectory },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  expect(code).toBe(0);
}

const WAYS: Record<string, (name: AgentName, home: AgentHome) => Promise<void>> = {
  'over HTTP with the token': async (name, home) => {
    const token = (await readFile(join(server.configDirectory, 'token'), 'utf8')).trim();
    await enterHttpServer(name, home, `${server.origin}/mcp`, token);
  },
  'by the bridge of tuic mcp install': installBridge,
};

describe.each(AGENT_NAMES)('%s', (name) => {
  it.each(Object.entries(WAYS))('D7: is connected %s', async (_, enter) => {
    const home = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), models.url);
    await enter(name, home);
    if (name === 'codex') return codexTurn(home);
    const { output } = await runAgent(cleanup, name, home, ['mcp', 'list']);
    expect(output).toMatch(CONNECTED[name]);
  });
});

async function codexTurn(home: AgentHome): Promise<void> {
  const before = models.journal.length;
  const call = `CUE:mcp session ${JSON.stringify({ action: 'create', cwd: home.project })}`;
  const { output } = await runAgent(cleanup, 'codex', home, [...HEADLESS.codex, call]);
  const [first] = models.journal.slice(before);
  const offered = first?.request.tools.filter(({ namespace }) => namespace === 'mcp__tuicommander') ?? [];
  expect(offered.map((tool) => tool.name)).toEqual(expect.arrayContaining(['session', 'agent', 'ui']));
  expect(offered.find((tool) => tool.name === 'session')?.schema).toMatchObject({ required: ['action'] });
  expect(output).toContain('The tool has answered.');
  const made = (await server.ipc.listSessions()).filter(({ cwd }) => cwd === home.project);
  expect(made).toHaveLength(1);
  for (const { session_id } of made) await server.ipc.request('DELETE', `/sessions/${session_id}`);
}
