import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { createProcessInspector } from '../../platform/process/index.ts';
import { agentOfCommand, createAgentRecogniser } from './foreground.ts';

const cleanup = cleanupAfterEach();

it.each([
  ['claude', 'claude --resume x'],
  ['claude', '/srv/me/.local/share/claude/versions/2.1.332'],
  ['claude', 'node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'],
  ['codex', 'node /usr/bin/codex exec hi'],
  ['codex', '/opt/codex/bin/codex'],
  [
    'gemini',
    'node --no-warnings=DEP0040 --max-old-space-size=4096 /usr/lib/node_modules/@google/gemini-cli/bundle/gemini.js',
  ],
  ['gemini', '/usr/bin/node -r ./hook.js /usr/bin/gemini'],
  ['aider', '/srv/me/venv/bin/python3.12 /srv/me/venv/bin/aider --yes'],
  ['aider', 'python3 -X utf8 -m aider'],
  ['cursor', 'bash /srv/me/.local/bin/cursor-agent'],
  ['opencode', 'opencode'],
])('STM-36: knows %s by %s', (agent, line) => {
  expect(agentOfCommand(line.split(' '))).toBe(agent);
});

it.each([
  ['a shell', '-bash'],
  ['a script of a folder with such a name', 'node /srv/claude/server.js'],
  ['a file that is edited', 'vim claude'],
  ['a program in the arguments', 'sh -c claude'],
  ['the same with more options', 'bash -ilc codex'],
  ['code of a line', 'node -e codex'],
  ['a package beside it', 'node /srv/node_modules/@anthropic-ai/sdk/run.js'],
  ['a longer name', 'claude-desktop'],
  ['nothing', ''],
])('STM-36: takes %s for no agent', (_, line) => {
  expect(agentOfCommand(line.split(' '))).toBeUndefined();
});

it.runIf(process.platform === 'linux')('asks the kernel, and says nothing of a process that is gone', async () => {
  const folder = await cleanup.temporaryDirectory('agents-');
  const file = join(folder, 'codex');
  await writeFile(file, '#!/bin/sh\necho up\nread -r line\n');
  await chmod(file, 0o755);
  const child = spawn(file, ['exec'], { stdio: ['pipe', 'pipe', 'ignore'] });
  cleanup.defer(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  const recognise = createAgentRecogniser(createProcessInspector());
  expect(await recognise(child.pid ?? 0)).toBe('codex');
  child.kill('SIGKILL');
  await ended;
  expect(await recognise(child.pid ?? 0)).toBeNull();
});
