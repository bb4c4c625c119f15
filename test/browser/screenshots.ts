/** Pictures of real programs in the workspace, for docs/images. Opt-in: `npm run screenshots`. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import type { CreateSession } from '../../src/contract/index.ts';
import { launchBrowser, openWorkspace, untilLive } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
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

it('takes the pictures', async () => {
  await mkdir(IMAGES, { recursive: true });
  const folder = join(await cleanup.temporaryDirectory('demo-'), 'hello-server');
  await mkdir(folder);
  await writeFile(join(folder, 'server.js'), TEXT);
  await writeFile(
    join(folder, 'notes.txt'),
    Array.from({ length: 200 }, (_, line) => `${line + 1}  a line of notes`).join('\n'),
  );
  execFileSync('git', ['init', '-q', folder]);
  const server = await startServer(cleanup);
  const common = { cwd: folder, rows: 30, cols: 100 } satisfies CreateSession;
  // Only processes of this demonstration, not those of the machine.
  const sleeper = await server.ipc.createSession({
    ...common,
    shell: 'sh',
    args: ['-c', 'sleep 501 & sleep 502 & exec sleep 500'],
  });
  const { pid } = (await server.ipc.ok('GET', `/sessions/${sleeper.session_id}/leaf-pid`)) as { pid: number };
  const programs: [string, CreateSession][] = [
    [
      'vim',
      {
        ...common,
        shell: 'vim',
        args: ['-u', 'NONE', '-N', '-c', 'syntax on', '-c', 'set number laststatus=2', 'server.js'],
      },
    ],
    ['htop', { ...common, shell: 'htop', args: ['-p', String(pid)] }],
    ['less', { ...common, shell: 'less', args: ['-N', 'notes.txt'] }],
    ['colours', { ...common, shell: process.execPath, args: [COLOURS, '--stay'] }],
  ];
  const browser = await launchBrowser(cleanup);
  for (const scheme of ['dark', 'light'] as const) {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, colorScheme: scheme });
    for (const [name, session] of programs) {
      const created = await server.ipc.createSession({ ...session, display_name: name });
      const { page } = await openWorkspace(context, server, { renderer: 'auto' });
      const entry = page.getByText(name, { exact: true }).first();
      await entry.click();
      await untilLive(page, created.session_id);
      await page.waitForTimeout(1_500);
      await page.screenshot({ path: join(IMAGES, `${name}-${scheme}.png`) });
      await page.close();
      await server.ipc.remove(created.session_id);
    }
    await context.close();
  }
  const shell = await server.ipc.createSession({ ...common, ...BASH, display_name: 'hello-server' });
  await server.ipc.createSession({
    ...common,
    shell: process.execPath,
    args: [COLOURS, '--stay'],
    display_name: 'colours',
  });
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, colorScheme: 'dark' });
  const { page } = await openWorkspace(context, server, { renderer: 'auto' });
  await page.getByText('colours', { exact: true }).first().click();
  await page.getByText('hello-server', { exact: true }).first().click();
  await server.ipc.write(shell.session_id, 'ls -la --color=always; git status\n');
  await page.waitForTimeout(2_000);
  await page.screenshot({ path: join(IMAGES, 'workspace.png') });
});
