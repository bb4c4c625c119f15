/** The process monitor in a real browser, against a real server: a tree, its load, and the end of a process. */
import { expect, it } from 'vitest';
import { launchBrowser, loginLink, newContext, watchPage } from '../kit/browser.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { listProcesses, processGone } from '../kit/processes.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

it('http.md 7: shows the sessions as trees, ends a process after a question, and asks nobody but the server', async () => {
  const server = await startServer(cleanup);
  const { session_id } = await server.ipc.createSession({
    shell: '/bin/sh',
    args: ['-c', 'sleep 4567 & wait'],
    display_name: 'api <b>',
  });
  const browser = await launchBrowser(cleanup);
  const context = await newContext(browser, cleanup, 390, 844);
  const { page, problems } = watchPage(await context.newPage());
  await page.goto(await loginLink(server));
  const origins = new Set<string>();
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(`${server.origin}/process/monitor`);
  const row = page.locator('tr.process', { has: page.locator('.program', { hasText: 'sleep' }) });
  await row.waitFor();
  expect(await page.locator('tr.group .program').allTextContents()).toEqual(['TUICommander', 'api <b>']);
  expect(await page.evaluate('document.documentElement.scrollWidth'), 'it fits on a phone').toBe(390);
  const sleeper = listProcesses().find((entry) => entry.arguments.join(' ') === 'sleep 4567');
  if (sleeper === undefined) throw new Error('the program does not run');

  await row.click();
  const details = page.locator('tr.details');
  expect(await details.textContent()).toContain(`sleep 4567`);
  expect(await details.textContent()).toContain(session_id);
  await details.getByRole('button', { name: 'End process…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Ask to end' }).click();
  await page.getByText(`sleep (${sleeper.pid}) was asked to end.`).waitFor();
  await processGone(sleeper);
  expect([...origins].filter((origin) => origin !== 'null')).toEqual([server.origin]);
  expect(problems).toEqual([]);
});
