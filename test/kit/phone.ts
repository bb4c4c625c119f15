/** The phone page in a browser that says it is a phone. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { loginLink, type WatchedPage, watchPage } from './browser.ts';
import type { Cleanup } from './cleanup.ts';
import { eventually } from './eventually.ts';
import type { ServerUnderTest } from './server.ts';

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 780 },
  isMobile: true,
  hasTouch: true,
  userAgent: 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
};

export interface OpenPhoneOptions extends BrowserContextOptions {
  mayLoseServer?: boolean;
  /** Shown instead of the list. */
  sessionId?: string;
}

/** A page that is logged in and connected. */
export async function openPhone(
  browser: Browser,
  cleanup: Cleanup,
  server: ServerUnderTest,
  { mayLoseServer = false, sessionId, ...options }: OpenPhoneOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...PHONE, ...options });
  cleanup.defer(() => context.close());
  const watched = watchPage(await context.newPage(), { mayLoseServer });
  await watched.page.goto(await loginLink(server));
  if (sessionId !== undefined) await watched.page.goto(`${server.origin}/mobile/session/${sessionId}`);
  await untilConnected(watched.page);
  return watched;
}

export async function untilConnected(page: Page): Promise<void> {
  await page.getByTestId('connection').and(page.locator('[data-state="connected"]')).waitFor();
}

/** Where text for the program is typed. */
export const field = (page: Page): Locator => page.getByLabel('Text to send');

/** A key or another button, by its exact name. */
export const key = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** All text of the log and the screen below it, a line each. */
export async function logText(page: Page): Promise<string> {
  const lines = await page.locator('.log-line').allTextContents();
  return lines.map((line) => line.trimEnd()).join('\n');
}

export async function untilLog(page: Page, what: string, check: (text: string) => boolean): Promise<string> {
  return await eventually(
    what,
    async () => {
      const text = await logText(page);
      return check(text) && text;
    },
    20_000,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)}. The log shows:\n${(await logText(page)).slice(-2_000)}`);
  });
}
