/** Links of terminals in a real browser: pointer and keyboard. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, terminalOf, untilLive, untilRows } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
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

/** Puts the pointer on a cell, counted from 0, and clicks it with Ctrl when asked to. */
async function pointAt(page: Page, id: string, row: number, column: number): Promise<void> {
  const screen = terminalOf(page, id).locator('.xterm-screen');
  const box = await screen.boundingBox();
  const { cols, rows } = (await terminalOf(page, id).evaluate((element) => ({
    ...(element as HTMLElement).dataset,
  }))) as { cols: string; rows: string };
  if (box === null) throw new Error('the terminal is not on the page');
  const cell = { width: box.width / Number(cols), height: box.height / Number(rows) };
  // From elsewhere: a pointer that stands still points at nothing new.
  await page.mouse.move(box.x + box.width - 5, box.y + box.height - 5);
  await page.mouse.move(box.x + (column + 0.5) * cell.width, box.y + (row + 0.5) * cell.height, { steps: 3 });
}

async function ctrlClick(page: Page): Promise<void> {
  await page.keyboard.down('Control');
  await page.mouse.down();
  await page.mouse.up();
  await page.keyboard.up('Control');
}

describe('DESIGN 9: links', () => {
  it('OSC 8: the true target is shown before it opens, only http(s) opens, and only with Ctrl', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const context = await newContext(browser, cleanup);
    // What would open is noted: no test goes to the network.
    await context.addInitScript(() => {
      const opened: string[] = [];
      Object.assign(window, { opened });
      window.open = (...parts) => {
        opened.push(parts.join(' '));
        return null;
      };
    });
    const { page, problems } = await openWorkspace(context, server);
    await untilLive(page, id);
    const opened = () => page.evaluate(() => (window as unknown as { opened: string[] }).opened);
    await puppet.write(
      [
        '\x1b]8;;https://true.example/path\x1b\\https://looks.example\x1b]8;;\x1b\\\r\n',
        '\x1b]8;;javascript:document.title=1337\x1b\\press me\x1b]8;;\x1b\\\r\n',
        '\x1b]8;;file:///etc/passwd\x1b\\and me\x1b]8;;\x1b\\\r\n',
        'plain https://plain.example/a.\r\n',
      ].join(''),
    );
    await untilRows(page, id, 'the links', (rows) => rows.length >= 4);
    const hint = page.getByTestId('link-hint');
    await pointAt(page, id, 0, 3);
    await hint.getByText('https://true.example/path').waitFor();
    await page.mouse.down();
    await page.mouse.up();
    expect(await opened()).toEqual([]);
    await ctrlClick(page);
    expect(await opened()).toEqual(['https://true.example/path _blank noopener,noreferrer']);
    for (const row of [1, 2]) {
      await pointAt(page, id, row, 2);
      await hint.waitFor({ state: 'detached' });
      await ctrlClick(page);
    }
    await pointAt(page, id, 3, 10);
    await hint.getByText('https://plain.example/a', { exact: true }).waitFor();
    expect(await opened()).toHaveLength(1);
    expect(context.pages()).toHaveLength(1);
    expect(await page.title()).not.toContain('1337');
    expect(problems).toEqual([]);
  });

  it('paths count from the folder the program works in; the list reaches them by keyboard', async () => {
    const folder = await cleanup.temporaryDirectory();
    await mkdir(join(folder, 'inner', '<b>deep'), { recursive: true });
    await writeFile(join(folder, 'inner', 'main.ts'), '');
    const { session_id: id } = await server.ipc.createSession({ ...BASH, cwd: folder });
    const context = await newContext(browser, cleanup);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page, problems } = await openWorkspace(context, server);
    await untilLive(page, id);
    await terminalOf(page, id).locator('textarea').focus();
    await page.keyboard.type("cd inner; clear; echo 'main.ts:12:5 missing.ts ./<b>deep/ ../inner'\n");
    const rows = await untilRows(page, id, 'the paths', (found) => found.some((row) => row.startsWith('main.ts:12')));
    const row = rows.findIndex((text) => text.startsWith('main.ts:12'));
    const hint = page.getByTestId('link-hint');
    await pointAt(page, id, row, 3);
    await hint.getByText(`${join(folder, 'inner', 'main.ts')}:12:5`).waitFor();
    await ctrlClick(page);
    await page.getByText('main.ts:12:5 is copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${join(folder, 'inner', 'main.ts')}:12:5`);
    await pointAt(page, id, row, 16);
    await hint.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+Shift+Semicolon');
    const dialog = page.getByRole('dialog', { name: 'Links' });
    await dialog.getByRole('option').nth(1).waitFor();
    await page.keyboard.type('inner');
    const titles = await dialog.getByRole('option').allInnerTexts();
    expect(titles.some((text) => text.includes('missing.ts'))).toBe(false);
    await page.keyboard.press('Shift+Enter');
    await page.getByText('is copied.').nth(1).waitFor();
    await page.keyboard.press('Control+Shift+Semicolon');
    await page.keyboard.type(join(folder, 'inner'));
    await dialog.getByRole('option', { name: 'open a terminal there' }).first().click();
    await eventually('a terminal in the folder', async () =>
      (await server.ipc.listSessions()).some(
        ({ session_id, cwd }) => session_id !== id && cwd === join(folder, 'inner'),
      ),
    );
    expect(problems).toEqual([]);
  });
});
