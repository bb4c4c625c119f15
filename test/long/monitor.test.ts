/** The process monitor, thoroughly: keys, hostile text, a server that goes and comes, and the way from another machine. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessStats } from '../../src/contract/index.ts';
import { launchBrowser, loginLink, newContext, type WatchedPage, watchPage } from '../kit/browser.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { listProcesses, processGone, signalProcess } from '../kit/processes.ts';
import { LOGIN, openRemote } from '../kit/remote.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let browser: Browser;
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared);
});

afterEach(async () => {
  for (const { session_id } of await server.ipc.listSessions()) {
    await server.ipc.ok('DELETE', `/sessions/${session_id}?mode=kill`);
  }
});

async function openMonitor(context: BrowserContext, options: { mayLoseServer?: boolean } = {}): Promise<WatchedPage> {
  const watched = watchPage(await context.newPage(), options);
  await watched.page.goto(await loginLink(server));
  await watched.page.goto(`${server.origin}/process/monitor`);
  await watched.page.locator('tr.group').first().waitFor();
  return watched;
}

async function createTree(name: string, script = 'sleep 7001 & sh -c "sleep 7002; true" & wait'): Promise<string> {
  const { session_id } = await server.ipc.createSession({
    shell: '/bin/sh',
    args: ['-c', script],
    display_name: name,
  });
  return session_id;
}

/** As a person reads it: `+` for a session, else depth in dots and the program. */
async function rowsOf(page: Page): Promise<string[]> {
  return await page.locator('tbody tr:not(.details)').evaluateAll((rows) =>
    rows.map((row) => {
      const name = row.querySelector('.program')?.textContent ?? '';
      const depth = Number(row.getAttribute('aria-level')) - 2;
      return row.classList.contains('group') ? `+${name}` : `${'.'.repeat(Math.max(0, depth))}${name}`;
    }),
  );
}

async function untilRows(page: Page, expected: string[]): Promise<void> {
  await eventually(
    `the rows ${expected.join(' ')}`,
    async () => {
      const found = await rowsOf(page);
      return found.join('\n') === expected.join('\n');
    },
    60_000,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)}. They are: ${(await rowsOf(page)).join(' ')}`);
  });
}

const OWN = ['+TUICommander', 'TUICommander', 'Terminal host'];
const TREE = ['sh', '.sleep', '.sh', '..sleep'];

describe('the process monitor', () => {
  it('is worked by keys alone: move, fold, filter, sort, list, end', async () => {
    await createTree('api');
    const { page, problems } = await openMonitor(await newContext(browser, cleanup));
    await untilRows(page, [...OWN, '+api', ...TREE]);
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('.program')?.textContent);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('TUICommander');
    await page.keyboard.press('ArrowLeft');
    await untilRows(page, ['+TUICommander', '+api', ...TREE]);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('api');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('sh');
    await page.keyboard.press('ArrowLeft');
    await untilRows(page, ['+TUICommander', '+api', 'sh', '.sleep', '.sh']);
    expect(await page.locator('tr[tabindex="0"] .more').textContent()).toBe('+1');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await untilRows(page, [...OWN, '+api', ...TREE]);

    await page.keyboard.press('/');
    await page.keyboard.type('api 7002');
    await untilRows(page, ['+api', 'sh', '.sh', '..sleep']);
    await page.keyboard.press('Escape');
    await untilRows(page, [...OWN, '+api', ...TREE]);

    await page.keyboard.press('n');
    expect(await page.locator('th[data-sort=name]').getAttribute('aria-sort')).toBe('ascending');
    await untilRows(page, ['+api', 'sh', '.sh', '..sleep', '.sleep', '+TUICommander', 'TUICommander', 'Terminal host']);
    await page.keyboard.press('t');
    await page.keyboard.press('i');
    expect(await page.locator('th[data-sort=pid]').getAttribute('aria-sort')).toBe('descending');
    expect(await page.locator('tr.group').count()).toBe(0);
    const pids = (await page.locator('tbody td.pid').allTextContents()).map(Number);
    expect(pids).toEqual([...pids].sort((a, b) => b - a));
    await page.keyboard.press('i');
    await page.keyboard.press('i');
    await page.keyboard.press('t');

    await page.keyboard.press('End');
    await page.keyboard.press('Delete');
    await page.locator('#confirm[open]').waitFor();
    // The harmless answer has the focus, and another key of the page does nothing behind the question.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await page.keyboard.press('t');
    await page.keyboard.press('Escape');
    await page.locator('#confirm:not([open])').waitFor({ state: 'attached' });
    await untilRows(page, [...OWN, '+api', ...TREE]);
    await page.keyboard.press('k');
    await page.locator('#confirm[open]').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // The shell around it was waiting for it alone.
    await untilRows(page, [...OWN, '+api', 'sh', '.sleep']);
    expect(await focused(), 'the focus is on what took its place').toBe('sleep');
    expect(problems).toEqual([]);
  });

  it('pauses: nothing is asked, and nothing moves, until it is resumed', async () => {
    await createTree('api');
    const { page, problems } = await openMonitor(await newContext(browser, cleanup));
    await untilRows(page, [...OWN, '+api', ...TREE]);
    await page.getByRole('button', { name: 'Pause' }).click();
    let asked = 0;
    page.on('request', () => asked++);
    const second = await createTree('late');
    // Two samples later, as the server counts them.
    const { newest_id } = (await server.ipc.ok('GET', '/process/history')) as { newest_id: number };
    await eventually('two samples', async () => {
      const now = (await server.ipc.ok('GET', '/process/history')) as { newest_id: number };
      return now.newest_id >= newest_id + 2;
    });
    expect(asked).toBe(0);
    expect(await page.getByRole('status').first().textContent()).toBe('Paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await untilRows(page, [...OWN, '+api', ...TREE, '+late', ...TREE]);
    await server.ipc.ok('DELETE', `/sessions/${second}?mode=kill`);
    await untilRows(page, [...OWN, '+api', ...TREE]);
    // What it used stays in the charts, under its name.
    await page.locator('.chip.is-gone', { hasText: 'late' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('P4: what programs call themselves is text and nothing else; what left its terminal is still there', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u001b[2J\u202etxt.exe';
    await createTree(
      hostile,
      `(setsid sh -c 'exec sleep 7003' &); exec bash -c 'exec -a "<script>document.title=1</script>" sleep 7004'`,
    );
    const { page, problems } = await openMonitor(await newContext(browser, cleanup));
    const shown = '<img src=x onerror=alert(1)>\ufffd[2J\ufffdtxt.exe';
    await untilRows(page, [...OWN, `+${shown}`, 'sleep', 'sleep']);
    const commands = await page.locator('.command-line').allTextContents();
    expect(commands).toContain('<script>document.title=1</script> 7004');
    expect(commands).toContain('sleep 7003');
    expect(await page.title()).toBe('Processes – TUICommander');
    expect(await page.locator('tbody img, tbody script').count()).toBe(0);

    // One that ends while the question stands is told as such; the process that is no more is not asked.
    const row = page.locator('tr.process', { hasText: 'sleep 7003' });
    await row.hover();
    await row.getByRole('button', { name: /^End sleep/ }).click();
    const sleeper = listProcesses().find((entry) => entry.arguments.join(' ') === 'sleep 7003');
    if (sleeper === undefined) throw new Error('the program does not run');
    signalProcess(sleeper, 'SIGKILL');
    await processGone(sleeper);
    await page.getByRole('button', { name: 'Kill at once' }).click();
    await page.locator('.notice.is-error', { hasText: `process ${sleeper.pid}; it has ended` }).waitFor();
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  it('P2: says that no answer comes while the server is gone, and goes on by itself with the next one', async () => {
    await createTree('api');
    const { page, problems } = await openMonitor(await newContext(browser, cleanup), { mayLoseServer: true });
    await untilRows(page, [...OWN, '+api', ...TREE]);
    await server.kill9();
    const banner = page.getByRole('alert');
    await banner.and(page.getByText(/The server does not answer\. Trying again\. What you see is from/)).waitFor();
    expect(await rowsOf(page)).toEqual([...OWN, '+api', ...TREE]);
    await server.start();
    await banner.waitFor({ state: 'hidden' });
    await page.locator('.state[data-state=live]').waitFor();
    await untilRows(page, [...OWN, '+api', ...TREE]);
    expect(problems).toEqual([]);
  });

  it('D2 D3: works from another machine by name and password; a browser that is not logged in is told what to do', async () => {
    // A name of its own: the newest sample may still hold the tree of the test before, whose processes are gone.
    await createTree('far');
    const port = await openRemote(server);
    const remote = await browser.newContext({ httpCredentials: LOGIN });
    cleanup.defer(() => remote.close());
    const { page, problems } = watchPage(await remote.newPage());
    await page.goto(`http://127.0.0.1:${port}/process/monitor`);
    await untilRows(page, [...OWN, '+far', ...TREE]);
    const stats = (await server.ipc.ok('GET', '/process/stats')) as ProcessStats[];
    const sleeper = stats.find(({ command }) => command === 'sleep 7001');
    if (sleeper === undefined) throw new Error('the program does not run');
    const row = page.locator('tr.process', { hasText: /^sleep/ }).filter({ hasText: 'sleep 7001' });
    await row.hover();
    await row.getByRole('button', { name: /^End sleep/ }).click();
    await page.getByRole('button', { name: 'Kill at once' }).click();
    await untilRows(page, [...OWN, '+far', 'sh', '.sh', '..sleep']);
    expect(problems).toEqual([]);

    const local = await openMonitor(await newContext(browser, cleanup));
    await local.page.context().clearCookies();
    await local.page.getByText('This browser is not logged in any more. Run “tuic open”.').waitFor();
    await local.page.goto(`${server.origin}/process/monitor`);
    await local.page.getByTestId('login-needed').waitFor();
  });
});
