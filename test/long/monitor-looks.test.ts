/** The process monitor at every width, light and dark: nothing is cut, axe finds nothing, the keyboard reaches all (DESIGN 9). */
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, loginLink, watchPage } from '../kit/browser.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { inspectEverywhere } from '../kit/looks.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let browser: Browser;
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared);
  for (const display_name of ['api', 'a session whose name is longer than any place that a row could have for it']) {
    await server.ipc.createSession({ shell: '/bin/sh', args: ['-c', 'sleep 7100 & wait'], display_name });
  }
});

const VIEWS: Record<string, (page: Page) => Promise<void>> = {
  'rows with particulars': async (page) => {
    await page
      .locator('tr.process', { hasText: /^sleep/ })
      .first()
      .click();
    await page.locator('tr.details').waitFor();
  },
  'the question before a process ends': async (page) => {
    await page
      .locator('tr.process', { hasText: /^sleep/ })
      .first()
      .focus();
    await page.keyboard.press('k');
    await page.locator('#confirm[open]').waitFor();
  },
};

describe.each(Object.entries(VIEWS))('process monitor, %s', (name, bringUp) => {
  it('DESIGN 9: looks right and is reached by keys at each width, light and dark', async () => {
    const findings = await inspectEverywhere(browser, cleanup, {
      name,
      async open(context) {
        const watched = watchPage(await context.newPage());
        await watched.page.goto(await loginLink(server));
        await watched.page.goto(`${server.origin}/process/monitor`);
        await watched.page
          .locator('tr.process', { hasText: /^sleep/ })
          .first()
          .waitFor();
        await bringUp(watched.page);
        return watched;
      },
      // Sessions lie in a strip that scrolls on a phone; names longer than their row are shortened, with the whole in a tooltip.
      mayScroll: ['.legend'],
      ignore: ['.legend', '.group .program'],
    });
    expect(findings).toEqual([]);
  });
});
