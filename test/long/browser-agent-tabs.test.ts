/** Tabs that agents open in a real workspace (mcp.md UI-1, UI-2): what they show, and what it cannot reach. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Frame, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, untilLive, untilRows } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { inspectEverywhere } from '../kit/looks.ts';
import { openPhone } from '../kit/phone.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { startBridge, toolValue } from '../kit/stdio-client.ts';

const cleanup = cleanupAfterAll();
let server: ServerUnderTest;
let browser: Browser;
let repo: string;

beforeAll(async () => {
  server = await startServer(cleanup);
  browser = await launchBrowser(cleanup);
  repo = join(await cleanup.temporaryDirectory('tuic-site-'), 'repo');
  await mkdir(repo);
  await server.ipc.ok('PUT', '/config/repositories', { repos: { [repo]: {} }, activeRepoPath: repo });
});

const strip = (page: Page) => page.locator('.tab-strip [role=tab]');
const panel = (page: Page) => page.locator('[data-testid="agent-panel"]:not([hidden])');

/** What stands in the document of the tab that is shown, once it does. */
const inFrame = (page: Page, selector: string, text: string) =>
  panel(page).frameLocator('iframe').locator(selector, { hasText: text });

async function frameOf(page: Page): Promise<Frame> {
  const element = await panel(page).locator('iframe').elementHandle();
  const frame = await element?.contentFrame();
  if (frame === null || frame === undefined) throw new Error('there is no frame');
  return frame;
}

/** An agent behind the bridge, in a terminal of its own. */
async function startAgent() {
  const { session_id: id } = await server.ipc.createSession({ ...BASH, display_name: 'builder' });
  const info = (await server.ipc.listSessions()).find(({ session_id }) => session_id === id);
  const client = startBridge(cleanup, server.configDirectory, { TUIC_SESSION: info?.tuic_session ?? '' });
  await client.initialize('claude-code');
  const tab = async (input: object) =>
    toolValue(await client.request('tools/call', { name: 'ui', arguments: { action: 'tab', ...input } }));
  return { id, tab };
}

async function showTerminal(page: Page, id: string): Promise<void> {
  await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
  await untilLive(page, id);
}

const hasKeyboard = (page: Page, selector: string) =>
  page.evaluate((wanted) => document.activeElement?.closest(wanted) !== null, selector);

describe('a tab of an agent', () => {
  it('UI-1: comes without taking the keyboard when it should not, survives a reload, is replaced in place, and goes with its terminal', async () => {
    const { id, tab } = await startAgent();
    const desk = await openWorkspace(await newContext(browser, cleanup), server);
    const phone = await openPhone(browser, cleanup, server);
    const { page } = desk;
    await showTerminal(page, id);
    await page.keyboard.type('echo ');
    const title = 'Plan \u202e<img src=x onerror=alert(1)>';
    expect(await tab({ id: 'plan', title, html: '<p id=says>first', focus: false })).toEqual({ ok: true, id: 'plan' });
    await strip(page).nth(1).waitFor();
    expect(await strip(page).nth(1).textContent()).toBe('Plan <img src=x onerror=alert(1)>');
    await page.keyboard.type('still-$((40+2))');
    await page.keyboard.press('Enter');
    await untilRows(page, id, 'the program to have the keys', (rows) => rows.includes('still-42'));

    await tab({ id: 'plan', title: 'Plan', html: '<p id=says>second', pinned: true });
    await panel(page).waitFor();
    await inFrame(page, '#says', 'second').waitFor();
    await eventually('the tab to have the keyboard', () => hasKeyboard(page, '[data-testid="agent-panel"]'));
    expect(await panel(page).locator('.agent-origin').textContent()).toBe('From builder');

    await page.reload();
    await panel(page).waitFor();
    expect(await strip(page).allTextContents()).toEqual(['builder', 'Plan']);
    await inFrame(page, '#says', 'second').waitFor();
    // By keys alone to the terminal and back.
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await eventually('the terminal to have the keyboard', () => hasKeyboard(page, '.terminal'));
    await untilLive(page, id);
    await page.keyboard.press('Control+Shift+ArrowRight');
    await eventually('the tab to have the keyboard', () => hasKeyboard(page, '[data-testid="agent-panel"]'));

    await server.ipc.remove(id);
    await strip(page).nth(0).waitFor({ state: 'detached' });
    expect(await server.ipc.ok('GET', '/ui/tabs')).toEqual([]);
    expect([...desk.problems, ...phone.problems]).toEqual([]);
  });

  it('closes by keys in every window, and the keyboard goes back to the terminal', async () => {
    const { id, tab } = await startAgent();
    const first = await openWorkspace(await newContext(browser, cleanup), server);
    const second = await openWorkspace(await newContext(browser, cleanup), server);
    await showTerminal(first.page, id);
    await tab({ id: 'plan', title: 'Plan', html: 'x' });
    for (const { page } of [first, second]) await panel(page).waitFor();
    await eventually('the tab to have the keyboard', () => hasKeyboard(first.page, '[data-testid="agent-panel"]'));
    await first.page.keyboard.press('Control+Shift+X');
    for (const { page } of [first, second]) await panel(page).waitFor({ state: 'detached' });
    await eventually('the terminal to have the keyboard', () => hasKeyboard(first.page, '.terminal'));
    expect([...first.problems, ...second.problems]).toEqual([]);
    await server.ipc.remove(id);
  });
});

describe('a hostile page in a tab', () => {
  it('reaches neither the workspace nor its cookie nor the server, and gets no keyboard', async () => {
    const { id, tab } = await startAgent();
    const { page } = await openWorkspace(await newContext(browser, cleanup), server);
    await showTerminal(page, id);
    await writeFile(join(repo, 'secret.json'), '{"secret": 1}');
    const attack = `<input id=trap><script>
      window.found = {};
      const attempt = async (name, work) => {
        try { window.found[name] = String(await work()); } catch (error) { window.found[name] = 'refused'; }
      };
      const go = async () => {
        const base = ${JSON.stringify(server.origin)};
        await attempt('origin', () => self.origin);
        await attempt('parent', () => parent.document.title);
        await attempt('store', () => parent.localStorage.length);
        await attempt('cookie', () => document.cookie);
        await attempt('own store', () => localStorage.length);
        await attempt('top', () => { top.location = 'about:blank'; });
        await attempt('popup', () => open('about:blank') === null ? 'refused' : 'opened');
        for (const path of ['/sessions', '/ui/tabs', '/config', '/events']) {
          await attempt(path, async () => (await fetch(base + path, { credentials: 'include' })).status);
        }
        await attempt('write', async () => (await fetch(base + '/sessions', { method: 'POST', body: '{}' })).status);
        await attempt('neighbour', async () => {
          const answer = await fetch('secret.json');
          return answer.ok ? answer.text() : answer.status;
        });
        document.getElementById('trap').focus();
        window.found.done = 'yes';
      };
      go();
      const steal = () => setInterval(() => {
        document.getElementById('trap').blur();
        document.getElementById('trap').focus();
      }, 5);
    </script>`;
    await writeFile(join(repo, 'attack.html'), attack);
    for (const [at, content] of [{ html: attack }, { url: pathToFileURL(join(repo, 'attack.html')).href }].entries()) {
      await tab({ id: `evil${at}`, title: `Evil ${at}`, ...content });
      await page.locator(`[data-testid="agent-panel"]:not([hidden])[aria-label="Evil ${at}"]`).waitFor();
      const found = await eventually('the attack to be over', async () => {
        const frame = await frameOf(page);
        const { found: seen } = (await frame.evaluate('({ found: window.found })')) as {
          found?: Record<string, string>;
        };
        return seen?.done === 'yes' && seen;
      });
      expect(found).toEqual({
        origin: 'null',
        parent: 'refused',
        store: 'refused',
        cookie: 'refused',
        'own store': 'refused',
        top: 'refused',
        popup: 'refused',
        '/sessions': 'refused',
        '/ui/tabs': 'refused',
        '/config': 'refused',
        '/events': 'refused',
        // Told at the door, where nothing was done yet.
        write: '403',
        neighbour: '403',
        done: 'yes',
      });
      await eventually('the page to have lost the keyboard', () => hasKeyboard(page, '[aria-label^="Evil"]'));
      await page.keyboard.type('not for you');
      const trap = panel(page).frameLocator('iframe').locator('#trap');
      expect(await trap.inputValue()).toBe('');
      // One that goes on is stopped, until the person wants it again.
      await (await frameOf(page)).evaluate('void steal()');
      await panel(page).getByText('kept taking the keyboard').waitFor();
      expect(await panel(page).locator('iframe').count()).toBe(0);
    }
    await panel(page).getByRole('button', { name: 'Show it again' }).click();
    const trap = panel(page).frameLocator('iframe').locator('#trap');
    await trap.waitFor();
    // The first click goes into the page, the second to what is in it.
    await panel(page).locator('.agent-cover').click();
    await eventually('the page to have the keyboard', () =>
      page.evaluate(() => document.activeElement?.tagName === 'IFRAME'),
    );
    await trap.click();
    await page.keyboard.type('for you');
    expect(await trap.inputValue()).toBe('for you');
    expect(page.url().startsWith(server.origin)).toBe(true);
    expect(await server.ipc.listSessions()).toHaveLength(1);
    await server.ipc.remove(id);
  });

  it('UI-2: of the web is framed in a sandbox; one that forbids it can be opened outside', async () => {
    const { id, tab } = await startAgent();
    const site = createServer((request, response) => {
      if (request.url === '/closed') response.setHeader('x-frame-options', 'DENY');
      response
        .setHeader('content-type', 'text/html')
        .end('<h1>the web</h1><script>document.title = self.origin</script>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    cleanup.defer(() => new Promise<void>((resolve) => site.close(() => resolve())));
    const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const context = await newContext(browser, cleanup);
    const { page } = await openWorkspace(context, server);
    await tab({ id: 'web', title: 'Web', url: `${base}/open` });
    await panel(page).waitFor();
    await inFrame(page, 'h1', 'the web').waitFor();
    await eventually('the page to be without an origin', async () => (await (await frameOf(page)).title()) === 'null');
    await tab({ id: 'web', title: 'Web', url: `${base}/closed` });
    await panel(page).locator('.agent-address', { hasText: '/closed' }).waitFor();
    await panel(page).getByText('Empty? The page may forbid being shown here.').waitFor();
    const opening = context.waitForEvent('page');
    await panel(page).getByRole('link', { name: 'Open outside' }).click();
    const outside = await opening;
    expect(await outside.locator('h1').textContent()).toBe('the web');
    expect(await outside.evaluate(() => window.opener)).toBe(null);
    await server.ipc.remove(id);
    site.closeAllConnections();
  });
});

describe('files in tabs', () => {
  it('UI-2: a page of a repository has what lies beside it; a preview is text and picture', async () => {
    const { id, tab } = await startAgent();
    await mkdir(join(repo, 'site'));
    await writeFile(
      join(repo, 'site/index.html'),
      '<link rel=stylesheet href=a.css><p>old</p><script src=a.js></script>',
    );
    await writeFile(join(repo, 'site/a.js'), 'document.querySelector("p").textContent = "by script";');
    await writeFile(join(repo, 'site/a.css'), 'p { color: rgb(1, 2, 3) }');
    await writeFile(join(repo, 'notes.md'), '# Notes\n<b>not bold</b>\n');
    await writeFile(
      join(repo, 'dot.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>',
    );
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await tab({ id: 'site', title: 'Site', url: pathToFileURL(join(repo, 'site/index.html')).href });
    await panel(page).waitFor();
    const text = inFrame(page, 'p', 'by script');
    await text.waitFor();
    expect(await text.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)');
    await tab({ id: 'notes', title: 'Notes', url: 'tuic://open/notes.md' });
    await panel(page).getByText('<b>not bold</b>').waitFor();
    await tab({ id: 'picture', title: 'Picture', url: 'tuic://open/dot.svg' });
    await eventually('the picture to be drawn', () =>
      panel(page)
        .locator('img')
        .evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 40),
    );
    expect(problems).toEqual([]);
    await server.ipc.remove(id);
  });
});

describe('looks', () => {
  it('DESIGN 9: right and reached by keys at each width, light and dark', async () => {
    const { id, tab } = await startAgent();
    const title = 'A title of a tab that is longer than anybody would like it to be';
    await writeFile(join(repo, 'notes.md'), `# Notes\n${'A long line of text. '.repeat(40)}\n`);
    await tab({ id: 'notes', title, url: 'tuic://open/notes.md', pinned: true });
    const findings = await inspectEverywhere(browser, cleanup, {
      name: 'tab of an agent',
      widths: [320, 1_280],
      mayScroll: ['.tabs'],
      open: async (context) => {
        const watched = await openWorkspace(context, server);
        await strip(watched.page).last().click();
        await panel(watched.page).locator('.agent-text').waitFor();
        return watched;
      },
    });
    expect(findings).toEqual([]);
    await server.ipc.remove(id);
  });
});
