/** The phone page against a real server: what is looked at, typed, missed and slept through. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, watchPage } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { field, key, logText, openPhone, PHONE, untilConnected, untilLog } from '../kit/phone.ts';
import { startPuppet } from '../kit/puppet.ts';
import { LOGIN, openRemote } from '../kit/remote.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;
let browser: Browser;

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared, ['--host-resolver-rules=MAP box.test 127.0.0.1']);
});

afterEach(async () => {
  for (const session of await server.ipc.listSessions()) await server.ipc.remove(session.session_id);
});

async function isFollowing(page: Page): Promise<boolean> {
  return (await page.getByTestId('log').getAttribute('data-following')) === 'true';
}

/** Scrolls the log with a finger's event: towards older lines for a negative amount. */
async function scrollLog(page: Page, amount: number): Promise<void> {
  await page.getByTestId('log').evaluate((element, by) => element.scrollBy(0, by), amount);
}

describe('live log', () => {
  it('follows, stands still when scrolled up, counts what comes, and jumps back', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    await puppet.lines(0, 200);
    const { page, problems } = await openPhone(browser, cleanup, server, { sessionId: id });
    await untilLog(page, 'the newest line', (text) => /\b199\b/.test(text));
    expect(await isFollowing(page)).toBe(true);
    await scrollLog(page, -900);
    await page.getByTestId('jump').waitFor();
    const before = await page.getByTestId('log').evaluate((element) => element.scrollTop);
    await puppet.lines(200, 300);
    await page.getByTestId('jump').filter({ hasText: 'new' }).waitFor();
    expect(await page.getByTestId('log').evaluate((element) => element.scrollTop)).toBe(before);
    await page.getByTestId('jump').click();
    await untilLog(page, 'the newest line again', (text) => /\b299\b/.test(text));
    expect(await isFollowing(page)).toBe(true);
    expect(problems).toEqual([]);
  });

  it('P1: older lines come when they are scrolled to, each once and in order, back to the first', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { cols: 200 });
    const text = Array.from({ length: 1_500 }, (_, number) => `n${number}`).join('\r\n');
    await puppet.write(`${text}\r\n`);
    const { page, problems } = await openPhone(browser, cleanup, server, { sessionId: id });
    await untilLog(page, 'the newest line', (log) => log.includes('n1499'));
    await eventually('the first line', async () => {
      await scrollLog(page, 400);
      await scrollLog(page, -1_000_000);
      return (await logText(page)).startsWith('n0\n');
    });
    const numbers = (await logText(page)).split('\n').filter((line) => line !== '');
    expect(numbers).toEqual(text.split('\r\n'));
    expect(problems).toEqual([]);
  });

  it('a flood holds a bounded page, and the end of it is right', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { cols: 200 });
    const { page, problems } = await openPhone(browser, cleanup, server, { sessionId: id });
    await puppet.lines(0, 30_000);
    await untilLog(page, 'the last line', (text) => /\b29999\b/.test(text));
    expect(await page.locator('.log-line').count()).toBeLessThan(2_200);
    expect(problems).toEqual([]);
  });

  it('what is selected stands still and can be copied', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    await puppet.write('copy me\r\n');
    const { page } = await openPhone(browser, cleanup, server, { sessionId: id });
    await untilLog(page, 'the line', (text) => text.includes('copy me'));
    await page
      .locator('.log-line', { hasText: 'copy me' })
      .evaluate((line) => document.getSelection()?.selectAllChildren(line));
    await page.getByText('Stands still while you select').waitFor();
    await puppet.write('\x1b[2J\x1b[Hgone\r\n');
    await server.ipc.ok('GET', `/sessions/${id}/output?format=log`);
    expect(await page.evaluate(() => String(document.getSelection()))).toBe('copy me');
    await page.evaluate(() => document.getSelection()?.removeAllRanges());
    await untilLog(page, 'what came meanwhile', (text) => text.includes('gone') && !text.includes('copy me'));
  });

  it('hostile titles, names and output are text', async () => {
    const hostile = '<img src=x onerror="document.title=1337">';
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    await puppet.write(`\x1b]2;${hostile}\x07${hostile}\u202e\r\n`);
    const { page, problems } = await openPhone(browser, cleanup, server, { sessionId: id });
    await untilLog(page, 'the line', (text) => text.includes(hostile));
    await page.locator('.bar-title', { hasText: hostile }).waitFor();
    await page.getByLabel('Back to the list').click();
    await page.locator('.row-name', { hasText: hostile }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('TUICommander');
    expect(problems).toEqual([]);
  });

  it('T13: a phone that looks at a terminal does not change its size', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { rows: 40, cols: 150 });
    const { page } = await openPhone(browser, cleanup, server, { sessionId: id });
    await field(page).fill('x');
    await key(page, 'Send').click();
    await puppet.until('the text', () => puppet.received.includes('x'));
    const [session] = await server.ipc.listSessions();
    expect([session?.rows, session?.cols]).toEqual([40, 150]);
  });

  it('the end is told with its exit code, and the output stays readable', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    const { page, problems } = await openPhone(browser, cleanup, server, { sessionId: id });
    // The first words come in the window that is read before the stream; the second ones only through the stream, so that
    // it stands. One that comes after the end is refused, and Chromium warns of that.
    for (const words of ['first words', 'second words']) {
      await puppet.write(`${words}\r\n`);
      await untilLog(page, words, (text) => text.includes(words));
    }
    await puppet.exit(7, 'last words\r\n');
    await page.getByTestId('end-banner').filter({ hasText: 'exit code 7' }).waitFor();
    await untilLog(page, 'the last words', (text) => text.includes('last words'));
    await page.reload();
    await untilLog(page, 'the last words after a reload', (text) => text.includes('last words'));
    expect(await page.locator('.input').count(), 'nothing can be typed to it').toBe(0);
    await page.getByLabel('Back to the list').click();
    await page.getByText('Ended with exit code 7').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('keys and text', () => {
  it('keys arrive as a terminal sends them, in the form the program asked for', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const { page, problems } = await openPhone(browser, cleanup, server, { sessionId: id });
    const pressed = async (press: () => Promise<void>, expected: string) => {
      puppet.forgetReads();
      await press();
      await puppet.until(JSON.stringify(expected), () => puppet.received.toString() === expected);
    };
    await pressed(() => key(page, 'Esc').click(), '\x1b');
    await pressed(() => key(page, 'Up').click(), '\x1b[A');
    await pressed(() => key(page, 'Ctrl C').click(), '\x03');
    await pressed(() => key(page, 'y').click(), 'y');
    await pressed(() => key(page, 'Enter').click(), '\r');
    await key(page, 'Ctrl').click();
    await pressed(() => key(page, 'Ctrl Right').click(), '\x1b[1;5C');
    expect(await key(page, 'Ctrl').getAttribute('aria-pressed'), 'it is up again').toBe('false');
    await key(page, 'Ctrl').click();
    await pressed(() => field(page).pressSequentially('r'), '\x12');
    expect(await field(page).inputValue()).toBe('');
    await pressed(() => field(page).press('ArrowDown'), '\x1b[B');
    await puppet.write('\x1b[?1h\x1b[?2004h');
    await eventually('the mode at the page', async () => {
      puppet.forgetReads();
      await key(page, 'Up').click();
      await puppet.until('an arrow', () => puppet.received.length === 3);
      return puppet.received.toString() === '\x1bOA';
    });
    await field(page).fill('one\ntwo');
    await pressed(() => field(page).press('Enter'), '\x1b[200~one\rtwo\x1b[201~\r');
    expect(await field(page).inputValue()).toBe('');
    expect(problems).toEqual([]);
  });

  it('T24: Enter ends a composition and sends nothing; the composed text is sent once', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const { page } = await openPhone(browser, cleanup, server, { sessionId: id });
    await field(page).focus();
    const devtools: CDPSession = await page.context().newCDPSession(page);
    await devtools.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 };
    await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
    await devtools.send('Input.insertText', { text: '日本' });
    await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    expect(await field(page).inputValue()).toBe('日本');
    expect(puppet.received.length).toBe(0);
    await field(page).press('Enter');
    await puppet.until('the text', () => puppet.received.toString() === '日本\r');
  });

  it('Shift and Enter make a line; so does the key for it; a break that no key told of sends', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const { page } = await openPhone(browser, cleanup, server, { sessionId: id });
    await field(page).pressSequentially('a');
    await field(page).press('Shift+Enter');
    await field(page).pressSequentially('b');
    await key(page, 'New line').click();
    await field(page).pressSequentially('c');
    expect(await field(page).inputValue()).toBe('a\nb\nc');
    await field(page).evaluate((element) =>
      element.dispatchEvent(new InputEvent('beforeinput', { inputType: 'insertLineBreak', cancelable: true })),
    );
    await puppet.until('the text', () => puppet.received.toString() === 'a\rb\rc\r');
  });

  it('P1: text that could not be sent comes back with the reason', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const { page } = await openPhone(browser, cleanup, server, { sessionId: id, mayLoseServer: true });
    await page.route('**/write', (route) => route.abort('connectionreset'));
    await field(page).fill('precious');
    await field(page).press('Enter');
    await page.getByTestId('send-failed').filter({ hasText: 'may have arrived' }).waitFor();
    expect(await field(page).inputValue()).toBe('precious');
    await page.unroute('**/write');
    await field(page).press('Enter');
    await page.getByTestId('send-failed').waitFor({ state: 'detached' });
  });
});

describe('sessions', () => {
  it('a new one in a folder with a name, renamed, closed, taken back, and closed for good', async () => {
    const { page, problems } = await openPhone(browser, cleanup, server);
    await page.getByRole('button', { name: 'New terminal' }).click();
    await page.getByLabel('Folder').fill('/nowhere/at/all');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('.notice-error').waitFor();
    expect(await page.locator('.notice-error').textContent()).toContain('could not be opened');
    await page.getByLabel('Folder').fill('/tmp');
    await page.getByLabel('Name', { exact: true }).fill('from the phone');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('.bar-title', { hasText: 'from the phone' }).waitFor();
    const [session] = await server.ipc.listSessions();
    expect(session).toMatchObject({ cwd: '/tmp', display_name: 'from the phone', is_remote: true });

    await page.getByRole('button', { name: /^More for/ }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('another');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.locator('.bar-title', { hasText: 'another' }).waitFor();

    const close = async () => {
      await page.getByLabel('More for another').click();
      await page.getByRole('button', { name: 'End and close' }).click();
      await page.getByTestId('pending-close').waitFor();
    };
    await close();
    expect(await page.locator('.row', { hasText: 'another' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.row', { hasText: 'another' }).waitFor();
    expect(await server.ipc.listSessions()).toHaveLength(1);
    await close();
    // A phone that is put away closes what was closed.
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pagehide')));
    await eventually('it to be gone', async () => (await server.ipc.listSessions()).length === 0);
    expect(problems.filter((line) => !line.includes('404') && !line.includes('400'))).toEqual([]);
  });

  it('what would end with it is named first', async () => {
    const { session_id } = await server.ipc.createSession({ ...BASH, display_name: 'busy' });
    await server.ipc.write(session_id, 'sleep 600\n');
    await eventually('sleep to run', async () => {
      const answer = (await server.ipc.ok('GET', `/sessions/${session_id}/has-foreground`)) as {
        process: string | null;
      };
      return answer.process === 'sleep';
    });
    const { page } = await openPhone(browser, cleanup, server);
    await page.getByLabel('More for busy').click();
    await page.getByRole('button', { name: 'End and close' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.filter({ hasText: 'sleep is running in it' }).waitFor();
    await sheet.getByRole('button', { name: 'Keep it' }).click();
    expect(await server.ipc.listSessions()).toHaveLength(1);
  });

  it('what others do is on the list without a touch; a deep link may name an alias', async () => {
    const { page } = await openPhone(browser, cleanup, server);
    const { session_id, alias } = await server.ipc.createSession({ ...BASH, display_name: 'elsewhere' });
    await page.locator('.row', { hasText: 'elsewhere' }).waitFor();
    await page.goto(`${server.origin}/mobile/session/${alias}`);
    await page.locator('.bar-title', { hasText: 'elsewhere' }).waitFor();
    await page.goBack();
    await server.ipc.remove(session_id);
    await page.locator('.row', { hasText: 'elsewhere' }).waitFor({ state: 'detached' });
  });
});

describe('connection', () => {
  it('W05: after a sleep of an hour, with the network gone and back, list and log are those of now', async () => {
    const { id, puppet } = await startPuppet(cleanup, server.ipc);
    await puppet.write('before the sleep\r\n');
    const { page } = await openPhone(browser, cleanup, server, { sessionId: id, mayLoseServer: true });
    await untilLog(page, 'the line', (text) => text.includes('before the sleep'));
    await page.clock.install();
    await page.context().setOffline(true);
    await page.getByTestId('not-connected').waitFor();
    await puppet.write('during the sleep\r\n');
    await page.clock.fastForward(3_600_000);
    expect(await page.getByTestId('not-connected').textContent()).toMatch(
      /What you see is from \d+ min ago|60 min|1 h ago/,
    );
    await page.context().setOffline(false);
    await untilConnected(page);
    await untilLog(page, 'what was missed', (text) => text.includes('during the sleep'));
    expect((await logText(page)).match(/before the sleep/g)).toHaveLength(1);
  });

  it('W05: a page whose timers stood still asks when they go on, though nothing told it', async () => {
    const { page } = await openPhone(browser, cleanup, server);
    await page.clock.install();
    const asked = page.waitForEvent('websocket', (socket) => socket.url().includes('/events/socket'));
    await page.clock.fastForward(120_000);
    await page.clock.runFor(2_000);
    await asked;
    await untilConnected(page);
  });

  it('a stalled network is told while nothing is broken, and the truth comes with the first answer', async () => {
    const { page } = await openPhone(browser, cleanup, server, { mayLoseServer: true });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/sessions?**', async (route) => {
      await released;
      await route.continue().catch(() => undefined);
    });
    await page.getByTestId('not-connected').filter({ hasText: 'No answer yet' }).waitFor();
    await server.ipc.createSession({ ...BASH, display_name: 'meanwhile' });
    release();
    await page.unroute('**/sessions?**');
    await page.locator('.row', { hasText: 'meanwhile' }).waitFor();
    await untilConnected(page);
  });

  it('P2: the server is killed and started again: told, and nothing is lost or doubled', async () => {
    const own = await startServer(cleanup);
    const { id, puppet } = await startPuppet(cleanup, own.ipc);
    await puppet.write('before\r\n');
    const { page, problems } = await openPhone(browser, cleanup, own, { sessionId: id, mayLoseServer: true });
    await untilLog(page, 'the line', (text) => text.includes('before'));
    await own.kill9();
    await page.getByTestId('not-connected').waitFor();
    expect(await logText(page)).toContain('before');
    await field(page).fill('unsent');
    await field(page).press('Enter');
    await page.getByTestId('send-failed').filter({ hasText: 'Nothing was sent' }).waitFor();
    await puppet.write('meanwhile\r\n');
    await own.start();
    await untilLog(page, 'what was missed', (text) => text.includes('meanwhile'));
    await untilConnected(page);
    expect((await logText(page)).match(/before/g)).toHaveLength(1);
    expect(await field(page).inputValue()).toBe('unsent');
    expect(problems).toEqual([]);
  });

  it('D2: by name and password over plain HTTP from another machine', async () => {
    const own = await startServer(cleanup);
    const port = await openRemote(own);
    await own.ipc.ok('PUT', '/config', { allowed_hosts: ['box.test'] });
    const { session_id } = await own.ipc.createSession({ ...BASH, display_name: 'far away' });
    const context = await browser.newContext({ ...PHONE, httpCredentials: LOGIN });
    cleanup.defer(() => context.close());
    const { page, problems } = watchPage(await context.newPage());
    await page.goto(`http://box.test:${port}/`);
    expect(new URL(page.url()).pathname).toBe('/mobile');
    expect(await page.evaluate('isSecureContext')).toBe(false);
    await untilConnected(page);
    await page.locator(`.row[data-session-id="${session_id}"] .row-main`).click();
    await untilLog(page, 'the prompt', (text) => text.includes('ready>'));
    await field(page).fill('echo from-$((1+1))-afar');
    await field(page).press('Enter');
    await untilLog(page, 'the answer', (text) => text.includes('from-2-afar'));
    expect(problems).toEqual([]);
  });

  it('a browser without a login is told what to do', async () => {
    const context = await browser.newContext(PHONE);
    cleanup.defer(() => context.close());
    const page = await context.newPage();
    await page.goto(`${server.origin}/mobile`);
    expect(await page.textContent('body')).toContain('tuic open');
  });
});

describe('as an app', () => {
  it('the manifest is valid, its icons are there, and the browser finds nothing against installing it', async () => {
    const { page } = await openPhone(browser, cleanup, server);
    const devtools = await page.context().newCDPSession(page);
    const { errors, data, url } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    expect(new URL(url).pathname).toBe('/mobile-manifest.json');
    const manifest = JSON.parse(data ?? '') as { start_url: string; icons: { src: string; sizes: string }[] };
    expect(manifest.start_url).toBe('/mobile');
    for (const { src, sizes } of manifest.icons) {
      const size = await page.evaluate(async (path) => {
        const bitmap = await createImageBitmap(await (await fetch(path)).blob());
        return `${bitmap.width}x${bitmap.height}`;
      }, src);
      expect(size).toBe(sizes);
    }
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // Tests run in a browser without a profile, where nothing can be installed.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
  });
});
