import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../contract/index.ts';
import { MCP_CLIENTS } from '../mcp-clients/clients.ts';
import { runCommandLine } from '../program.ts';

let home: string;
let bridgePath: string;
let output: string;
let errors: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tuic-mcp-'));
  bridgePath = join(home, 'bridge.js');
  await writeFile(bridgePath, '');
});
afterEach(() => rm(home, { recursive: true, force: true }));

function tuic(env: Record<string, string>, ...args: string[]): Promise<number> {
  output = '';
  errors = '';
  const surroundings = {
    env,
    platform: 'linux',
    home,
    workingDirectory: home,
    nodePath: process.execPath,
    bridgePath,
    isTerminal: false,
    now: () => 0,
    write: (text: string) => {
      output += text;
    },
    warn: (text: string) => {
      errors += text;
    },
  };
  return runCommandLine(args, surroundings, '1.0.0');
}
const mcp = (...args: string[]) => tuic({}, 'mcp', ...args);
const fileOf = (id: string) =>
  MCP_CLIENTS.find((client) => client.id === id)?.files({ env: {}, home, platform: 'linux' })[0] ?? '';

async function put(id: string, text: string): Promise<string> {
  const file = fileOf(id);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

describe('tuic mcp', () => {
  it.each(MCP_CLIENTS.map(({ id }) => id))('%s: install, again, status, remove', async (id) => {
    expect(await mcp('install', id)).toBe(EXIT_CODES.ok);
    const file = fileOf(id);
    const text = await readFile(file, 'utf8');
    expect(text).toContain(bridgePath);
    expect(await mcp('install', id)).toBe(EXIT_CODES.ok);
    expect(output).toContain('set up already');
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await mcp('status', id, '--json')).toBe(EXIT_CODES.ok);
    expect(JSON.parse(output)).toMatchObject([{ client: id, state: 'installed' }]);
    expect(await mcp('remove', id)).toBe(EXIT_CODES.ok);
    expect(await readFile(file, 'utf8')).not.toContain('tuicommander');
    expect(await mcp('status', id)).toBe(EXIT_CODES.failure);
  });

  it('--dry-run shows the change and writes nothing', async () => {
    const file = await put('claude', '{\n  "theme": "dark"\n}\n');
    expect(await mcp('install', 'claude', '--dry-run')).toBe(EXIT_CODES.ok);
    expect(output).toContain('+  "mcpServers": {');
    expect(await readFile(file, 'utf8')).toBe('{\n  "theme": "dark"\n}\n');
  });

  it('the old file is kept, its mode stays, a link stays a link', async () => {
    const real = join(home, 'dotfiles.json');
    await writeFile(real, '{}\n');
    await chmod(real, 0o640);
    await symlink(real, fileOf('claude'));
    expect(await mcp('install', 'claude')).toBe(EXIT_CODES.ok);
    expect(await readFile(`${real}.before-tuic`, 'utf8')).toBe('{}\n');
    expect((await stat(real)).mode & 0o777).toBe(0o640);
    expect(JSON.parse(await readFile(real, 'utf8'))).toHaveProperty('mcpServers.tuicommander');
  });

  it('a stale entry is named and repaired, its other keys stay', async () => {
    const entry = { command: '/gone/node', args: ['/gone/bridge.js'], timeout: 7 };
    await put('cursor', JSON.stringify({ mcpServers: { tuicommander: entry } }));
    await mcp('status', '--json');
    expect(JSON.parse(output)).toContainEqual(
      expect.objectContaining({ client: 'cursor', state: 'stale', detail: '/gone/node is gone' }),
    );
    expect(await mcp('install', 'cursor')).toBe(EXIT_CODES.ok);
    expect(output).toContain('repaired');
    const repaired = JSON.parse(await readFile(fileOf('cursor'), 'utf8'));
    expect(repaired.mcpServers.tuicommander).toEqual({ command: process.execPath, args: [bridgePath], timeout: 7 });
  });

  it('MSG-6: a Codex entry without the identity in env_vars needs repair', async () => {
    await put('codex', `[mcp_servers.tuicommander]\ncommand = "${process.execPath}"\nargs = ["${bridgePath}"]\n`);
    expect(await mcp('status', 'codex')).toBe(EXIT_CODES.failure);
    expect(await mcp('install', 'codex')).toBe(EXIT_CODES.ok);
    expect(await readFile(fileOf('codex'), 'utf8')).toContain('env_vars = ["TUIC_SESSION"]');
  });

  it('an instance that is asked for stands in the entry', async () => {
    expect(await tuic({ TUIC_INSTANCE: 'work' }, 'mcp', 'install', 'claude')).toBe(EXIT_CODES.ok);
    const written = JSON.parse(await readFile(fileOf('claude'), 'utf8'));
    expect(written.mcpServers.tuicommander.env).toEqual({ TUIC_INSTANCE: 'work' });
    expect(await mcp('install', 'claude')).toBe(EXIT_CODES.ok);
    expect(await readFile(fileOf('claude'), 'utf8')).not.toContain('TUIC_INSTANCE');
  });

  it('a broken file is left alone and named with its line; others are still done', async () => {
    const file = await put('gemini', '{\n  "a": \n');
    expect(await mcp('install', 'gemini', 'cursor')).toBe(EXIT_CODES.failure);
    expect(errors).toMatch(/Gemini CLI: .*line \d.*Nothing was changed/);
    expect(await readFile(file, 'utf8')).toBe('{\n  "a": \n');
    expect(await readFile(fileOf('cursor'), 'utf8')).toContain('tuicommander');
  });

  it('--all means the clients on this machine; no name and a wrong one name the choices', async () => {
    await mkdir(join(home, '.cursor'));
    await mkdir(join(home, '.codex'));
    expect(await mcp('install', '--all', '--json')).toBe(EXIT_CODES.ok);
    expect(JSON.parse(output).map(({ client }: { client: string }) => client)).toEqual(['codex', 'cursor']);
    expect(await mcp('install')).toBe(EXIT_CODES.usage);
    expect(errors).toContain('claude, codex');
    expect(await mcp('install', 'nobody')).toBe(EXIT_CODES.notFound);
    expect(errors).toContain('claude, codex');
  });
});
