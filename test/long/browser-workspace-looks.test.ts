/** The workspace at every width, in light and dark, and by keyboard alone. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, openWorkspace, untilLive, untilRows, type WatchedPage } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { inspectEverywhere, type View } from '../kit/looks.ts';
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

const LONG = 'a name that is far longer than any tab or any list of sessions is wide, and then some more';

/** What lies over the page looks the same between these. */
const FEWER = [320, 1_280];

/** The list stands beside the terminal, or lies over it where there is no room. */
async function showList(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Show the session list' });
  if (await button.isVisible()) await button.click();
  await page.getByRole('navigation', { name: 'Sessions' }).waitFor();
}

async function show(page: Page, sessionId: string): Promise<void> {
  await showList(page);
  await page.locator(`.session-row[data-session-id="${sessionId}"] button.session-main`).click();
  await untilLive(page, sessionId);
}

const opening =
  (act: (page: Page) => Promise<unknown> = async () => undefined) =>
  async (context: BrowserContext): Promise<WatchedPage> => {
    const watched = await openWorkspace(context, server);
    await act(watched.page);
    return watched;
  };

async function inspect(...views: View[]): Promise<string[]> {
  const findings: string[] = [];
  for (const view of views) findings.push(...(await inspectEverywhere(browser, cleanup, view)));
  return findings;
}

describe('DESIGN 9: the workspace at every width, light and dark, by keyboard alone', () => {
  it('empty, with one terminal, with the list of many', async () => {
    const empty: View = { name: 'empty', widths: FEWER, open: opening() };
    expect(await inspect(empty)).toEqual([]);
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { display_name: LONG });
    await puppet.write(`\x1b]2;${LONG}\x07some output\r\n`);
    await server.ipc.createSession({ ...BASH, display_name: '漢字 🚀' });
    await server.ipc.createSession({ ...BASH, cwd: '/usr/share' });
    const one: View = {
      name: 'a terminal',
      mayScroll: ['.tabs'],
      open: opening(async (page) => {
        await show(page, id);
        await untilRows(page, id, 'the output', (rows) => rows.includes('some output'));
      }),
    };
    const list: View = {
      name: 'the list',
      // Wider windows have it beside the terminal, as above.
      widths: [320],
      mayScroll: ['.tabs'],
      open: opening(async (page) => {
        await showList(page);
        await page.locator('.session-row').nth(2).waitFor();
      }),
    };
    expect(await inspect(one, list)).toEqual([]);
  });

  it('split in two, with an ended program', async () => {
    const { session_id } = await server.ipc.createSession(BASH);
    const split: View = {
      name: 'split',
      // A small window shows one pane at a time.
      widths: [768, 2_560],
      mayScroll: ['.tabs'],
      starts: [
        async (page) => {
          await page.locator('.pane.is-focused .xterm-helper-textarea').focus();
          await page.keyboard.press('Control+Shift+L');
        },
      ],
      open: opening(async (page) => {
        await show(page, session_id);
        await page.keyboard.press('Control+Shift+S');
        await page.locator('.pane').nth(1).waitFor();
      }),
    };
    const ended: View = {
      name: 'ended',
      widths: FEWER,
      mayScroll: ['.tabs'],
      open: opening(async (page) => {
        const { id, puppet } = await startPuppet(cleanup, server.ipc);
        await show(page, id);
        await puppet.exit(3);
        await page.getByTestId('end-banner').waitFor();
      }),
    };
    expect(await inspect(split, ended)).toEqual([]);
  });

  it('what lies over it: palette, keys, preferences, find, the question before a close', async () => {
    const { session_id } = await server.ipc.createSession({ ...BASH, display_name: LONG });
    await server.ipc.write(session_id, 'sleep 600\n');
    const over = (name: string, act: (page: Page) => Promise<unknown>): View => ({
      name,
      widths: FEWER,
      mayScroll: ['.tabs'],
      open: opening(async (page) => {
        await show(page, session_id);
        await act(page);
      }),
    });
    expect(
      await inspect(
        over('palette', async (page) => {
          await page.keyboard.press('Control+Shift+P');
          await page.getByRole('combobox').waitFor();
        }),
        over('links', async (page) => {
          await page.keyboard.press('Control+Shift+Semicolon');
          await page.getByRole('dialog', { name: 'Links' }).waitFor();
        }),
        over('keys', async (page) => {
          await page.keyboard.press('Control+Shift+Slash');
          await page.locator('dialog:modal').waitFor();
        }),
        over('preferences', async (page) => {
          await page.getByRole('button', { name: 'Preferences' }).click();
          await page.locator('dialog:modal').waitFor();
        }),
        over('find', async (page) => {
          await page.keyboard.press('Control+Shift+F');
          await page.getByTestId('find').waitFor();
          await page.keyboard.type('sleep');
        }),
        over('close', async (page) => {
          await page
            .locator(`.tab[data-session-id="${session_id}"]`)
            .getByRole('button', { name: /^Close/ })
            .click();
          await page.locator('dialog:modal').waitFor();
        }),
      ),
    ).toEqual([]);
  });
});
