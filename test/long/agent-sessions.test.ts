/** POST /sessions/agent over a real server: a small program stands for the agent, found only by the PATH of the login shell. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { SERVER_PROGRAM, type ServerUnderTest, startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

async function put(path: string, text: string, mode: number): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
}

/** Its interpreter and itself are in a folder that only the profile knows. */
async function machine(): Promise<{ home: string; server: ServerUnderTest }> {
  const home = await cleanup.temporaryDirectory('agent-');
  await put(join(home, '.bash_profile'), 'export PATH="$HOME/tools:$PATH"\n', 0o600);
  const interpreter = '#!/bin/sh\nexec /bin/sh "$@"\n';
  await put(join(home, 'tools/own-shell'), interpreter, 0o755);
  const agent = `#!/usr/bin/env own-shell
if [ "$1" = --version ]; then echo '9.8.7 (Claude Code)'; exit; fi
printf 'args:'; printf '<%s>' "$@"; echo
echo "env:$TERM_PROGRAM:\${CLAUDECODE-none}:\${TUIC_SESSION:+identity}"
echo "in:$(pwd)"
printf '\\033]7501;state=working\\033\\\\'; read -r line
`;
  await put(join(home, 'tools/claude'), agent, 0o755);
  const environment = { HOME: home, PATH: '/usr/bin:/bin', CLAUDECODE: '1' };
  return { home, server: await startServer(cleanup, { environment }) };
}

describe('a session with an agent', () => {
  it('http.md 3, D14: has its task, its type and the environment of every terminal', async () => {
    const { home, server } = await machine();
    expect((await server.ipc.get('/agents/detect?binary=claude')).json()).toEqual({
      path: join(home, 'tools/claude'),
      version: '9.8.7',
    });
    const body = { prompt: '--say "hi"; $(id)', cwd: home, model: 'opus' };
    const answer = await server.ipc.request('POST', '/sessions/agent', { body });
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('session_id')]);
    const { session_id } = answer.json() as { session_id: string };
    const info = async () => (await server.ipc.listSessions()).find((one) => one.session_id === session_id);
    await eventually('its word of itself', async () => (await info())?.state?.agent_state === 'working');
    expect((await info())?.state?.agent_type).toBe('claude');
    expect((await server.ipc.get(`/sessions/${session_id}/foreground`)).json()).toEqual({ agent: 'claude' });
    const { data } = await server.ipc.textOutput(session_id);
    expect(data).toContain('args:<--model><opus><--><--say "hi"; $(id)>');
    expect(data).toContain('env:tuicommander:none:identity');
    expect(data).toContain(`in:${home}`);
  });

  it('AGT-2: opens nothing when there is no such agent', async () => {
    const { server } = await machine();
    const answer = await server.ipc.request('POST', '/sessions/agent', { body: { prompt: 'x', agent_type: 'aider' } });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('No such program: aider');
    expect(await server.ipc.listSessions()).toEqual([]);
  });

  it('AGT-3, STM-51: a run configuration by the command line; a nonce that no answer and no log tells', async () => {
    const { home, server } = await machine();
    await put(
      join(home, 'tools/wrapper'),
      '#!/usr/bin/env own-shell\nprintf "<%s>" "$@" "$KEY" "$TUIC_HOOK_NONCE"; read -r line\n',
      0o755,
    );
    const config = { name: 'Mine', command: 'wrapper', args: ['--do={prompt}'], env: { KEY: 'value' } };
    const agents = { agents: { claude: { run_configs: [config] } } };
    await put(join(server.configDirectory, 'agents.json'), JSON.stringify(agents), 0o600);
    const words = ['agents', 'start', '-C', home, '--json', 'mine', 'Fix', 'it'];
    const { stdout } = await promisify(execFile)(process.execPath, [SERVER_PROGRAM, ...words], {
      env: { HOME: home, PATH: process.env.PATH, TUIC_CONFIG_DIR: server.configDirectory },
    });
    const { session_id } = JSON.parse(stdout) as { session_id: string };
    const data = async () => (await server.ipc.textOutput(session_id)).data;
    const [, nonce = ''] = await eventually('what it was given', async () =>
      /<--do=Fix it><value><([0-9a-f]{32})>/.exec(await data()),
    );
    const answers = [await server.ipc.listSessions(), (await server.ipc.get('/logs')).json()];
    const logs = join(server.configDirectory, 'logs');
    const written = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')));
    expect(written.join('')).not.toBe('');
    expect(JSON.stringify(answers) + written.join('')).not.toContain(nonce);
  });

  it('ADR-9: after the loss of the terminal host the conversation goes on, under the old alias and identity', async () => {
    const { home, server } = await machine();
    const body = { prompt: 'x', cwd: home, display_name: 'fixer', display_name_is_custom: true };
    const answer = await server.ipc.request('POST', '/sessions/agent', { body });
    const { session_id, alias } = answer.json() as { session_id: string; alias: string };
    const all = () => server.ipc.listSessions();
    const before = (await all())[0]?.tuic_session;
    expect((await server.ipc.post(`/sessions/${alias}/resume-agent`, {})).status).toBe(409);
    await server.killHost();
    await eventually('the loss', async () => (await all())[0]?.lifecycle === 'lost');
    const unknown = await server.ipc.post(`/sessions/${alias}/resume-agent`, {});
    expect([unknown.status, unknown.text]).toEqual([409, expect.stringContaining('Give agent_session')]);
    const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
    await put(join(home, '.claude/projects', home.replaceAll(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`), '{}', 0o600);
    const resumed = await server.ipc.post(`/sessions/${alias}/resume-agent`, {});
    expect([resumed.status, resumed.json()]).toMatchObject([201, { alias, agent_session: id }]);
    const sessions = await all();
    expect(sessions).toMatchObject([{ lifecycle: 'live', alias, tuic_session: before, display_name: 'fixer' }]);
    expect(sessions[0]?.session_id).not.toBe(session_id);
    const data = async () => (await server.ipc.textOutput(alias)).data;
    await eventually('its arguments', async () => (await data()).includes(`args:<--resume><${id}>`));
  });
});
