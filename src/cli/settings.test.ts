import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { pipedInput, prepareCommandLine, type ScriptedAnswer } from '../../test/kit/command-line.ts';
import { EXIT_CODES } from '../contract/index.ts';

const cleanup = cleanupAfterEach();

const settings = {
  mcp_port: 9_876,
  theme: 'dark',
  ego_args: ['acp'],
  collapse_clients: {},
  services: { server: { enabled: false, port: 9_877 }, auth: { username: '' } },
};

interface Held {
  document: unknown;
  version: number;
  /** Answer to each write, instead of doing it. */
  refusal: ScriptedAnswer | undefined;
  /** Somebody else's work, right behind a read. */
  afterRead: (() => void) | undefined;
}

/** Holds one document as the server does: a tag for each state, merge for config.json. */
async function withConfig(document: unknown = settings, path = '/config') {
  const tuic = await prepareCommandLine(cleanup);
  const held: Held = { document, version: 1, refusal: undefined, afterRead: undefined };
  await tuic.serve({
    [`GET ${path}`]: () => {
      const answer = { body: held.document, headers: { etag: `"${held.version}"` } };
      held.afterRead?.();
      return answer;
    },
    [`PUT ${path}`]: ({ headers }) => {
      if (headers['if-match'] !== `"${held.version}"`) return { status: 412, body: { error: 'was changed' } };
      if (held.refusal !== undefined) return held.refusal;
      held.version++;
      return { body: { ok: true }, headers: { etag: `"${held.version}"` } };
    },
  });
  const puts = () => tuic.asked(`PUT ${path}`).map(({ body }) => body);
  return { tuic, held, puts };
}

describe('tuic config get and ls', () => {
  it('prints one value, a part as JSON, all as a table; an unknown key names the near ones', async () => {
    const { tuic } = await withConfig();
    expect(await tuic.run(['config', 'get', 'services.server.port'])).toBe(0);
    expect(tuic.output).toBe('9877\n');
    await tuic.run(['config', 'get', 'theme', '--json']);
    expect(tuic.output).toBe('"dark"\n');
    await tuic.run(['config', 'get', 'services.server']);
    expect(JSON.parse(tuic.output)).toEqual(settings.services.server);
    await tuic.run(['config', 'ls']);
    expect(tuic.lines).toContain('services.auth.username   ""');
    expect(tuic.lines).toContain('ego_args                 ["acp"]');
    await tuic.run(['config', 'ls', 'services.server', '--json']);
    expect(JSON.parse(tuic.output)).toEqual({ 'services.server.enabled': false, 'services.server.port': 9_877 });
    expect(await tuic.run(['config', 'get', 'services.server.prot'])).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toContain('services.server.port');
    expect(await tuic.run(['config', 'get', '--file', 'nothing'])).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toContain('keybindings');
    expect(await tuic.run(['config', 'ls', '--files'])).toBe(0);
    expect(tuic.lines).toContain('notes');
  });
});

describe('tuic config set', () => {
  it('sends typed values, several at once, and what comes over standard input', async () => {
    const { tuic, puts } = await withConfig();
    expect(await tuic.run(['config', 'set', 'mcp_port', '80', 'services.server.enabled', 'on'])).toBe(0);
    expect(
      await tuic.run(['config', 'set', 'services.auth.password_hash', '-'], { input: pipedInput('$2b$12$x\n') }),
    ).toBe(0);
    expect(await tuic.run(['config', 'set', 'collapse_clients."a.b"', 'true'])).toBe(0);
    expect(await tuic.run(['config', 'set', '--new', '--text', 'future', '1'])).toBe(0);
    expect(puts()).toEqual([
      { mcp_port: 80, services: { server: { enabled: true } } },
      { services: { auth: { password_hash: '$2b$12$x' } } },
      { collapse_clients: { 'a.b': true } },
      { future: '1' },
    ]);
  });

  it('refuses wrong types, unknown keys and half a pair, and changes nothing then', async () => {
    const { tuic, puts } = await withConfig();
    expect(await tuic.run(['config', 'set', 'theme', 'x', 'mcp_port', 'many'])).toBe(EXIT_CODES.usage);
    expect(tuic.errors).toBe('mcp_port must be a number. Nothing was changed\n');
    expect(await tuic.run(['config', 'set', 'mcp_prot', '1'])).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toContain('mcp_port');
    expect(await tuic.run(['config', 'set', 'theme'])).toBe(EXIT_CODES.usage);
    expect(await tuic.run(['config', 'set', 'a..b', '1'])).toBe(EXIT_CODES.usage);
    const empty = { input: pipedInput('\n') };
    expect(await tuic.run(['config', 'set', 'services.auth.password_hash', '-'], empty)).toBe(EXIT_CODES.failure);
    expect(puts()).toEqual([]);
  });

  it('reads again when somebody else was quicker, and keeps his change', async () => {
    const { tuic, held, puts } = await withConfig({ a: 1, b: 1 }, '/config/notes');
    held.afterRead = () => Object.assign(held, { document: { a: 1, b: 2 }, version: 5, afterRead: undefined });
    expect(await tuic.run(['config', 'set', '--file', 'notes', 'a', '3'])).toBe(0);
    expect(puts()).toEqual([
      { a: 3, b: 1 },
      { a: 3, b: 2 },
    ]);
  });
});

describe('tuic config edit', () => {
  const typing = (change: (text: string) => string, meanwhile?: () => void) => async (editor: string, path: string) => {
    expect(editor).toBe('my editor');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, change(await readFile(path, 'utf8')));
    meanwhile?.();
    return 0;
  };
  const env = (configDirectory: string) => ({ TUIC_CONFIG_DIR: configDirectory, EDITOR: 'my editor' });
  const kept = async (configDirectory: string) => {
    const [name, ...more] = await readdir(join(configDirectory, 'edits'));
    expect(more).toEqual([]);
    return name === undefined ? undefined : readFile(join(configDirectory, 'edits', name), 'utf8');
  };

  it('sends what was changed and nothing else, and keeps no copy', async () => {
    const { tuic, puts } = await withConfig();
    const edit = typing((text) => text.replace('9876', '80').replace('"dark"', '"light"'));
    expect(await tuic.run(['config', 'edit', '--json'], { edit, env: env(tuic.configDirectory) })).toBe(0);
    expect(puts()).toEqual([{ mcp_port: 80, theme: 'light' }]);
    expect(JSON.parse(tuic.output)).toEqual({ file: 'config', changed: ['mcp_port', 'theme'] });
    expect(await kept(tuic.configDirectory)).toBe(undefined);
    expect(await tuic.run(['config', 'edit'], { edit: typing((text) => text), env: env(tuic.configDirectory) })).toBe(
      0,
    );
    expect(tuic.errors).toBe('Nothing was changed\n');
    expect(puts()).toHaveLength(1);
  });

  it('P1: joins a change of other keys; of the same key it writes nothing and keeps what was typed', async () => {
    const { tuic, held, puts } = await withConfig();
    const change = (text: string) => text.replace('"dark"', '"light"');
    const other = () => Object.assign(held, { document: { ...settings, mcp_port: 1 }, version: 2 });
    expect(await tuic.run(['config', 'edit'], { edit: typing(change, other), env: env(tuic.configDirectory) })).toBe(0);
    expect(tuic.errors).toContain('both changes are in it');
    expect(puts()).toEqual([{ theme: 'light' }, { theme: 'light' }]);
    expect(await kept(tuic.configDirectory)).toBe(undefined);

    const same = () => Object.assign(held, { document: { ...settings, theme: 'blue' }, version: 9 });
    held.document = settings;
    expect(await tuic.run(['config', 'edit'], { edit: typing(change, same), env: env(tuic.configDirectory) })).toBe(
      EXIT_CODES.failure,
    );
    expect(tuic.errors).toContain('theme');
    expect(tuic.errors).toContain(join(tuic.configDirectory, 'edits'));
    expect(await kept(tuic.configDirectory)).toContain('"light"');
  });

  it('P1: broken JSON and what the server refuses go back to the editor, or are kept', async () => {
    const { tuic, held, puts } = await withConfig();
    const texts = ['{"theme": ', '{"theme": 1}', '{"theme": "light"}'];
    const questions: string[] = [];
    held.refusal = { status: 400, body: { error: 'theme: expected a text' } };
    const ask = async (question: string) => {
      questions.push(question);
      if (questions.length === 2) held.refusal = undefined;
      return '';
    };
    const edit = typing(() => texts.shift() ?? '');
    const surroundings = { edit, ask, env: env(tuic.configDirectory) };
    expect(await tuic.run(['config', 'edit'], surroundings)).toBe(0);
    expect(questions.map((question) => question.split('\n')[0])).toEqual([
      'It is no complete JSON',
      'theme: expected a text',
    ]);
    expect(tuic.errors).toContain('keep their value: mcp_port');
    expect(puts().at(-1)).toEqual({ theme: 'light' });

    const unasked = { edit: typing(() => '[1'), env: env(tuic.configDirectory) };
    expect(await tuic.run(['config', 'edit'], unasked)).toBe(EXIT_CODES.failure);
    expect(await kept(tuic.configDirectory)).toBe('[1');
  });

  it('says what is wrong when there is no editor, or it fails, or the copy cannot be written', async () => {
    const { tuic, puts } = await withConfig();
    expect(await tuic.run(['config', 'edit'])).toBe(EXIT_CODES.usage);
    expect(tuic.errors).toContain('EDITOR');
    expect(await tuic.run(['config', 'edit'], { edit: async () => 127, env: env(tuic.configDirectory) })).toBe(
      EXIT_CODES.failure,
    );
    expect(tuic.errors).toBe('"my editor" ended with 127. Nothing was written\n');
    expect(puts()).toEqual([]);
    const { tuic: blocked } = await withConfig();
    await mkdir(blocked.configDirectory, { recursive: true });
    await writeFile(join(blocked.configDirectory, 'edits'), 'a file in the way');
    expect(await blocked.run(['config', 'edit'], { env: env(blocked.configDirectory) })).toBe(EXIT_CODES.storage);
  });
});
