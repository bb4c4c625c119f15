/** Pictures of real programs in the workspace, for docs/images. Opt-in: `npm run screenshots`. */
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { it } from 'vitest';
import type { CreateSession } from '../../src/contract/index.ts';
import { launchBrowser, loginLink, openWorkspace, untilLive } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { field, key, openPhone } from '../kit/phone.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** The dark pictures show what programs draw, these the light theme. */
const IN_LIGHT = new Set(['colours', 'vim']);
const COLOURS = fileURLToPath(new URL('../kit/programs/colour-page.mjs', import.meta.url));

const TEXT = [
  '// A small program, shown in vim and in less.',
  'import { createServer } from "node:http";',
  '',
  'const server = createServer((request, answer) => {',
  '  answer.writeHead(200, { "content-type": "text/plain" });',
  '  answer.end("hello\\n");',
  '});',
  '',
  'server.listen(8080, () => {',
  '  console.log("listening");',
  '});',
  '',
].join('\n');

/** A small repository without names of people or places in it. */
async function makeFolder(): Promise<string> {
  const folder = join(tmpdir(), 'hello-server');
  await mkdir(folder);
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const git = (...values: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=demo', '-c', 'user.email=demo@localhost', ...values]);
  git('init', '-q', '-b', 'main');
  await writeFile(join(folder, 'server.js'), TEXT.slice(0, TEXT.indexOf('server.listen')));
  git('add', '.');
  git('commit', '-q', '-m', 'A server that says hello');
  await writeFile(join(folder, 'server.js'), TEXT);
  await writeFile(
    join(folder, 'notes.txt'),
    Array.from({ length: 200 }, (_, line) => `A line of notes, the ${line + 1}th of many.`).join('\n'),
  );
  git('add', '.');
  git('commit', '-q', '-m', 'Listen, and keep notes');
  await writeFile(join(folder, 'server.js'), TEXT.replace('listening', 'listening on 8080'));
  return folder;
}

async function openPicture(page: Page, sessionId: string): Promise<void> {
  await page.locator(`.session-row[data-session-id="${sessionId}"] button.session-main`).click();
  await untilLive(page, sessionId);
  // Programs draw again for the size of this window; nothing tells when the last of them is done.
  await page.waitForTimeout(2_000);
}

/** Drags a tab to a place of the last pane, given as parts of its width and height. */
async function dragToSide(page: Page, sessionId: string, across: number, down: number): Promise<void> {
  const pane = await page.locator('.pane').last().boundingBox();
  if (pane === null) throw new Error('there is no pane');
  await page.locator(`.tab[data-session-id="${sessionId}"] [role=tab]`).hover();
  await page.mouse.down();
  await page.mouse.move(pane.x + pane.width * across, pane.y + pane.height * down, { steps: 5 });
  await page.mouse.up();
}

/** Load of a share of one processor that comes and goes, holding so many MB. */
const LOAD = `
  const [share, size, seconds] = process.argv.slice(2).map(Number);
  const held = Buffer.alloc(size * 1048576, 1);
  const begun = Date.now();
  setInterval(() => {
    const wave = 0.55 + 0.45 * Math.sin((Date.now() - begun) / 1000 / seconds);
    const end = performance.now() + share * wave;
    while (performance.now() < end) held[0]++;
  }, 100);
`;

/** The monitor over a few made-up sessions, after a minute of their work. */
it('takes the picture of the process monitor', async () => {
  const server = await startServer(cleanup);
  const browser = await launchBrowser(cleanup);
  const folder = join(tmpdir(), 'demo-load');
  await mkdir(folder);
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const scripts: Record<string, [string, string][]> = {
    api: [
      ['server.mjs', '24 90 5'],
      ['worker.mjs', '9 40 3'],
    ],
    web: [['bundle.mjs', '16 130 7']],
    tests: [['run-tests.mjs', '45 30 4']],
  };
  for (const [name, programs] of Object.entries(scripts)) {
    const cwd = join(folder, name);
    await mkdir(cwd);
    for (const [file] of programs) await writeFile(join(cwd, file), LOAD);
    const lines = programs.map(([file, values]) => `node ${file} ${values} &`);
    await writeFile(join(cwd, 'start.sh'), `${lines.join('\n')}\nwait\n`);
    await server.ipc.createSession({ shell: '/bin/sh', args: ['start.sh'], cwd, display_name: name });
  }
  await server.ipc.createSession({ ...BASH, cwd: folder, display_name: 'notes' });
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' });
  const page = await context.newPage();
  await page.goto(await loginLink(server));
  await page.goto(`${server.origin}/process/monitor`);
  // Its rows would show where the project lies on this machine.
  await page.locator('tr.group', { hasText: 'TUICommander' }).click();
  await page.waitForTimeout(58_000);
  await page.screenshot({ path: join(IMAGES, 'monitor.png') });
  await context.close();
});

it('takes the pictures', async () => {
  await mkdir(IMAGES, { recursive: true });
  const folder = await makeFolder();
  const server = await startServer(cleanup);
  const common = { cwd: folder, rows: 30, cols: 100 } satisfies CreateSession;
  const shell = await server.ipc.createSession({
    ...common,
    ...BASH,
    env: { ...BASH.env, PS1: '\\[\\e[1;32m\\]\\W\\[\\e[0m\\] \\[\\e[36m\\]main\\[\\e[0m\\] $ ' },
    display_name: 'hello-server',
  });
  const vim = await server.ipc.createSession({
    ...common,
    shell: 'vim',
    args: ['-u', 'NONE', '-N', '-c', 'syntax on', '-c', 'set number laststatus=2', 'server.js'],
    display_name: 'vim',
  });
  const less = await server.ipc.createSession({
    ...common,
    shell: 'less',
    args: ['-N', 'notes.txt'],
    display_name: 'less',
  });
  const { pid } = (await server.ipc.ok('GET', `/sessions/${less.session_id}/leaf-pid`)) as { pid: number };
  // Only a process of this demonstration, none of the machine.
  const htop = await server.ipc.createSession({
    ...common,
    shell: 'htop',
    args: ['-p', String(pid)],
    display_name: 'htop',
  });
  const colours = await server.ipc.createSession({
    ...common,
    shell: process.execPath,
    args: [COLOURS, '--stay'],
    display_name: 'colours',
  });
  const programs: [string, string][] = [
    ['colours', colours.session_id],
    ['htop', htop.session_id],
    ['less', less.session_id],
    ['vim', vim.session_id],
  ];
  const browser = await launchBrowser(cleanup);
  for (const scheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, colorScheme: scheme });
    const { page } = await openWorkspace(context, server, { renderer: 'auto' });
    for (const [name, id] of programs) {
      if (scheme === 'light' && !IN_LIGHT.has(name)) continue;
      await openPicture(page, id);
      await page.screenshot({ path: join(IMAGES, `${name}-${scheme}.png`) });
    }
    if (scheme === 'dark') {
      await openPicture(page, shell.session_id);
      const lines = [
        'ls --color=always -l --time-style=+',
        'git log --oneline --graph --color=always',
        'git diff --color=always',
      ];
      for (const line of lines) {
        await server.ipc.write(shell.session_id, `${line} | cat\n`);
        await page.waitForTimeout(700);
      }
      await page.waitForTimeout(1_500);
      await page.screenshot({ path: join(IMAGES, 'workspace.png') });
      await dragToSide(page, vim.session_id, 0.9, 0.5);
      await dragToSide(page, htop.session_id, 0.9, 0.9);
      await page.waitForTimeout(2_000);
      await page.screenshot({ path: join(IMAGES, 'splits.png') });
    }
    await context.close();
  }
});

it('takes the pictures of new terminals, menus and layouts', async () => {
  const folder = join(tmpdir(), 'demo');
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const names = ['api', 'docs', 'mobile', 'payments', 'shop', 'web'];
  for (const name of names) await mkdir(join(folder, 'projects', name), { recursive: true });
  const server = await startServer(cleanup);
  const open = (name: string, line: string) =>
    server.ipc
      .createSession({
        ...BASH,
        cwd: join(folder, 'projects', name),
        env: { ...BASH.env, PS1: '\\[\\e[32m\\]\\W\\[\\e[0m\\] $ ' },
        display_name: name,
      })
      .then(async ({ session_id }) => {
        await server.ipc.write(session_id, line);
        return session_id;
      });
  const shop = await open('shop', 'clear; ls -1F ..; date +%A\n');
  const api = await open('api', 'clear; top -d 600 -p $$\n');
  await open('docs', 'clear; less /etc/services\n');
  const browser = await launchBrowser(cleanup);
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' });
  const { page } = await openWorkspace(context, server, { renderer: 'auto' });
  await openPicture(page, shop);
  await dragToSide(page, api, 0.9, 0.5);
  await page.waitForTimeout(3_000);
  const keep = async (name: string) => {
    await page.keyboard.press('Control+Shift+Quote');
    await page.getByRole('textbox', { name: 'Name of the layout' }).fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await keep('shop and api');
  await page.keyboard.press('Control+Shift+KeyP');
  await page.keyboard.type('join all');
  await page.keyboard.press('Enter');
  await keep('everything in one');
  await page.keyboard.press('Control+Shift+KeyP');
  await page.keyboard.type('layout shop and');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(11_000);
  await page.keyboard.press('Control+Shift+Quote');
  await page.locator('.layout-use').nth(1).waitFor();
  await page.screenshot({ path: join(IMAGES, 'layouts.png') });
  await page.keyboard.press('Escape');
  await page.locator(`.tab[data-session-id="${shop}"]`).click({ button: 'right' });
  await page.getByRole('menu').waitFor();
  await page.screenshot({ path: join(IMAGES, 'menu.png') });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+Period');
  await page.getByRole('combobox', { name: 'Folder' }).fill(`${folder}/projects/`);
  await page.locator('.launcher-item').nth(5).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.screenshot({ path: join(IMAGES, 'new-terminal.png') });
  await context.close();
});

it('takes the pictures of the phone page', async () => {
  await mkdir(IMAGES, { recursive: true });
  const folder = await makeFolder();
  const server = await startServer(cleanup);
  const browser = await launchBrowser(cleanup);
  const prompt = '\\[\\e[1;32m\\]\\W\\[\\e[0m\\] \\[\\e[36m\\]main\\[\\e[0m\\] $ ';
  const common = { cwd: folder, rows: 30, cols: 100 } satisfies CreateSession;
  const shell = await server.ipc.createSession({
    ...common,
    ...BASH,
    env: { ...BASH.env, PS1: prompt },
    display_name: 'hello-server',
  });
  await server.ipc.createSession({ ...common, shell: 'less', args: ['-N', 'notes.txt'], display_name: 'notes' });
  await server.ipc.createSession({
    ...common,
    shell: 'vim',
    args: ['-u', 'NONE', 'server.js'],
    display_name: 'editor',
  });
  await server.ipc.createSession({ ...common, shell: 'sh', args: ['-c', 'exit 1'], display_name: 'unit tests' });
  await server.ipc.createSession({ ...common, shell: 'sh', args: ['-c', 'exit 0'], display_name: 'build' });
  const looks = { deviceScaleFactor: 2, viewport: { width: 390, height: 760 } };
  const dark = await openPhone(browser, cleanup, server, { ...looks, colorScheme: 'dark' });
  await dark.page.locator('.row', { hasText: 'unit tests' }).waitFor();
  await dark.page.screenshot({ path: join(IMAGES, 'phone-list.png') });
  const { session_id: sessionId } = shell;
  const output = await openPhone(browser, cleanup, server, { ...looks, colorScheme: 'dark', sessionId });
  const light = await openPhone(browser, cleanup, server, { ...looks, colorScheme: 'light', sessionId });
  for (const line of ['git log --oneline --graph --color=always | cat', 'git diff --color=always | cat']) {
    await field(output.page).fill(line);
    await key(output.page, 'Send').click();
    // The program prints at its own pace, and nothing tells when it is done.
    await output.page.waitForTimeout(1_200);
  }
  await output.page.screenshot({ path: join(IMAGES, 'phone-session.png') });
  await key(light.page, 'Ctrl').click();
  await field(light.page).fill('npm test');
  await light.page.screenshot({ path: join(IMAGES, 'phone-light.png') });
});

it('takes the pictures of settings and links', async () => {
  const folder = join(tmpdir(), 'demo-shop');
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'src'), { recursive: true });
  for (const name of ['cart.ts', 'price.ts']) await writeFile(join(folder, 'src', name), '');
  const text = [
    'src/cart.ts:48:12 - error TS2339: Property total does not exist on type Cart.',
    'src/price.ts:7:3 - error TS2554: Expected 2 arguments, but got 1.',
    'See https://www.typescriptlang.org/tsconfig for the options in force.',
    'Found 2 errors in 2 files, in ./src/',
  ];
  const server = await startServer(cleanup);
  const { session_id } = await server.ipc.createSession({
    ...BASH,
    cwd: folder,
    env: { ...BASH.env, PS1: '\\[\\e[32m\\]\\W\\[\\e[0m\\] $ ' },
    display_name: 'shop',
  });
  await server.ipc.write(session_id, `clear; printf '%s\\n' '${text.join("' '")}'\n`);
  const browser = await launchBrowser(cleanup);
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' });
  const { page } = await openWorkspace(context, server, { renderer: 'auto' });
  await openPicture(page, session_id);
  await page.keyboard.press('Control+Shift+Semicolon');
  await page.getByRole('dialog', { name: 'Links' }).getByRole('option').nth(3).waitFor();
  await page.screenshot({ path: join(IMAGES, 'links.png') });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+Comma');
  await page.getByRole('dialog', { name: 'Settings' }).getByText('Terminal colours').first().waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(IMAGES, 'settings.png') });
  await context.close();
});
