/** POST /sessions/agent over a real server: a small program stands for the agent, found only by the PATH of the login shell. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

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
});
