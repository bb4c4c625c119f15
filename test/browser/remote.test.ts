/** The workspace from another machine, over plain HTTP: a browser keeps much back there that it gives to loopback and TLS. */
import { expect, it } from 'vitest';
import { launchBrowser, untilLive, untilRows, watchPage } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { LOGIN, openRemote } from '../kit/remote.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

it('D2: the workspace works by name and password', async () => {
  const server = await startServer(cleanup);
  const port = await openRemote(server);
  await server.ipc.ok('PUT', '/config', { allowed_hosts: ['box.test'] });
  const { session_id } = await server.ipc.createSession(BASH);
  const browser = await launchBrowser(cleanup, ['--host-resolver-rules=MAP box.test 127.0.0.1']);
  const context = await browser.newContext({ httpCredentials: LOGIN });
  const { page, problems } = watchPage(await context.newPage());
  await page.goto(`http://box.test:${port}/?renderer=dom`);
  expect(await page.evaluate('isSecureContext')).toBe(false);
  await page.getByTestId('connection').and(page.locator('[data-state="connected"]')).waitFor();
  const terminal = await untilLive(page, session_id);
  await terminal.locator('textarea').focus();
  await page.keyboard.type('echo from afar\n');
  await untilRows(page, session_id, 'what the shell prints', (rows) => rows.includes('from afar'));

  // Such pages have no clipboard of their own; copying works all the same.
  const row = await terminal.locator('.xterm-rows > div', { hasText: /^from afar/ }).boundingBox();
  if (row === null) throw new Error('the row is not shown');
  await page.mouse.dblclick(row.x + 60, row.y + row.height / 2);
  await page.keyboard.press('Control+Shift+C');
  await page.keyboard.press('Control+Shift+V');
  await untilRows(page, session_id, 'what was copied', (rows) => rows.some((row) => /> afar$/.test(row)));
  expect(problems).toEqual([]);
});
