/** The workspace where things are against it: no storage, odd windows, huge pastes, a page that stands still. */
import type { Browser } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/index.ts';
import {
  launchBrowser,
  newContext,
  openWorkspace,
  pasteInto,
  terminalOf,
  untilLive,
  untilRows,
} from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { findCuts } from '../kit/looks.ts';
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

const sizeOf = async (id: string) => {
  const session = (await server.ipc.listSessions()).find(({ session_id }) => session_id === id);
  return { rows: session?.rows, cols: session?.cols };
};

describe('the workspace', () => {
  it('works where the browser blocks its storage; only what it would remember is forgotten', async () => {
    const { session_id: id } = await server.ipc.createSession(BASH);
    const context = await newContext(browser, cleanup);
    await context.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('access is denied', 'SecurityError');
          },
        });
    });
    const { page, problems } = await openWorkspace(context, server);
    await untilLive(page, id);
    await page.keyboard.press('Control+Shift+KeyD');
    await page.locator('.pane').nth(1).waitFor();
    await page.keyboard.press('Control+Equal');
    await page.keyboard.press('Control+Shift+Comma');
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.getByRole('radio', { name: 'High contrast' }).check();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('contrast');
    await page.keyboard.press('Escape');
    await terminalOf(page, id).locator('textarea').focus();
    await page.keyboard.type('echo typed-$((1+1))\n');
    await untilRows(page, id, 'the typing', (rows) => rows.includes('typed-2'));
    await page.reload();
    await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
    await untilLive(page, id);
    await page.goto(`${server.origin}/mobile`);
    await page.locator('.row').first().waitFor();
    expect(problems).toEqual([]);
  });

  it.each([320, 5_120])(
    'in a window %i wide: nothing is cut, and the program has the size that fits',
    async (width) => {
      const { id } = await startPuppet(cleanup, server.ipc);
      const { page, problems } = await openWorkspace(await newContext(browser, cleanup, width, 700), server);
      await page.keyboard.press('Control+Shift+ArrowUp');
      await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
      await untilLive(page, id);
      const shown = async () => {
        const { cols, rows } = (await terminalOf(page, id).evaluate((element) => ({
          ...(element as HTMLElement).dataset,
        }))) as { cols: string; rows: string };
        return { rows: Number(rows), cols: Number(cols) };
      };
      await eventually('the size', async () => {
        const { cols } = await sizeOf(id);
        return width > 1_000 ? (cols ?? 0) > 300 : (cols ?? 999) < 60;
      });
      await eventually('both to agree', async () => JSON.stringify(await shown()) === JSON.stringify(await sizeOf(id)));
      expect(await findCuts(page, { mayScroll: ['.tabs'] })).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it('a paste of 5 MB is refused as a whole, with its reason and what to do; what is typed goes on', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await untilLive(page, id);
    expect(LIMITS.writeQueue).toBeLessThan(5 * 1_048_576);
    await pasteInto(page, id, 'x'.repeat(5 * 1_048_576));
    await page.getByRole('button', { name: 'Paste', exact: true }).click();
    await page.locator('.notice-error', { hasText: 'Nothing of it was sent' }).waitFor();
    await terminalOf(page, id).locator('textarea').focus();
    await page.keyboard.type('!');
    await puppet.until('what is typed', () => puppet.received.includes('!'));
    expect(puppet.received.toString()).toBe('!');
    expect(problems).toEqual([]);
  });

  it('a page that stands still holds up neither the program nor the others, and then shows the present', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const context = await newContext(browser, cleanup, 900, 500);
    const stalled = await openWorkspace(context, server);
    const other = await openWorkspace(await newContext(browser, cleanup, 900, 500), server);
    await untilLive(stalled.page, id);
    await untilLive(other.page, id);
    const devtools = await context.newCDPSession(stalled.page);
    await devtools.send('Debugger.enable');
    await devtools.send('Debugger.pause');
    // The next thing the page does stops it, as a busy script would.
    for (let part = 0; part < 24; part++) await puppet.write(`${'flood of text '.repeat(18_000)}\r\n`);
    await puppet.write('the last line\r\n');
    await untilRows(other.page, id, 'the end, while one stands still', (rows) => rows.includes('the last line'));
    await devtools.send('Debugger.resume');
    await devtools.send('Debugger.disable');
    await untilRows(stalled.page, id, 'the present', (rows) => rows.includes('the last line'));
    await terminalOf(stalled.page, id).locator('textarea').focus();
    await stalled.page.keyboard.type('!');
    await puppet.until('what is typed', () => puppet.received.includes('!'));
    expect([...stalled.problems, ...other.problems]).toEqual([]);
  });

  it('T13: 100 sizes in a second end in the last one, and few of them are told', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup, 1_000, 600), server);
    await untilLive(page, id);
    await eventually('a first size', async () => ((await sizeOf(id)).cols ?? 0) > 60);
    const before = puppet.sizes.length;
    await page.evaluate(async () => {
      const place = document.querySelector<HTMLElement>('.centre');
      if (place === null) throw new Error('the page has no centre');
      for (let step = 0; step < 100; step++) {
        place.style.maxWidth = `${380 + ((step * 37) % 300)}px`;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      place.style.maxWidth = '500px';
    });
    const fitting = await eventually('the last size, everywhere', async () => {
      const { cols } = await sizeOf(id);
      const shown = Number(await terminalOf(page, id).getAttribute('data-cols'));
      const width = await terminalOf(page, id).evaluate((element) => element.clientWidth);
      const isThere = cols === shown && puppet.sizes.at(-1)?.columns === cols;
      // One of the sizes before may stand everywhere too, until the page has fitted the terminal to the last one.
      const isFitted = width <= 500 && (cols ?? 0) < 70;
      return isThere && isFitted && (await page.getByTestId('size-follows').count()) === 0 && cols;
    });
    expect(fitting).toBeGreaterThan(40);
    // The machine may be slow: then there are fewer in each second, over more of them.
    expect(puppet.sizes.length - before).toBeLessThan(50);
    expect(problems).toEqual([]);
  });
});
