/** New terminals, menus and layouts of the workspace: what goes wrong, what is remembered, and how they look. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, untilLive, type WatchedPage } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
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

const folderField = (page: Page) => page.getByRole('combobox', { name: 'Folder' });

async function openLauncher(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+Period');
  await folderField(page).waitFor();
}

async function show(page: Page, sessionId: string): Promise<void> {
  const button = page.getByRole('button', { name: 'Show the session list' });
  if (await button.isVisible()) await button.click();
  await page.locator(`.session-row[data-session-id="${sessionId}"] button.session-main`).click();
  await untilLive(page, sessionId);
}

describe('DESIGN 9: a new terminal in a folder', () => {
  it('a folder that went away is told in the dialog, nothing typed is lost, and a place is there the next time', async () => {
    const folder = await cleanup.temporaryDirectory('tuic-desk-');
    const [good, gone] = [join(folder, 'stays'), join(folder, 'goes')];
    await Promise.all([mkdir(good), mkdir(gone)]);
    const context = await newContext(browser, cleanup);
    const { page, problems } = await openWorkspace(context, server);
    await openLauncher(page);
    await page.keyboard.type(`${folder}/goes`);
    await page.locator('.launcher-item.is-chosen').waitFor();
    await rm(gone, { recursive: true });
    await page.getByRole('textbox', { name: 'Name' }).fill('kept name');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'goes' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('kept name');
    expect(await server.ipc.listSessions()).toEqual([]);

    await folderField(page).fill(`${folder}/st`);
    await page.locator('.launcher-item.is-chosen', { hasText: 'stays' }).waitFor();
    await page.keyboard.press('Enter');
    const session = await eventually('the terminal', async () => (await server.ipc.listSessions())[0]);
    expect(session).toMatchObject({ cwd: good, display_name: 'kept name' });
    await untilLive(page, session.session_id);
    await server.ipc.remove(session.session_id);
    await page.locator('.tab').waitFor({ state: 'detached' });

    await openLauncher(page);
    await page.keyboard.type('stay');
    await page.locator('.launcher-item.is-chosen', { hasText: good }).waitFor();
    await page.keyboard.press('Shift+Delete');
    await page.getByRole('alert').waitFor();
    // The browser itself writes each answer of 400 into the console.
    expect(problems.filter((line) => !line.includes('400'))).toEqual([]);
  });

  it('the chosen shell runs, beside the terminal that was there', async () => {
    const { session_id } = await server.ipc.createSession(BASH);
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await show(page, session_id);
    await openLauncher(page);
    const shell = page.getByRole('combobox', { name: 'Shell' });
    await shell.locator('option', { hasText: '/bin/sh' }).first().waitFor({ state: 'attached' });
    await shell.selectOption('/bin/sh');
    await page.getByRole('radio', { name: 'Right' }).check();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.locator('.pane').nth(1).waitFor();
    const opened = (await server.ipc.listSessions()).find((one) => one.session_id !== session_id);
    expect(opened?.shell).toBe('/bin/sh');
    expect(problems).toEqual([]);
  });
});

describe('DESIGN 9: what runs in front, in the list', () => {
  it('is named while it runs, and the shell when it has ended', async () => {
    const { session_id } = await server.ipc.createSession(BASH);
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const program = page.locator(`.session-row[data-session-id="${session_id}"] .session-program`);
    await program.filter({ hasText: 'bash' }).waitFor();
    await server.ipc.write(session_id, 'sleep 600\n');
    await program.filter({ hasText: 'sleep' }).waitFor();
    await server.ipc.write(session_id, '\x03');
    await program.filter({ hasText: 'bash' }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('DESIGN 9: menus', () => {
  it('a long touch opens the menu of a row; lifting the finger leaves it open, a touch beside it closes it', async () => {
    const { session_id } = await server.ipc.createSession(BASH);
    const context = await browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true });
    cleanup.defer(() => context.close());
    const { page, problems } = await openWorkspace(context, server);
    await page.getByRole('button', { name: 'Show the session list' }).click();
    const row = page.locator(`.session-row[data-session-id="${session_id}"]`);
    const box = await row.boundingBox();
    if (box === null) throw new Error('the row has no place');
    const touch = await context.newCDPSession(page);
    const [x, y] = [box.x + 60, box.y + 20];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await page.getByRole('menu').waitFor();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('menuitem', { name: 'Rename terminal' }).waitFor();
    await page.touchscreen.tap(380, 760);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('a program that reads the mouse keeps its right click; Shift opens the menu, Escape gives the keyboard back', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await show(page, id);
    await puppet.write('\x1b[?1000h\x1b[?1006hreads the mouse');
    await page.getByText('reads the mouse').waitFor();
    const place = { button: 'right', position: { x: 200, y: 120 } } as const;
    await page.locator('.terminals').click(place);
    await puppet.until('the click', () => puppet.received.includes('\x1b[<2;'));
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.locator('.terminals').click({ ...place, modifiers: ['Shift'] });
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.type('typed');
    await puppet.until('what is typed', () => puppet.received.includes('typed'));
    expect(problems).toEqual([]);
  });
});

describe('http.md 10.1: layouts', () => {
  it('saved in one window, there in the other; what has ended of it starts again on demand; deleting can be undone', async () => {
    const ids = [await server.ipc.createSession(BASH), await server.ipc.createSession(BASH)].map(
      (one) => one.session_id,
    );
    const [kept, ended] = ids as [string, string];
    const one = await openWorkspace(await newContext(browser, cleanup), server);
    const other = await openWorkspace(await newContext(browser, cleanup), server);
    await show(one.page, ended);
    await show(one.page, kept);
    await one.page.keyboard.press('Control+Shift+Quote');
    await one.page.getByRole('textbox', { name: 'Name of the layout' }).fill('both');
    await one.page.keyboard.press('Enter');
    await one.page.getByText('Layout both is saved.').waitFor();
    await server.ipc.remove(ended);
    await other.page.keyboard.press('Control+Shift+Quote');
    await other.page.locator('.layout-use', { hasText: 'both' }).click();
    await other.page.getByRole('button', { name: 'Start again' }).click();
    await eventually('another terminal', async () => (await server.ipc.listSessions()).length === 2);
    await other.page.locator('.tab').nth(1).waitFor();
    await other.page.keyboard.press('Control+Shift+Quote');
    await other.page.getByRole('button', { name: 'Delete layout both' }).click();
    await other.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await other.page.locator('.layout-use', { hasText: 'both' }).waitFor();
    expect([...one.problems, ...other.problems]).toEqual([]);
  });
});

describe('DESIGN 9: how they look, light and dark, by keyboard alone', () => {
  it('the dialog of a new terminal, the layouts, a menu', async () => {
    const { session_id } = await server.ipc.createSession({ ...BASH, cwd: '/usr/share', display_name: 'a'.repeat(80) });
    const opening =
      (act: (page: Page) => Promise<unknown>) =>
      async (context: BrowserContext): Promise<WatchedPage> => {
        const watched = await openWorkspace(context, server);
        await show(watched.page, session_id);
        await act(watched.page);
        return watched;
      };
    const views: View[] = [
      {
        name: 'new terminal',
        mayScroll: ['.tabs'],
        open: opening(async (page) => {
          await openLauncher(page);
          await page.keyboard.type('/usr/');
          await page.locator('.launcher-item').nth(3).waitFor();
        }),
      },
      {
        name: 'layouts',
        widths: [320],
        mayScroll: ['.tabs'],
        open: opening(async (page) => {
          await page.keyboard.press('Control+Shift+Quote');
          const field = page.getByRole('textbox', { name: 'Name of the layout' });
          await field.fill('m'.repeat(60));
          await page.keyboard.press('Enter');
          await field.waitFor({ state: 'detached' });
          await page.keyboard.press('Control+Shift+Quote');
          await page.locator('.layout-use', { hasText: 'mmm' }).waitFor();
        }),
      },
      {
        name: 'menu',
        widths: [320],
        mayScroll: ['.tabs'],
        open: opening(async (page) => {
          await page.getByRole('button', { name: 'Menu of the terminal' }).click();
          await page.getByRole('menu').waitFor();
        }),
      },
    ];
    const findings: string[] = [];
    for (const view of views) findings.push(...(await inspectEverywhere(browser, cleanup, view)));
    expect(findings).toEqual([]);
  });
});
