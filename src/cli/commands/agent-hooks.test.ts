import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type CommandLine, prepareCommandLine } from '../../../test/kit/command-line.ts';
import { EXIT_CODES } from '../../contract/index.ts';
import { HOOKED_AGENTS, type HookedAgent } from '../agent-hooks/agents.ts';
import { sessionCommand, stateCommand, toolCommand } from '../agent-hooks/hook-command.ts';

const cleanup = cleanupAfterEach();
let tuic: CommandLine;
let home: string;
beforeEach(async () => {
  tuic = await prepareCommandLine(cleanup);
  home = await cleanup.temporaryDirectory('hooks-');
});

const hooks = (...args: string[]) => tuic.run(['agents', 'hooks', ...args], { home });
const agentOf = (id: string) => HOOKED_AGENTS.find((agent) => agent.id === id) as HookedAgent;
const fileOf = (id: string) => agentOf(id).file({ env: {}, home, platform: 'linux' });
const read = (id: string) => readFile(fileOf(id), 'utf8');

async function put(id: string, text: string): Promise<void> {
  await mkdir(dirname(fileOf(id)), { recursive: true });
  await writeFile(fileOf(id), text, { mode: 0o640 });
}

const OTHERS = `{
  // mine
  "theme" :  "dark",
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "notify-send done" }] }
    ],
    "Other": []
  },
}
`;

describe('tuic agents hooks', () => {
  it.each(HOOKED_AGENTS.map(({ id }) => id))('%s: install, again, status, remove', async (id) => {
    expect(await hooks('status', id)).toBe(EXIT_CODES.failure);
    expect(await hooks('install', id)).toBe(EXIT_CODES.ok);
    const text = await read(id);
    expect(text).toContain('tuicommander-hook');
    expect(await hooks('install', id)).toBe(EXIT_CODES.ok);
    expect(tuic.output).toContain('set up already');
    expect(await read(id)).toBe(text);
    expect(await hooks('status', id, '--json')).toBe(EXIT_CODES.ok);
    expect(JSON.parse(tuic.output)).toMatchObject([{ agent: id, present: true, state: 'installed' }]);
    expect(await hooks('remove', id)).toBe(EXIT_CODES.ok);
    if (id === 'opencode') expect(await readdir(dirname(fileOf(id)))).toEqual([]);
    else expect(JSON.parse(await read(id))).toEqual({});
    expect(await hooks('remove', id)).toBe(EXIT_CODES.ok);
    expect(tuic.output).toContain('has no entry');
  });

  it('9.6: each agent tells busy, idle and awaiting, at events of its own', async () => {
    await hooks('install', 'claude', 'gemini');
    const events = async (id: string) => {
      const { hooks: groups } = JSON.parse(await read(id)) as { hooks: Record<string, { matcher?: string }[]> };
      return Object.entries(groups).map(([event, [group]]) => [event, group?.matcher]);
    };
    expect(await events('claude')).toEqual([
      ['SessionStart', undefined],
      ['UserPromptSubmit', undefined],
      ['PreToolUse', '*'],
      ['PostToolUse', 'AskUserQuestion|ExitPlanMode'],
      ['Stop', undefined],
      ['SessionEnd', undefined],
    ]);
    expect(await events('gemini')).toEqual([
      ['SessionStart', undefined],
      ['BeforeAgent', undefined],
      ['BeforeTool', '*'],
      ['Notification', undefined],
      ['AfterAgent', undefined],
      ['SessionEnd', undefined],
    ]);
  });

  it('hooks of others stay byte for byte, and the old file is kept beside', async () => {
    await put('claude', OTHERS);
    expect(await hooks('install', 'claude')).toBe(EXIT_CODES.ok);
    const text = await read('claude');
    for (const line of OTHERS.split('\n').slice(0, 6)) expect(text).toContain(line);
    expect(await readFile(`${fileOf('claude')}.before-tuic`, 'utf8')).toBe(OTHERS);
    expect((await stat(fileOf('claude'))).mode & 0o777).toBe(0o640);
    expect(await hooks('remove', 'claude')).toBe(EXIT_CODES.ok);
    expect(await read('claude')).toBe(OTHERS);
  });

  it('repairs what another version wrote, and leaves a hook that somebody put into our group', async () => {
    const theirs = { type: 'command', command: 'mine' };
    const old = { type: 'command', command: 'old # tuicommander-hook' };
    await put('claude', JSON.stringify({ hooks: { Stop: [{ hooks: [old, theirs, old] }], Gone: [{ hooks: [old] }] } }));
    expect(await hooks('status', 'claude')).toBe(EXIT_CODES.failure);
    expect(tuic.output).toContain('Repair with: tuic agents hooks install claude');
    expect(await hooks('install', 'claude')).toBe(EXIT_CODES.ok);
    expect(await hooks('status', 'claude')).toBe(EXIT_CODES.ok);
    await hooks('remove', 'claude');
    expect(JSON.parse(await read('claude'))).toEqual({ hooks: { Stop: [{ hooks: [theirs] }] } });
  });

  it('--dry-run shows the change and writes nothing; --json tells it', async () => {
    await put('gemini', '{}\n');
    expect(await hooks('install', 'gemini', '--dry-run')).toBe(EXIT_CODES.ok);
    expect(tuic.output).toContain('+');
    expect(await hooks('install', 'gemini', '--dry-run', '--json')).toBe(EXIT_CODES.ok);
    expect(JSON.parse(tuic.output)).toMatchObject([{ agent: 'gemini', change: 'added', written: false }]);
    expect(await read('gemini')).toBe('{}\n');
  });

  it('leaves alone what it cannot read, a file of another hand, and agents it does not know', async () => {
    await put('claude', '{ "hooks": [');
    await put('opencode', 'export const Mine = () => ({});\n');
    expect(await hooks('install', 'claude', 'opencode', 'gemini')).toBe(EXIT_CODES.failure);
    expect(tuic.errors).toContain('Claude Code: ');
    expect(tuic.errors).toContain('is not ours');
    expect(await read('claude')).toBe('{ "hooks": [');
    expect(await read('opencode')).toBe('export const Mine = () => ({});\n');
    expect(await read('gemini')).toContain('AfterAgent');
    expect(await hooks('install', 'codex')).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toContain('says itself');
    expect(await hooks('install')).toBe(EXIT_CODES.usage);
  });

  it('--all means those on this machine', async () => {
    await mkdir(join(home, '.gemini'));
    expect(await hooks('install', '--all', '--json')).toBe(EXIT_CODES.ok);
    expect(JSON.parse(tuic.output)).toMatchObject([{ agent: 'gemini', written: true }]);
  });
});

describe('the command of a hook', () => {
  const NONCE = '00112233445566778899aabbccddeeff';
  const commands = [stateCommand('idle'), toolCommand(['Ask']), sessionCommand()];

  /** As agents run it, on a terminal of its own: `script` gives it one. What the terminal got. */
  function onTerminal(command: string, input: string, env: Record<string, string>): string {
    const done = spawnSync('script', ['-qec', `printf %s "$INPUT" | /bin/sh -c "$HOOK"; echo "=$?"`, '/dev/null'], {
      env: { PATH: process.env.PATH, HOOK: command, INPUT: input, SHELL: '/bin/sh', ...env },
      input: '',
      encoding: 'utf8',
    });
    expect(done.error).toBeUndefined();
    return done.stdout.replaceAll('\r', '');
  }
  const inside = { TUIC_SESSION: 'id', TUIC_HOOK_NONCE: NONCE };
  const marker = (text: string) => `\u001b]7770;nonce=${NONCE};${text}\u0007=0\n`;

  it('STM-51: writes the marker with the nonce to the controlling terminal', () => {
    expect(onTerminal(stateCommand('busy'), '{}', inside)).toBe(marker('state=busy'));
    const tool = (name: string) => JSON.stringify({ tool_name: name, tool_input: { text: '"tool_name":"Ask"' } });
    expect(onTerminal(toolCommand(['Ask', 'Plan']), tool('Bash'), inside)).toBe(marker('state=busy'));
    expect(onTerminal(toolCommand(['Ask', 'Plan']), tool('Plan'), inside)).toBe(marker('state=awaiting'));
    const start = { session_id: 'a1-B_2', transcript_path: '/x', hook_event_name: 'SessionStart' };
    expect(onTerminal(sessionCommand(), JSON.stringify(start), inside)).toBe(marker('session=a1-B_2'));
    expect(onTerminal(sessionCommand(), '{"session_id":"$(id)"}', inside)).toBe('=0\n');
  });

  it('is inert outside our sessions and without a terminal, and always ends with 0', () => {
    for (const command of commands) {
      for (const env of [{}, { TUIC_SESSION: 'id' }, { TUIC_HOOK_NONCE: NONCE }])
        expect(onTerminal(command, '{}', env)).toBe('=0\n');
      const alone = spawnSync('setsid', ['-w', '/bin/sh', '-c', command], {
        env: { PATH: process.env.PATH, ...inside },
        input: '{"session_id":"a"}',
        encoding: 'utf8',
      });
      expect([alone.status, alone.stdout, alone.stderr]).toEqual([0, '', '']);
    }
  });
});

describe('the plugin for OpenCode', () => {
  it('tells the state and the conversation of the person, not those of sub-agents', async () => {
    await hooks('install', 'opencode');
    const script = `import { TUICommander } from ${JSON.stringify(fileOf('opencode'))};
const { event } = await TUICommander();
const tell = (type, properties) => event?.({ event: { type, properties } });
await tell('session.created', { info: { id: 'ses_1' } });
await tell('session.created', { info: { id: 'ses_2', parentID: 'ses_1' } });
await tell('session.status', { sessionID: 'ses_1', status: { type: 'busy' } });
await tell('session.status', { sessionID: 'ses_2', status: { type: 'idle' } });
await tell('permission.asked', { sessionID: 'ses_1' });
await tell('permission.replied', { sessionID: 'ses_1' });
await tell('session.status', { sessionID: 'ses_1', status: { type: 'idle' } });
`;
    const path = join(home, 'tell.mjs');
    await writeFile(path, script);
    const run = (env: object) =>
      spawnSync('script', ['-qec', `"$NODE" "$TELL"`, '/dev/null'], {
        env: { PATH: process.env.PATH, NODE: process.execPath, TELL: path, SHELL: '/bin/sh', ...env },
        input: '',
        encoding: 'utf8',
      }).stdout;
    const told = run({ TUIC_SESSION: 'id', TUIC_HOOK_NONCE: 'ab' });
    const values = [...told.matchAll(/\u001b\]7770;nonce=ab;(\w+=\w+)\u0007/g)].map(([, value]) => value);
    expect(values).toEqual(['session=ses_1', 'state=busy', 'state=awaiting', 'state=busy', 'state=idle']);
    expect(run({ TUIC_SESSION: 'id' })).not.toContain('7770');
  });
});
