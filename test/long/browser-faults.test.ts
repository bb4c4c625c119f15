/** The server dies in the middle of each action of the workspace. */
import type { Browser, Page, Route } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  launchBrowser,
  newContext,
  openWorkspace,
  pasteInto,
  terminalOf,
  terminalRows,
  untilLive,
  untilRows,
  type WatchedPage,
} from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;
let browser: Browser;
let page: Page;
let watched: WatchedPage;

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared);
  watched = await openWorkspace(await newContext(browser, shared), server, { mayLoseServer: true });
  page = watched.page;
});

afterEach(async () => {
  for (const session of await server.ipc.listSessions()) await server.ipc.remove(session.session_id);
  await page.reload();
  await page.locator('.tab').first().waitFor({ state: 'detached' });
  expect(watched.problems).toEqual([]);
});

/** Kills the server once a request of the action has left the page: before the server saw it, or before it could answer. */
async function breakAt(method: string, path: RegExp, when: 'before' | 'after', act: () => Promise<unknown>) {
  const isIt = (url: URL) => path.test(url.pathname);
  let broken = false;
  const handle = async (route: Route) => {
    if (route.request().method() !== method) return await route.fallback();
    if (when === 'after') await route.fetch();
    await server.kill9();
    await route.abort('connectionreset');
    broken = true;
  };
  await page.route(isIt, handle);
  await act();
  await eventually('the break', async () => broken);
  await page.unroute(isIt, handle);
}

const connection = (state: string) => page.getByTestId('connection').and(page.locator(`[data-state="${state}"]`));

async function startAgain(): Promise<void> {
  await server.start();
  // The page would try again by itself, some seconds later.
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await connection('connected').waitFor();
}

const told = (text: string | RegExp) => page.locator('.notice').filter({ hasText: text }).first().waitFor();

async function newShell(): Promise<string> {
  const { session_id } = await server.ipc.createSession(BASH);
  await page.locator(`.session-row[data-session-id="${session_id}"] button.session-main`).click();
  await untilLive(page, session_id);
  return session_id;
}

const sessionIds = async () => (await server.ipc.listSessions()).map(({ session_id }) => session_id);

describe('the server dies in the middle of', () => {
  it('opening a terminal: that is said, and the next try opens one', async () => {
    await breakAt('POST', /^\/sessions$/, 'before', () => page.keyboard.press('Control+Shift+Enter'));
    await told('could not be opened: the server does not answer');
    await startAgain();
    expect(await sessionIds()).toEqual([]);
    await page.keyboard.press('Control+Shift+Enter');
    await page.locator('.terminal[data-connection="live"]').waitFor();
    expect(await sessionIds()).toHaveLength(1);
  });

  it('answering that it opened one: the terminal is in the list afterwards', async () => {
    await breakAt('POST', /^\/sessions$/, 'after', () => page.keyboard.press('Control+Shift+Enter'));
    await told('could not be opened: the server does not answer');
    await startAgain();
    const [id] = await sessionIds();
    await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
    await untilLive(page, id ?? '');
  });

  it('closing: the terminal stays, or comes back where it was', async () => {
    const id = await newShell();
    await breakAt('GET', /has-foreground$/, 'before', () => page.keyboard.press('Control+Shift+KeyX'));
    await told('could not be closed: the server does not answer');
    await startAgain();
    await untilLive(page, id);
    await page.keyboard.press('Control+Shift+KeyX');
    await breakAt('DELETE', /^\/sessions\//, 'before', () => page.getByRole('button', { name: 'End now' }).click());
    await page.locator(`.tab[data-session-id="${id}"]`).waitFor();
    await startAgain();
    await untilLive(page, id);
    await page.keyboard.press('Control+Shift+KeyX');
    await breakAt('DELETE', /^\/sessions\//, 'after', () => page.getByRole('button', { name: 'End now' }).click());
    await startAgain();
    expect(await sessionIds()).toEqual([]);
    await page.locator(`.session-row[data-session-id="${id}"]`).waitFor({ state: 'detached' });
  });

  it('renaming: the old name comes back, and the new one when the server had it', async () => {
    const id = await newShell();
    const name = page.locator(`.session-row[data-session-id="${id}"] .session-name`);
    const before = await name.textContent();
    const rename = async () => {
      await page.keyboard.press('Control+Shift+KeyE');
      await page.keyboard.type('given');
      await page.keyboard.press('Enter');
    };
    await breakAt('PUT', /\/name$/, 'before', rename);
    await told('could not be renamed: the server does not answer');
    expect(await name.textContent()).toBe(before);
    await startAgain();
    await breakAt('PUT', /\/name$/, 'after', rename);
    await startAgain();
    await eventually('the name the server has', async () => (await name.textContent()) === 'given');
  });

  it('a paste: all of it arrives or nothing, and which is said', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
    await untilLive(page, id);
    const text = 'x'.repeat(1_000_000);
    await pasteInto(page, id, text);
    await page.getByRole('button', { name: 'Paste', exact: true }).click();
    await server.kill9();
    await told(/Nothing of the .* was pasted|before the server said whether/);
    await startAgain();
    await untilLive(page, id);
    await terminalOf(page, id).locator('textarea').focus();
    await page.keyboard.type('!');
    await puppet.until('what is typed after it', () => puppet.received.includes('!'));
    expect([1, text.length + 1]).toContain(puppet.received.length);
  });

  it('find: it opens for the first time and finds while the server is away', async () => {
    const id = await newShell();
    await terminalOf(page, id).locator('textarea').focus();
    await page.keyboard.type('echo nee""dle\n');
    await untilRows(page, id, 'the needle', (rows) => rows.includes('needle'));
    // What the page fetches ahead, in its first idle moment.
    await eventually('the parts', () =>
      page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /find-worker/.test(name))),
    );
    await server.kill9();
    await connection('reconnecting').waitFor();
    await page.keyboard.press('Control+Shift+KeyF');
    await page.keyboard.type('needle');
    await page.getByTestId('find').getByText('1 of 1').waitFor();
    await page.keyboard.press('Escape');
    await startAgain();
    expect(await terminalRows(page, id)).toContain('needle');
  });

  it('saving a setting: that is said at the field, what was typed stays, and it can be saved afterwards', async () => {
    await page.keyboard.press('Control+Shift+Comma');
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.getByRole('button', { name: 'Shell', exact: true }).click();
    const most = dialog.getByLabel('Most terminals at once');
    await most.fill('61');
    await breakAt('PUT', /^\/config$/, 'before', () => most.press('Enter'));
    await dialog
      .getByText(/does not answer/)
      .first()
      .waitFor();
    expect(await most.inputValue()).toBe('61');
    await startAgain();
    await most.press('Enter');
    await dialog.getByTestId('settings-state').getByText('Saved').waitFor();
    expect(((await server.ipc.ok('GET', '/config')) as { max_sessions: number }).max_sessions).toBe(61);
  });

  it('arranging panes: layout, tabs and focus are what they were, after the restart and after a reload', async () => {
    const first = await newShell();
    await page.keyboard.press('Control+Shift+KeyD');
    await page.locator('.pane').nth(1).waitFor();
    await eventually('two terminals', async () => (await sessionIds()).length === 2);
    const second =
      (await page.locator('.pane.is-focused .terminal[data-session-id]').getAttribute('data-session-id')) ?? '';
    await untilLive(page, second);
    await server.kill9();
    await connection('reconnecting').waitFor();
    await page.keyboard.press('Control+Shift+KeyO');
    const seen = () =>
      page.evaluate(() => ({
        panes: [...document.querySelectorAll('.pane')].map((pane) =>
          [...pane.querySelectorAll<HTMLElement>('.tab')].map((tab) => tab.dataset.sessionId),
        ),
        focus: document.activeElement?.closest<HTMLElement>('.terminal[data-session-id]')?.dataset.sessionId,
      }));
    expect(await seen()).toEqual({ panes: [[first], [second]], focus: first });
    await startAgain();
    await untilLive(page, first);
    expect(await seen()).toEqual({ panes: [[first], [second]], focus: first });
    await page.reload();
    await untilLive(page, first);
    await eventually('the focus', async () => (await seen()).focus === first);
    expect(await seen()).toEqual({ panes: [[first], [second]], focus: first });
    await page.keyboard.type('echo typed-$((1+1))\n');
    await untilRows(page, first, 'the typing', (rows) => rows.includes('typed-2'));
  });
});
