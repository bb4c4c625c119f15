/** Every block of docs/guide/client.md is run as a reader would: in Node from a folder that has the package, and in a browser. */
import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, loginLink, watchPage } from '../kit/browser.ts';
import { Cleanup } from '../kit/cleanup.ts';
import { LOGIN, openRemote } from '../kit/remote.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cleanup = new Cleanup();
let server: ServerUnderTest;
let folder: string;
let blocks: { language: string; code: string }[];

beforeAll(async () => {
  const text = await readFile(join(root, 'docs/guide/client.md'), 'utf8');
  blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));
  server = await startServer(cleanup);
  folder = await cleanup.temporaryDirectory('tuic-guide-');
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/tuicommander'));
  await symlink(join(root, 'node_modules/ws'), join(folder, 'node_modules/ws'));
});

afterAll(() => cleanup.run());

/** The block whose code has this in it; each is asked for by exactly one test. */
function takeBlock(mark: string): string {
  const found = blocks.filter(({ code }) => code.includes(mark));
  expect([mark, found.length]).toEqual([mark, 1]);
  blocks = blocks.filter((block) => block !== found[0]);
  return found[0]?.code ?? '';
}

async function runNode(code: string, env: Record<string, string> = {}): Promise<string> {
  const file = join(folder, 'program.mjs');
  await writeFile(file, code);
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, TUIC_CONFIG_DIR: server.configDirectory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanup.defer(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = await new Promise((resolve) => child.once('close', resolve));
  expect([ended, errors.replace(/^the terminal has .*\n/gm, '')]).toEqual([0, '']);
  return output;
}

describe('docs/guide/client.md', () => {
  it('creates, types, lists and closes from Node', async () => {
    const output = await runNode(takeBlock('hello from a program'));
    expect(output).toMatch(/^[\w-]+ \S+ \/tmp\n$/);
    expect(await server.ipc.listSessions()).toEqual([]);
  });

  it('reaches a server over HTTP with name and password', async () => {
    const port = await openRemote(server);
    const code = takeBlock('SocketWithLogin');
    const follow = `
const { session_id } = await client.sessions.create({ shell: 'bash', args: ['-c', 'read; exit 4'] });
const type = ({ kind }) => kind === 'live' && stream.send(new TextEncoder().encode('\\r'));
const nothing = () => {};
const rest = { bytes: nothing, snapshot: nothing, size: nothing, gap: nothing, ended: nothing };
const stream = client.openByteStream(session_id, { ...rest, state: type, exit: (code) => console.log('exit', code) });
`;
    const output = await runNode(code + follow, {
      SERVER: `http://127.0.0.1:${port}`,
      SERVER_USER: LOGIN.username,
      SERVER_PASSWORD: LOGIN.password,
    });
    expect(output).toMatch(/^version \d+\.\d+\.\d+\nexit 4\n$/);
  });

  it('follows a terminal to its end', async () => {
    const output = await runNode(takeBlock('the terminal has'));
    expect(output).toContain('typed\r\nexit\r\n');
    expect(output).toMatch(/\nended with 3\n$/);
  });

  it('goes on behind the last byte', async () => {
    expect(await runNode(takeBlock('readUntil'))).toBe('went on at true\n');
  });

  it('follows events', async () => {
    const output = await runNode(takeBlock("shell: 'true'"));
    expect(output).toContain('opened true\n');
    expect(output).toContain('\npty-exit session_id\nsession-closed session_id reason\n');
  });

  it('tells a refusal by its code', async () => {
    expect(await runNode(takeBlock('nobody'))).toBe('404 session_not_found Session not found\n');
  });

  it('runs in a browser, on a page of the server', async () => {
    const entry = join(folder, 'page.js');
    await writeFile(entry, takeBlock('document.body'));
    await build({
      root: folder,
      configFile: false,
      logLevel: 'warn',
      build: { outDir: join(folder, 'out'), rolldownOptions: { input: entry, output: { entryFileNames: 'page.js' } } },
    });
    const script = await readFile(join(folder, 'out/page.js'), 'utf8');
    const browser = await launchBrowser(cleanup);
    // A page of one's own on the origin of the server: any document of it, without the policy of the workspace.
    // Validation of the server's input is no part of it.
    expect(script.length).toBeLessThan(40_000);
    const context = await browser.newContext({ bypassCSP: true });
    const { page, problems } = watchPage(await context.newPage());
    await page.goto(await loginLink(server));
    await page.goto(`${server.origin}/docs/api/openapi.json`);
    await page.addScriptTag({ content: script, type: 'module' });
    await page.locator('pre', { hasText: 'from-a-2' }).waitFor();
    await page.waitForFunction(() => document.title === 'closed');
    expect(problems).toEqual([]);
  });

  it('has no block that was not run', () => expect(blocks).toEqual([]));
});
