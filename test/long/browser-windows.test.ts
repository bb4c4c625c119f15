/** Many windows of one browser over one server: they tell each other nothing, and stay the same all the same. */
import { describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, untilLive, type WatchedPage, watchPage } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();
const WINDOWS = 10;

describe('ten windows at once', () => {
  it('DESIGN 9: show the same after each change and after a restart, and each of them can still act', async () => {
    const server = await startServer(cleanup);
    const browser = await launchBrowser(cleanup);
    const context = await newContext(browser, cleanup, 800, 500);
    // The others are logged in with the first.
    const windows: WatchedPage[] = [await openWorkspace(context, server, { mayLoseServer: true })];
    while (windows.length < WINDOWS) {
      const watched = watchPage(await context.newPage(), { mayLoseServer: true });
      await watched.page.goto(`${server.origin}/?renderer=dom`);
      await watched.page.getByTestId('connection').and(watched.page.locator('[data-state="connected"]')).waitFor();
      windows.push(watched);
    }
    const names = ({ page }: WatchedPage) => page.locator('.session-name').allTextContents();
    const everywhere = async (what: string, expected: string[]) => {
      for (const [index, window] of windows.entries())
        await eventually(`${what} in window ${index + 1}`, async () => {
          const found = await names(window);
          return JSON.stringify(found) === JSON.stringify(expected);
        });
    };

    const { session_id: first } = await server.ipc.createSession({ ...BASH, display_name: 'one' });
    await everywhere('a new terminal', ['one']);
    const last = windows.at(-1)?.page;
    if (last === undefined) throw new Error('no window');
    await last.locator(`.session-row[data-session-id="${first}"] button.session-main`).click();
    await untilLive(last, first);
    await last.keyboard.press('Control+Shift+KeyE');
    await last.keyboard.type('renamed');
    await last.keyboard.press('Enter');
    await everywhere('the name', ['renamed']);

    await server.kill9();
    await server.start();
    for (const { page } of windows) await page.evaluate(() => window.dispatchEvent(new Event('online')));
    for (const { page } of windows)
      await page.getByTestId('connection').and(page.locator('[data-state="connected"]')).waitFor();
    await server.ipc.createSession({ ...BASH, display_name: 'two' });
    await everywhere('a terminal after the restart', ['renamed', 'two']);
    await server.ipc.remove(first);
    await everywhere('the end of one', ['two']);
    expect(windows.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
