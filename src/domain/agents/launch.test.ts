import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { FakeAgents } from '../../../test/kit/fake-agents.ts';
import { createAgentLauncher } from './launch.ts';

const cleanup = cleanupAfterEach();
let home: string;
beforeEach(async () => {
  home = await cleanup.temporaryDirectory('launch-');
});

const prepare = (input: object, agents = new FakeAgents()) =>
  createAgentLauncher(agents, home).prepare({ prompt: 'Fix it', ...input });
const argumentsOf = async (input: object) => (await prepare(input)).args;

describe('a terminal with an agent', () => {
  it('is claude when nothing else is asked for, with the PATH that finds what it needs', async () => {
    expect(await prepare({ cwd: '/srv', rows: 40 })).toEqual({
      shell: '/opt/agents/claude',
      args: ['Fix it'],
      agent_type: 'claude',
      env: { PATH: '/usr/bin:/opt/agents' },
      cwd: '/srv',
      rows: 40,
    });
  });

  it('AGT-6: gives claude its options before the prompt', async () => {
    const input = { print_mode: true, output_format: 'json', model: 'opus' };
    expect(await argumentsOf(input)).toEqual(['--print', '--output-format', 'json', '--model', 'opus', 'Fix it']);
    expect(await argumentsOf({ print_mode: false, output_format: null, model: null })).toEqual(['Fix it']);
  });

  it('takes no prompt for an option', async () => {
    const prompt = '--dangerously-skip-permissions';
    expect(await argumentsOf({ prompt, model: 'opus' })).toEqual(['--model', 'opus', '--', prompt]);
  });

  it('takes arguments as they are, and knows the type by its names', async () => {
    const agents = new FakeAgents();
    const made = await prepare({ agent_type: 'Claude-Code', args: ['--resume', '{prompt}'], model: 'opus' }, agents);
    expect(made).toMatchObject({ agent_type: 'claude', args: ['--resume', '{prompt}'] });
    expect(agents.lookups).toEqual(['claude']);
  });

  it('takes a program by its path: what it is called tells the type, when nobody does', async () => {
    for (const [name, agent_type] of [
      ['codex', 'codex'],
      ['cursor-agent', 'cursor'],
      ['wrapper', 'claude'],
    ]) {
      const path = join(home, name ?? '');
      await writeFile(path, '#!/bin/sh\n');
      await chmod(path, 0o755);
      expect(await prepare({ binary_path: path, args: [] })).toMatchObject({ shell: path, agent_type });
    }
    expect(await prepare({ binary_path: '~/wrapper', agent_type: 'own', args: [] })).toMatchObject({
      shell: join(home, 'wrapper'),
      agent_type: 'own',
    });
  });

  it('refuses what is not there, what is no program, and agents whose prompt has no known place', async () => {
    await writeFile(join(home, 'text'), '');
    await expect(prepare({ agent_type: 'codex', args: [] })).rejects.toMatchObject({ code: 'program_not_found' });
    for (const binary_path of [join(home, 'absent'), join(home, 'text'), home])
      await expect(prepare({ binary_path })).rejects.toMatchObject({ code: 'program_not_found' });
    await expect(prepare({ binary_path: 'claude' })).rejects.toMatchObject({ code: 'path_not_absolute' });
    await chmod(join(home, 'text'), 0o755);
    await expect(prepare({ binary_path: join(home, 'text'), agent_type: 'codex' })).rejects.toThrow(/args/);
  });
});
