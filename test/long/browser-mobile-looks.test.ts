/** The phone page at every width, in light and dark, by keyboard alone, and under a keyboard that takes half of it. */
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, loginLink, watchPage } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { findAccessFaults, findCuts, inspectEverywhere, type View } from '../kit/looks.ts';
import { field, key, openPhone, untilConnected, untilLog } from '../kit/phone.ts';
import { startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;
let browser: Browser;

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared);
});

afterEach(async () => {
  for (const session of await server.ipc.listSessions()) await server.ipc.remove(session.session_id);
});

describe('DESIGN 9: looks', () => {
  const open = (path: string, act?: (page: Page) => Promise<void>): View['open'] => {
    return async (context) => {
      const watched = watchPage(await context.newPage());
      await watched.page.goto(await loginLink(server));
      await watched.page.goto(`${server.origin}${path}`);
      await untilConnected(watched.page);
      await act?.(watched.page);
      return watched;
    };
  };

  it('the list, its sheets and its notices at four widths, light and dark, with the keyboard alone', async () => {
    await server.ipc.createSession({
      ...BASH,
      display_name: 'a name that is far longer than any phone is wide, and then some more',
    });
    await server.ipc.createSession({ ...BASH, display_name: '漢字 🚀' });
    await server.ipc.createSession({ shell: 'sh', args: ['-c', 'exit 3'], display_name: 'failed' });
    const sheet = (button: string | RegExp) => async (page: Page) => {
      await page.getByRole('button', { name: button }).first().click();
      await page.locator('dialog:modal').waitFor();
    };
    // A sheet is at most 520 pixels wide.
    const widths = [320, 1_280];
    const views: View[] = [
      { name: 'list', open: open('/mobile', async (page) => page.locator('.row').nth(2).waitFor()) },
      { name: 'new terminal', widths, open: open('/mobile', sheet('New terminal')) },
      { name: 'settings', widths, open: open('/mobile', sheet('Settings')) },
      { name: 'menu of a session', widths, open: open('/mobile', sheet(/^More for/)) },
    ];
    const findings: string[] = [];
    for (const view of views) findings.push(...(await inspectEverywhere(browser, cleanup, view)));
    expect(findings).toEqual([]);
  });

  it('a session with output in all colours, its keys and its text field', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const colours = Array.from({ length: 16 }, (_, index) => `\x1b[38;5;${index}mcolour ${index}\x1b[0m`).join(' ');
    await puppet.write(`${colours}\r\n\x1b[7minverse\x1b[0m \x1b[48;5;226;97mpale on yellow\x1b[0m\r\n`);
    const opened = open(`/mobile/session/${id}`, async (page) => {
      await untilLog(page, 'the colours', (text) => text.includes('pale on yellow'));
      await field(page).fill('two\nlines');
    });
    const view: View = { name: 'session', open: opened, mayScroll: ['.key-row-scroll'] };
    expect(await inspectEverywhere(browser, cleanup, view)).toEqual([]);
  });

  it('with a keyboard over half of the phone all that matters stays in sight', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const { page } = await openPhone(browser, cleanup, server, {
      sessionId: id,
      viewport: { width: 320, height: 330 },
    });
    await page.locator('html[data-short="true"]').waitFor();
    for (const part of [field(page), key(page, 'Esc'), page.getByLabel('Back to the list')]) {
      const box = await part.boundingBox();
      expect(box !== null && box.y >= 0 && box.y + box.height <= 330).toBe(true);
    }
    const log = await page.getByTestId('log').boundingBox();
    expect(log?.height).toBeGreaterThan(120);
    expect([...(await findCuts(page)), ...(await findAccessFaults(page))]).toEqual([]);
  });
});
