/** Panes: splits, tabs that move between them, and an arrangement that survives (DESIGN 9). */
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, terminalOf, untilLive, untilRows } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let browser: Browser;
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared);
});

afterEach(async () => {
  for (const session of await server.ipc.listSessions()) await server.ipc.remove(session.session_id);
});

/** Tabs of each pane in reading order, the shown one marked. */
async function arrangement(page: Page): Promise<string[][]> {
  return await page
    .locator('.pane')
    .evaluateAll((panes) =>
      panes.map((pane) =>
        [...pane.querySelectorAll<HTMLElement>('.tab')].map(
          (tab) => `${tab.dataset.sessionId}${tab.classList.contains('is-chosen') ? '*' : ''}`,
        ),
      ),
    );
}

async function until(page: Page, expected: string[][]): Promise<void> {
  await eventually(`the panes ${JSON.stringify(expected)}`, async () => {
    const found = await arrangement(page);
    return JSON.stringify(found) === JSON.stringify(expected);
  });
}

describe('panes', () => {
  it('DESIGN 9: split by keys, typed into both, moved, and all of it is there after a reload and a restart of the server', async () => {
    const first = (await server.ipc.createSession(BASH)).session_id;
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server, { mayLoseServer: true });
    await untilLive(page, first);
    await page.keyboard.press('Control+Shift+KeyD');
    const second = await eventually('the second session', async () => {
      const other = (await server.ipc.listSessions()).find((session) => session.session_id !== first);
      return other?.session_id;
    });
    await untilLive(page, second);
    await until(page, [[`${first}*`], [`${second}*`]]);
    await page.keyboard.type('echo right-$((40+2))\n');
    await untilRows(page, second, 'the right terminal', (rows) => rows.some((row) => row.includes('right-42')));
    await page.keyboard.press('Control+Shift+KeyO');
    await page.keyboard.type('echo left-$((40+1))\n');
    await untilRows(page, first, 'the left terminal', (rows) => rows.some((row) => row.includes('left-41')));
    const halves = await Promise.all(
      [first, second].map(async (id) => Number(await terminalOf(page, id).getAttribute('data-cols'))),
    );
    expect(Math.abs((halves[0] ?? 0) - (halves[1] ?? 0)), 'both have half of the width').toBeLessThan(4);

    // A border is moved by keys, and each terminal gets the size of its place.
    await page.getByRole('separator').focus();
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowLeft');
    await eventually('the right terminal to be wider', async () => {
      return Number(await terminalOf(page, second).getAttribute('data-cols')) > (halves[1] ?? 0) + 5;
    });

    const share = await page.getByRole('separator').getAttribute('aria-valuenow');
    await page.reload();
    await untilLive(page, first);
    await untilLive(page, second);
    await until(page, [[`${first}*`], [`${second}*`]]);
    expect(await page.getByRole('separator').getAttribute('aria-valuenow')).toBe(share);
    expect(await page.locator('.pane.is-focused .tab.is-active').getAttribute('data-session-id')).toBe(first);
    await eventually('the focus to be where it was', () =>
      terminalOf(page, first).evaluate((element) => element.contains(document.activeElement)),
    );

    await server.kill9();
    await page.getByTestId('reconnecting').first().waitFor();
    await server.start();
    await untilLive(page, first);
    await untilLive(page, second);
    await until(page, [[`${first}*`], [`${second}*`]]);

    await page.keyboard.press('Control+Shift+KeyM');
    await until(page, [[second, `${first}*`]]);
    await page.keyboard.type('echo joined-$((1+1))\n');
    await untilRows(page, first, 'the typing after the move', (rows) => rows.some((row) => row.includes('joined-2')));
    expect(problems).toEqual([]);
  });

  it('DESIGN 9: a tab is dragged to the lower side of a pane and back; a closed terminal takes its pane along', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) ids.push((await server.ipc.createSession(BASH)).session_id);
    const [one = '', two = ''] = ids;
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await untilLive(page, two);
    await until(page, [[one, `${two}*`]]);
    const tab = page.locator(`.tab[data-session-id="${two}"] [role=tab]`);
    const pane = await page.locator('.pane').boundingBox();
    if (pane === null) throw new Error('there is no pane');
    await tab.hover();
    await page.mouse.down();
    await page.mouse.move(pane.x + 400, pane.y + pane.height / 2, { steps: 4 });
    await page.locator('.drop-zone').waitFor();
    await page.mouse.move(pane.x + pane.width / 2, pane.y + pane.height - 30, { steps: 4 });
    await page.locator('.drop-zone[data-place="down"]').waitFor();
    await page.mouse.up();
    await until(page, [[`${one}*`], [`${two}*`]]);
    await untilLive(page, one);
    await page.locator('.drop-zone').waitFor({ state: 'detached' });
    await page.keyboard.type('echo below-$((1+1))\n');
    await untilRows(page, two, 'the lower terminal', (rows) => rows.some((row) => row.includes('below-2')));

    await server.ipc.remove(two);
    await until(page, [[`${one}*`]]);
    expect(problems.filter((text) => !text.includes('was closed'))).toEqual([]);
  });

  it('DESIGN 9: on a small screen one pane is shown with the tabs of all', async () => {
    const one = (await server.ipc.createSession(BASH)).session_id;
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await untilLive(page, one);
    await page.keyboard.press('Control+Shift+KeyS');
    await eventually('two panes', async () => (await page.locator('.pane').count()) === 2);
    const two = (await page.locator('.tab.is-active').getAttribute('data-session-id')) ?? '';
    await page.setViewportSize({ width: 320, height: 640 });
    await until(page, [[one, `${two}*`]]);
    await page.locator(`.tab[data-session-id="${one}"] [role=tab]`).click();
    await untilRows(page, one, 'the other terminal', (rows) => rows.length > 0);
    await until(page, [[`${one}*`, two]]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 1_200, height: 800 });
    await until(page, [[`${one}*`], [`${two}*`]]);
    await untilLive(page, two);
    expect(problems).toEqual([]);
  });
});
