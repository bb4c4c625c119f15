import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { FakeAgents } from '../../../test/kit/fake-agents.ts';
import { createAgentLauncher } from './launch.ts';

const cleanup = cleanupAfterEach();
let home: string;
/** agents.json. */
let settings: unknown;
let logged: object[];
beforeEach(async () => {
  home = await cleanup.temporaryDirectory('launch-');
  settings = undefined;
  logged = [];
});

function prepare(input: object, agents = new FakeAgents()) {
  const launcher = createAgentLauncher({
    detection: agents,
    home,
    files: { read: async () => ({ value: settings }) },
    log: { info: (fields) => logged.push(fields) },
  });
  return launcher.prepare({ prompt: 'Fix it', ...input });
}

async function putProgram(name: string): Promise<string> {
  const path = join(home, name);
  await writeFile(path, '#!/bin/sh\n');
  await chmod(path, 0o755);
  return path;
}

const configure = (agent: string, config: object) => {
  settings = { agents: { [agent]: { run_configs: [{ name: 'Review', command: 'claude', ...config }] } } };
};

describe('a terminal with an agent', () => {
  it('is claude when nothing else is asked for, with the PATH that finds what it needs', async () => {
    expect(await prepare({ cwd: '/srv', rows: 40, display_name: 'fixer' })).toEqual({
      session: {
        shell: '/opt/agents/claude',
        args: ['Fix it'],
        agent_type: 'claude',
        env: { PATH: '/usr/bin:/opt/agents' },
        cwd: '/srv',
        rows: 40,
        display_name: 'fixer',
      },
    });
  });

  it('knows the type by its names, and logs what only claude could have', async () => {
    const agents = new FakeAgents();
    expect(await prepare({ agent_type: 'Claude-Code', args: ['-v'] }, agents)).toMatchObject({
      session: { agent_type: 'claude', args: ['-v', 'Fix it'] },
    });
    expect(agents.lookups).toEqual(['claude']);
    const binary_path = await putProgram('own');
    await prepare({ binary_path, agent_type: 'own', args: [], print_mode: true });
    expect(logged).toEqual([{ agent_type: 'own', dropped: ['--print'] }]);
  });

  it('takes a program by its path: what it is called tells the type, when nobody does', async () => {
    for (const [name, agent_type] of [
      ['gemini', 'gemini'],
      ['cursor-agent', 'cursor'],
      ['wrapper', 'claude'],
    ]) {
      const binary_path = await putProgram(name ?? '');
      expect(await prepare({ binary_path })).toMatchObject({ session: { shell: binary_path, agent_type } });
    }
    expect(await prepare({ binary_path: '~/wrapper', agent_type: 'own', args: [] })).toMatchObject({
      session: { shell: join(home, 'wrapper'), agent_type: 'own' },
    });
  });

  it('AGT-5: a program that is codex is codex, and asks nobody until the settings say otherwise', async () => {
    const binary_path = await putProgram('codex');
    const args = ['--dangerously-bypass-approvals-and-sandbox', 'Fix it'];
    for (const agent_type of [undefined, null, 'claude'])
      expect(await prepare({ binary_path, agent_type })).toMatchObject({ session: { agent_type: 'codex', args } });
    settings = { agents: { codex: { skip_approvals: false } } };
    expect(await prepare({ binary_path })).toMatchObject({ session: { args: ['Fix it'] } });
  });

  it('refuses what is not there, what is no program, and agents whose prompt has no known place', async () => {
    await writeFile(join(home, 'text'), '');
    await expect(prepare({ agent_type: 'codex', args: [] })).rejects.toMatchObject({ code: 'program_not_found' });
    for (const binary_path of [join(home, 'absent'), join(home, 'text'), home])
      await expect(prepare({ binary_path })).rejects.toMatchObject({ code: 'program_not_found' });
    await expect(prepare({ binary_path: 'claude' })).rejects.toMatchObject({ code: 'path_not_absolute' });
    await expect(prepare({ binary_path: await putProgram('own'), agent_type: 'pi' })).rejects.toThrow(/args/);
  });
});

describe('a run configuration', () => {
  it('AGT-3: is found by its name in any case, before an agent, and gives program, arguments, environment and type', async () => {
    configure('codex', { args: ['--fast', '{prompt}'], env: { KEY: 'value', PATH: '/own' } });
    expect(await prepare({ agent_type: ' rEVIEW', model: 'm' })).toEqual({
      session: {
        shell: '/opt/agents/claude',
        args: ['--fast', 'Fix it', '--model', 'm'],
        agent_type: 'codex',
        env: { KEY: 'value', PATH: '/own' },
      },
      warning: expect.stringContaining('not codex itself'),
    });
    configure('own', { name: 'claude' });
    expect(await prepare({ agent_type: 'claude' })).toMatchObject({ session: { agent_type: 'own' } });
  });

  it('AGT-3: its program is a name or a path, and a missing one is refused', async () => {
    configure('claude-code', { command: await putProgram('my-claude') });
    expect(await prepare({ agent_type: 'review' })).toMatchObject({
      session: { shell: join(home, 'my-claude'), agent_type: 'claude' },
    });
    for (const command of ['absent', '~/absent', './my-claude']) {
      configure('claude', { command });
      await expect(prepare({ agent_type: 'review' }), command).rejects.toMatchObject({
        code: command.startsWith('.') ? 'path_not_absolute' : 'program_not_found',
      });
    }
  });

  it('a file that cannot be read starts nothing', async () => {
    settings = { agents: [] };
    await expect(prepare({})).rejects.toThrow();
  });
});
