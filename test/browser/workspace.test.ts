/** The workspace in a real browser, against a real server. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  launchBrowser,
  loginLink,
  newContext,
  openWorkspace,
  terminalOf,
  terminalRows,
  untilLive,
  untilRows,
  type WatchedPage,
  watchPage,
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

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared);
});

afterEach(async () => {
  for (const session of await server.ipc.listSessions()) await server.ipc.remove(session.session_id);
});

async function newShell(): Promise<string> {
  return (await server.ipc.createSession(BASH)).session_id;
}

/** Chooses a session in the list on the left. */
async function show(page: Page, sessionId: string): Promise<void> {
  await page.locator(`.session-row[data-session-id="${sessionId}"] button.session-main`).click();
  await untilLive(page, sessionId);
}

async function typeInto(page: Page, sessionId: string, text: string): Promise<void> {
  await terminalOf(page, sessionId).locator('textarea').focus();
  await page.keyboard.type(text);
}

describe('login', () => {
  it('the link works once; without it the page says what to do', async () => {
    const link = await loginLink(server);
    const first = await newContext(browser, cleanup);
    const watched = watchPage(await first.newPage());
    await watched.page.goto(link);
    await watched.page.getByTestId('connection').waitFor();
    expect(new URL(watched.page.url()).search).toBe('');
    await watched.page.reload();
    await watched.page.getByTestId('connection').waitFor();
    expect(watched.problems).toEqual([]);

    const second = await (await newContext(browser, cleanup)).newPage();
    const answer = await second.goto(link);
    expect(answer?.status()).toBe(401);
    expect(await second.textContent('body')).toContain('tuic open');
    await second.goto(server.origin);
    await second.getByTestId('login-needed').waitFor();
    expect(await second.textContent('body')).toContain('tuic open');
  });
});

describe('a terminal', () => {
  it('opens by one click, takes typing and shows output', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await page.getByRole('button', { name: 'Open a terminal' }).click();
    const [session] = await eventually('the session', async () => {
      const list = await server.ipc.listSessions();
      return list.length === 1 && list;
    });
    const id = session?.session_id ?? '';
    expect(session?.is_remote).toBe(false);
    await untilLive(page, id);
    await typeInto(page, id, 'echo sum-$((40+2))\n');
    await untilRows(page, id, 'the output', (rows) => rows.includes('sum-42'));
    const { cols, rows } = (await terminalOf(page, id).evaluate((element) => ({
      ...(element as HTMLElement).dataset,
    }))) as {
      cols: string;
      rows: string;
    };
    const [listed] = await server.ipc.listSessions();
    expect({ cols: Number(cols), rows: Number(rows) }).toEqual({ cols: listed?.cols, rows: listed?.rows });
    expect(Number(cols), 'it fits the window').toBeGreaterThan(100);
    expect(problems).toEqual([]);
  });

  it('shows letters of all kinds, styles and the alternate screen', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await show(page, id);
    await puppet.write('\x1b[1;31m漢字\x1b[0m 한국어 😀 é ≤\r\n');
    await untilRows(page, id, 'the letters', (rows) => (rows[0] ?? '').includes('漢字 한국어 😀 é ≤'));
    await puppet.write('\x1b[?1049h\x1b[2J\x1b[3;5Hin the alternate screen');
    await untilRows(page, id, 'the alternate screen', (rows) => rows[2] === '    in the alternate screen');
    await puppet.write('\x1b[?1049l');
    await untilRows(page, id, 'the normal screen', (rows) => (rows[0] ?? '').includes('漢字'));
    expect(problems).toEqual([]);
  });

  it('T11: answers no terminal query of its own', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await show(page, id);
    puppet.forgetReads();
    await puppet.write('\x1b[c\x1b[6n\x1b]10;?\x07\x1b[5n');
    await untilRows(page, id, 'the page to have it', () => true);
    await puppet.until('the answers', () => puppet.received.includes('\x1b[0n'));
    await typeInto(page, id, 'x');
    await puppet.until('what is typed', () => puppet.received.includes('x'));
    expect(puppet.received.toString('latin1').match(/\x1b\[0n/g)).toHaveLength(1);
    expect(puppet.received.toString('latin1').match(/\x1b\[\?[\d;]+c/g)).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it('an ended program is told with its exit code, and can be started again', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const id = await newShell();
    await show(page, id);
    await typeInto(page, id, 'exit 3\n');
    const banner = page.getByTestId('end-banner');
    await banner.waitFor();
    expect(await banner.textContent()).toContain('exit code 3');
    await banner.getByRole('button', { name: 'Start again' }).click();
    await eventually('a new session', async () => (await server.ipc.listSessions()).length === 1);
    expect(problems).toEqual([]);
  });

  it('closing asks only when something runs in it', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const idle = await newShell();
    await show(page, idle);
    await untilRows(page, idle, 'the prompt', (rows) => rows.at(-1) === 'ready>');
    await page
      .locator(`.tab[data-session-id="${idle}"]`)
      .getByRole('button', { name: /^Close/ })
      .click();
    await page.getByRole('button', { name: 'End now' }).click();
    await eventually('it to be closed', async () => (await server.ipc.listSessions()).length === 0);

    const busy = await newShell();
    await show(page, busy);
    await typeInto(page, busy, 'sleep 600\n');
    await eventually('sleep to run', async () => {
      const answer = (await server.ipc.ok('GET', `/sessions/${busy}/has-foreground`)) as { process: string | null };
      return answer.process === 'sleep';
    });
    await page
      .locator(`.tab[data-session-id="${busy}"]`)
      .getByRole('button', { name: /^Close/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain('sleep');
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    expect(await server.ipc.listSessions()).toHaveLength(1);
    await page
      .locator(`.tab[data-session-id="${busy}"]`)
      .getByRole('button', { name: /^Close/ })
      .click();
    await dialog.getByRole('button', { name: 'End and close' }).click();
    await page.getByRole('button', { name: 'End now' }).click();
    await eventually('it to be closed', async () => (await server.ipc.listSessions()).length === 0);
    expect(problems).toEqual([]);
  });

  it('a hostile title and name are shown as text', async () => {
    const hostile = '<img src=x onerror="document.title=1337">';
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await show(page, id);
    await puppet.write(`\x1b]2;${hostile}\x07`);
    const name = page.locator(`.session-row[data-session-id="${id}"] .session-name`);
    await eventually('the title', async () => (await name.textContent()) === hostile);
    await server.ipc.ok('PUT', `/sessions/${id}/name`, { name: `<b>${hostile}` });
    await eventually('the name', async () => (await name.textContent()) === `<b>${hostile}`);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).not.toBe('1337');
    expect(problems).toEqual([]);
  });
});

describe('reload', () => {
  it('keeps tabs, their order, the active one, its screen and what is above it', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const ids: string[] = [];
    for (const number of [1, 2, 3]) {
      const id = await newShell();
      ids.push(id);
      await show(page, id);
      await typeInto(page, id, `seq ${number}000 ${number}099\n`);
      await untilRows(page, id, 'the numbers', (rows) => rows.includes(`${number}099`));
    }
    const second = ids[1] ?? '';
    await page.locator(`.tab[data-session-id="${second}"] [role=tab]`).click();
    await untilLive(page, second);
    const order = () =>
      page.locator('.tab').evaluateAll((tabs) => tabs.map((tab) => (tab as HTMLElement).dataset.sessionId));
    const before = { order: await order(), rows: await terminalRows(page, second) };
    await page.reload();
    await untilLive(page, second);
    const rows = await untilRows(page, second, 'the screen', (found) => found.length === before.rows.length);
    expect(rows).toEqual(before.rows);
    expect(await order()).toEqual(before.order);
    expect(await page.locator('.tab.is-active').getAttribute('data-session-id')).toBe(second);
    // History: scrolled up, the earlier numbers are there, once.
    await terminalOf(page, second).locator('textarea').focus();
    for (let step = 0; step < 5; step++) await page.keyboard.press('Shift+PageUp');
    const above = await untilRows(page, second, 'the beginning', (found) => found.includes('2000'));
    expect(above.filter((row) => row === '2000')).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});

interface Watching {
  blanks: number;
  most: number;
  stop: boolean;
}

/** Looks at the terminal each time the page draws: how often was it blank, how often did a marked line stand there at most? */
async function watchScreen(page: Page, sessionId: string, mark: string): Promise<() => Promise<Watching>> {
  await page.evaluate(
    ([id, text]) => {
      const state: Watching = { blanks: 0, most: 0, stop: false };
      (window as unknown as { watching: Watching }).watching = state;
      const look = () => {
        const rows = [...document.querySelectorAll(`.terminal[data-session-id="${id}"] .xterm-rows > div`)];
        const texts = rows.map((row) => (row.textContent ?? '').trim());
        if (texts.every((row) => row === '')) state.blanks++;
        state.most = Math.max(state.most, texts.filter((row) => row === text).length);
        if (!state.stop) requestAnimationFrame(look);
      };
      look();
    },
    [sessionId, mark],
  );
  return () => page.evaluate(() => (window as unknown as { watching: Watching }).watching);
}

describe('P2: the server is killed and started again while a tab is open', () => {
  it('W02: the screen stays, is never blank or doubled, goes on, and the state is told', async () => {
    const own = await startServer(cleanup);
    const context = await newContext(browser, cleanup);
    const { page, problems } = await openWorkspace(context, own, { mayLoseServer: true });
    const { id, puppet } = await startPuppet(cleanup, own.ipc, { mode: 'raw' });
    await show(page, id);
    await puppet.write('marked line\r\nbefore the crash\r\n');
    await untilRows(page, id, 'the screen', (rows) => rows.includes('before the crash'));
    const watching = await watchScreen(page, id, 'marked line');
    await own.kill9();
    await page.getByTestId('reconnecting').waitFor();
    expect((await terminalRows(page, id)).slice(0, 2)).toEqual(['marked line', 'before the crash']);
    await puppet.write('while it was away\r\n');
    await own.start();
    await untilLive(page, id);
    const rows = await untilRows(page, id, 'what was missed', (found) => found.includes('while it was away'));
    expect(rows).toEqual(['marked line', 'before the crash', 'while it was away']);
    await page.getByTestId('reconnecting').waitFor({ state: 'detached' });
    puppet.forgetReads();
    await typeInto(page, id, 'typed again');
    await puppet.until('the typing', () => puppet.received.toString() === 'typed again');
    const seen = await watching();
    expect(seen).toMatchObject({ blanks: 0, most: 1 });
    expect(problems).toEqual([]);
  });

  it('a lost host: the last screen stays, and no exit code is invented', async () => {
    const own = await startServer(cleanup);
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), own);
    const { id, puppet } = await startPuppet(cleanup, own.ipc);
    await show(page, id);
    await puppet.write('the last screen\r\n');
    await untilRows(page, id, 'the screen', (rows) => rows.includes('the last screen'));
    await own.killHost();
    const banner = page.getByTestId('end-banner');
    await banner.waitFor();
    expect(await banner.textContent()).toContain('last screen');
    expect(await banner.textContent()).not.toMatch(/exit code/);
    expect(await terminalRows(page, id)).toContain('the last screen');
    await page.reload();
    await banner.waitFor();
    await untilRows(page, id, 'the screen after a reload', (rows) => rows.includes('the last screen'));
    expect(problems).toEqual([]);
  });
});

describe('several windows', () => {
  it('T13: the last active window decides the size; the other draws it and says so', async () => {
    const id = await newShell();
    const wide = await openWorkspace(await newContext(browser, cleanup, 1_400, 900), server);
    await show(wide.page, id);
    const size = async () => {
      const [session] = await server.ipc.listSessions();
      return { cols: session?.cols ?? 0, rows: session?.rows ?? 0 };
    };
    const big = await eventually('the size of the wide window', async () => {
      const found = await size();
      return found.cols > 120 && found;
    });
    const narrow = await openWorkspace(await newContext(browser, cleanup, 700, 500), server);
    await narrow.page
      .getByRole('button', { name: 'Show the session list' })
      .click()
      .catch(() => {});
    await show(narrow.page, id);
    const small = await eventually('the size of the narrow window', async () => {
      const found = await size();
      return found.cols < big.cols && found;
    });
    await wide.page.getByTestId('size-follows').waitFor();
    expect(await terminalOf(wide.page, id).getAttribute('data-cols')).toBe(String(small.cols));
    await typeInto(wide.page, id, 'x');
    await eventually('the wide size after typing there', async () => (await size()).cols === big.cols);
    await narrow.page.getByTestId('size-follows').waitFor();
    await narrow.page.close();
    await eventually('the wide size to stay', async () => (await size()).cols === big.cols);
    await wide.page.getByTestId('size-follows').waitFor({ state: 'detached' });
    expect([...wide.problems, ...narrow.problems]).toEqual([]);
  });
});

async function expectWorks({ page, problems }: WatchedPage, id: string): Promise<void> {
  const offset = async () => Number(await terminalOf(page, id).getAttribute('data-offset'));
  const before = await offset();
  await typeInto(page, id, 'echo drawn\n');
  await eventually('the output to be drawn', async () => (await offset()) > before + 10);
  expect(problems).toEqual([]);
}

describe('drawing', () => {
  it('uses WebGL where the browser has it, and goes on without it when the context is lost', async () => {
    const id = await newShell();
    const watched = await openWorkspace(await newContext(browser, cleanup), server, { renderer: 'auto' });
    const { page } = watched;
    const hasWebgl = await page.evaluate(() => document.createElement('canvas').getContext('webgl2') !== null);
    await show(page, id);
    await page.locator(`.terminal[data-session-id="${id}"][data-renderer="${hasWebgl ? 'webgl' : 'dom'}"]`).waitFor();
    await expectWorks(watched, id);
    if (hasWebgl) {
      await terminalOf(page, id).evaluate((element) => {
        for (const canvas of element.querySelectorAll('canvas')) {
          canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext();
        }
      });
    }
    await typeInto(page, id, 'echo still-$((1+1))\n');
    await untilRows(page, id, 'the rows drawn with elements', (rows) => rows.includes('still-2'));
    watched.problems.splice(0, watched.problems.length, ...watched.problems.filter((text) => !/webgl/i.test(text)));
    expect(watched.problems).toEqual([]);
  });

  it('works in a browser without WebGL', async () => {
    const plain = await launchBrowser(cleanup, ['--disable-gpu', '--disable-3d-apis', '--disable-webgl2']);
    const id = await newShell();
    const watched = await openWorkspace(await plain.newContext(), server, { renderer: 'auto' });
    expect(await watched.page.evaluate(() => document.createElement('canvas').getContext('webgl2'))).toBeNull();
    await show(watched.page, id);
    await typeInto(watched.page, id, 'echo plain-$((1+1))\n');
    await untilRows(watched.page, id, 'the output', (rows) => rows.includes('plain-2'));
    const problems = watched.problems.filter((text) => !/webgl/i.test(text));
    expect(problems).toEqual([]);
  });
});

describe('the keyboard', () => {
  it('reaches everything: new terminal, tabs, list, rename, help, and back into the terminal', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await page.keyboard.press('Control+Shift+Enter');
    await page.locator('.tab').nth(0).waitFor();
    await page.keyboard.press('Control+Shift+Enter');
    await page.locator('.tab').nth(1).waitFor();
    const active = () => page.locator('.tab.is-active').getAttribute('data-session-id');
    const second = (await active()) ?? '';
    await untilLive(page, second);
    await page.keyboard.press('Control+Shift+ArrowLeft');
    const first = (await active()) ?? '';
    expect(first).not.toBe(second);
    await untilLive(page, first);
    await page.keyboard.press('Control+Shift+Digit2');
    expect(await active()).toBe(second);

    await page.keyboard.press('Control+Shift+KeyE');
    const field = page.getByRole('textbox', { name: 'Name of the terminal' });
    await field.waitFor();
    await page.keyboard.type('my name');
    await page.keyboard.press('Enter');
    await eventually('the name', async () =>
      (await server.ipc.listSessions()).some((session) => session.display_name === 'my name'),
    );
    await page.keyboard.type('echo back-$((1+1))\n');
    await untilRows(page, second, 'the typing to go to the terminal', (rows) => rows.includes('back-2'));

    await page.keyboard.press('Control+Shift+ArrowUp');
    await page.locator('button.session-main:focus').waitFor();
    await page.keyboard.press('Control+Shift+Slash');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});

/** The list of commands is there, and has what was typed, before Enter is pressed. */
async function runCommand(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+Shift+KeyP');
  const field = page.locator('input[role="combobox"]');
  await field.waitFor();
  await field.fill(text);
  await page
    .locator('[role="option"][aria-selected="true"]', { hasText: new RegExp(text.split(' ')[0] ?? '', 'i') })
    .waitFor();
  await field.press('Enter');
}

describe('DESIGN 9: a terminal in a folder, its menu, a layout with a name', () => {
  it('opened by keys in a folder, moved from its menu, and arranged again by the name', async () => {
    const folder = await cleanup.temporaryDirectory('tuic-place-');
    await mkdir(join(folder, 'inside'));
    const first = await newShell();
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await show(page, first);
    await page.keyboard.press('Control+Shift+Period');
    await page.getByRole('combobox', { name: 'Folder' }).waitFor();
    await page.keyboard.type(`${folder}/in`);
    await page.locator('.launcher-item.is-chosen', { hasText: 'inside' }).waitFor();
    await page.keyboard.press('Enter');
    const opened = await eventually('the terminal', async () =>
      (await server.ipc.listSessions()).find(({ cwd }) => cwd === join(folder, 'inside')),
    );
    const id = opened.session_id;
    await untilLive(page, id);

    await page.locator(`#tab-${id}`).focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Move tab to the right' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.pane').nth(1).waitFor();
    await page.keyboard.press('Control+Shift+Quote');
    await page.getByRole('textbox', { name: 'Name of the layout' }).fill('side by side');
    await page.keyboard.press('Enter');
    await page.getByText('Layout side by side is saved.').waitFor();
    await runCommand(page, 'join all');
    await page.locator('.pane').nth(1).waitFor({ state: 'detached' });
    await runCommand(page, 'layout side');
    await page.locator('.pane').nth(1).waitFor();
    expect(problems).toEqual([]);
  });
});
