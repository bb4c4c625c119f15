/** The matrix over each part of the settings. */
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, openWorkspace } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { inspectEverywhere } from '../kit/looks.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const cleanup = cleanupAfterAll();
let server: ServerUnderTest;
let browser: Browser;

beforeAll(async () => {
  server = await startServer(cleanup);
  await server.ipc.createSession({ ...BASH, display_name: 'a terminal with a long name <b>that is text</b>' });
  browser = await launchBrowser(cleanup);
});

describe('DESIGN 9: settings at four widths, light and dark', () => {
  it.each([
    ['Look', 'Terminal colours'],
    ['Sounds', 'Volume'],
    ['Shell', 'Most terminals at once'],
    ['Remote access', 'User name'],
    ['Capture', 'Nothing is recorded.'],
    ['Data folder', 'state.db'],
  ])('%s: nothing overflows or is cut, axe and the keyboard find no fault', async (part, text) => {
    const findings = await inspectEverywhere(browser, cleanup, {
      name: part,
      open: async (context) => {
        const watched = await openWorkspace(context, server);
        await watched.page.keyboard.press('Control+Shift+Comma');
        const dialog = watched.page.getByRole('dialog', { name: 'Settings' });
        await dialog.getByRole('button', { name: part, exact: true }).click();
        await dialog.getByText(text, { exact: true }).first().waitFor();
        return watched;
      },
    });
    expect(findings).toEqual([]);
  });
});
