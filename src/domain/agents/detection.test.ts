import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { isAlive } from '../../../test/kit/processes.ts';
import { type Clock, systemClock } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import { CATALOGUE } from './catalogue/index.ts';
import { createAgentDetection } from './detection.ts';

const cleanup = cleanupAfterEach();
let home: string;
beforeEach(async () => {
  home = await cleanup.temporaryDirectory('agents-');
});

async function put(path: string, text: string, mode = 0o755): Promise<string> {
  const file = join(home, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

/** A program that prints this, and counts how often it was started. */
const program = (path: string, output: string) =>
  put(path, `#!/bin/sh\necho x >> ${join(home, 'started')}\nprintf '%s\\n' '${output}'\n`);

const starts = async () => (await readFile(join(home, 'started'), 'utf8').catch(() => '')).length / 2;

function detection(options: { path?: string; shell?: string; clock?: Clock } = {}) {
  const made = createAgentDetection({
    shell: () => options.shell ?? '/bin/false',
    home,
    environment: { PATH: options.path ?? '/usr/bin:/bin', HOME: home },
    clock: options.clock ?? systemClock,
  });
  cleanup.defer(() => made.close());
  return made;
}

describe('agents of this machine', () => {
  it('AGT-13: every agent of the catalogue in its order, with path and version of those that are here', async () => {
    const claude = await program('tools/claude', '2.1.332 (Claude Code)');
    const stranger = await program('tools/codex', 'codex, a tool for books 7.1');
    const here = detection({ path: `relative:${join(home, 'tools')}:/usr/bin:/bin` });
    const found = await here.agents();
    expect(await here.agents()).toEqual(found);
    expect(found.map(({ name }) => name)).toEqual(CATALOGUE.map(({ binaries }) => binaries[0]));
    expect(found).toContainEqual({ name: 'claude', path: claude, version: '2.1.332' });
    // It is here under that name, and what it says is not believed.
    expect(found).toContainEqual({ name: 'codex', path: stranger, version: null });
    expect(found).toContainEqual({ name: 'aider', path: null, version: null });
    expect(await starts()).toBe(2);
  });

  it('finds what only the login shell has on its PATH, and what installers put beside it', async () => {
    const own = await program('profile tools/gemini', '0.61.0');
    const known = await program('.opencode/bin/opencode', '1.18.33');
    await put('.bash_profile', `echo "good morning"; export PATH="$HOME/profile tools:$PATH"; trap 'echo bye' EXIT\n`);
    const here = detection({ shell: '/bin/bash' });
    expect(await here.agent('gemini')).toMatchObject({ path: own, version: '0.61.0' });
    expect(await here.agent('OpenCode')).toMatchObject({ path: known, version: '1.18.33' });
    const path = (await here.path()).split(':');
    expect(path.slice(0, 2)).toEqual(['/usr/bin', '/bin']);
    expect(path.filter((folder) => folder === join(home, 'profile tools'))).toHaveLength(1);
  });

  it('knows one agent by its type or its program, and no other program', async () => {
    const path = await program('tools/cursor-agent', '2026.09.18-7ae6800');
    const here = detection({ path: join(home, 'tools') });
    for (const name of ['cursor', 'cursor-agent'])
      expect(await here.agent(name)).toEqual({ name: 'cursor-agent', path, version: '2026.09.18-7ae6800' });
    expect(await here.agent('sh')).toBeUndefined();
  });

  it('asks a program for its version once, and again when its file is another', async () => {
    const path = await program('tools/aider', 'aider 0.86.1');
    const here = detection({ path: `${join(home, 'tools')}:/bin` });
    const both = await Promise.all([here.agent('aider'), here.agent('aider')]);
    expect(both.map((found) => found?.version)).toEqual(['0.86.1', '0.86.1']);
    expect((await here.agent('aider'))?.version).toBe('0.86.1');
    expect(await starts()).toBe(1);
    await program('tools/new', 'aider 0.87.0 and more');
    await rename(join(home, 'tools/new'), path);
    expect((await here.agent('aider'))?.version).toBe('0.87.0');
  });

  it('answers in time with what it has; a program that hangs is ended and asked again later', async () => {
    const path = await put('tools/claude', `#!/bin/sh\necho $$ > ${join(home, 'pid')}\nexec sleep 1000\n`);
    await program('tools/codex', 'codex-cli 0.171.0');
    const clock = new ManualClock();
    const here = detection({ path: `${join(home, 'tools')}:/usr/bin:/bin`, clock });
    const asked = here.agents();
    const pid = await eventually('it to be asked', async () => {
      const text = await readFile(join(home, 'pid'), 'utf8').catch(() => '');
      return text.endsWith('\n') && (await starts()) === 1 ? Number(text) : undefined;
    });
    expect((await here.agent('codex'))?.version).toBe('0.171.0');
    await clock.advanceAsync(DEADLINES.agentDetect);
    const found = await asked;
    expect(found[0]).toEqual({ name: 'claude', path, version: null });
    expect(found[1]).toMatchObject({ name: 'codex', version: '0.171.0' });
    // A slow one may still answer, for the next who asks.
    expect(isAlive(pid)).toBe(true);
    await clock.advanceAsync(DEADLINES.agentVersion - DEADLINES.agentDetect);
    await eventually('it to end', () => !isAlive(pid));
    await program('tools/claude', '2.1.332 (Claude Code)');
    expect((await here.agent('claude'))?.version).toBe('2.1.332');
  });

  it('a login shell that hangs costs its part only, and ends with the server', async () => {
    const shell = await put('bash', `#!/bin/sh\necho $$ > ${join(home, 'pid')}\nexec sleep 1000\n`);
    const path = await program('.local/bin/goose', ' 1.9.3');
    const clock = new ManualClock();
    const here = detection({ shell, clock });
    const asked = here.agent('goose');
    const pid = await eventually('the shell to be asked', async () =>
      Number(await readFile(join(home, 'pid'), 'utf8').catch(() => '0')),
    );
    await clock.advanceAsync(DEADLINES.shellPath);
    expect(await asked).toMatchObject({ path });
    await eventually('the shell to end', () => !isAlive(pid));
    clock.advance(DEADLINES.shellPathMemory);
    await writeFile(join(home, 'pid'), '');
    const again = here.path();
    const second = await eventually('the shell to be asked again', async () =>
      Number(await readFile(join(home, 'pid'), 'utf8')),
    );
    here.close();
    expect(await again).toContain(join(home, '.local/bin'));
    await eventually('the second to end', () => !isAlive(second));
  });
});

describe('a disk that does not answer', () => {
  it('holds one look-up, and no answer longer than its time', async () => {
    const clock = new ManualClock();
    let looks = 0;
    const here = createAgentDetection({
      shell: () => '',
      home,
      environment: {},
      clock,
      find: () => {
        looks++;
        return new Promise(() => {});
      },
    });
    const asked = Promise.all([here.agents(), here.programs(['x', 'y']), here.editors(), here.agent('claude')]);
    await clock.advanceAsync(DEADLINES.agentDetect);
    const [agents, programs, editors, claude] = await asked;
    expect(agents.every(({ path }) => path === null)).toBe(true);
    expect([[...programs.values()], editors, claude?.path]).toEqual([[null, null], [], null]);
    expect([looks, clock.pendingTimers]).toEqual([1, 0]);
  });
});

describe('other programs', () => {
  it('gives paths by name, without starting any', async () => {
    const path = await program('tools/my-agent', '1.0');
    const here = detection({ path: join(home, 'tools') });
    expect([...(await here.programs(['my-agent', '../tools/my-agent', '__proto__', 'absent']))]).toEqual([
      ['my-agent', path],
      ['../tools/my-agent', null],
      ['__proto__', null],
      ['absent', null],
    ]);
    expect(await starts()).toBe(0);
  });

  it('names the editors by their ids', async () => {
    for (const name of ['nvim', 'code', 'zeditor']) await program(`only/${name}`, '');
    const found = await detection({ path: join(home, 'only') }).editors();
    expect(found).toEqual(expect.arrayContaining(['vscode', 'zed', 'neovim']));
    expect(await starts()).toBe(0);
  });
});
