/** A real browser for the tests. Every page reports what goes wrong in it; a test ends by asking for the list. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import type { Cleanup } from './cleanup.ts';
import { eventually } from './eventually.ts';
import type { ServerUnderTest } from './server.ts';

interface FindProgramModule {
  findBrowser(): string | undefined;
}

async function browserPath(): Promise<string> {
  const script = fileURLToPath(new URL('../../scripts/lib/find-program.mjs', import.meta.url));
  const { findBrowser } = (await import(pathToFileURL(script).href)) as FindProgramModule;
  const path = findBrowser();
  if (path === undefined) throw new Error('no Chrome, Chromium or Edge was found; name one in TUIC_BROWSER');
  return path;
}

export async function launchBrowser(cleanup: Cleanup, args: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await browserPath(),
    headless: true,
    args: [
      '--no-first-run',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Chromium refuses its sandbox to root, as in a container.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...args,
    ],
  });
  cleanup.defer(() => browser.close());
  return browser;
}

/** A browser of its own, with nothing stored. */
export async function newContext(
  browser: Browser,
  cleanup: Cleanup,
  width = 1_200,
  height = 800,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width, height } });
  cleanup.defer(() => context.close());
  return context;
}

/** A busy machine takes its time; what a test waits for says itself when it is there. */
const PATIENCE = 60_000;

export interface WatchedPage {
  page: Page;
  /** Console errors, uncaught errors and refused requests, without those a test announced. */
  problems: string[];
}

/**
 * While a server is down the browser itself writes each failed request into the console; those are expected then and only
 * then. Everything else counts.
 */
const CONNECTION_LOST =
  /net::ERR_(CONNECTION_(REFUSED|RESET|CLOSED|ABORTED)|SOCKET_NOT_CONNECTED)|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|WebSocket connection to/;

/** What a driver without a graphics card, and who draws with it, say about their own speed, whatever the page does. */
const SLOW_DRAWING = /GL Driver Message \(OpenGL, Performance,|GPU stall|task queue exceeded allotted deadline/;

/** The focus is reported once a stream of events is open; one that a returning server lost again is not known to it. */
const FOCUS_CROSSED = /404 \(Not Found\) \S+\/ui\/clients\//;

export function watchPage(page: Page, options: { mayLoseServer?: boolean } = {}): WatchedPage {
  page.setDefaultTimeout(PATIENCE);
  const problems: string[] = [];
  const note = (text: string) => {
    if (SLOW_DRAWING.test(text)) return;
    const isOfLoss = CONNECTION_LOST.test(text) || FOCUS_CROSSED.test(text);
    if (!(options.mayLoseServer === true && isOfLoss)) problems.push(text);
  };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      note(`${message.type()}: ${message.text()} ${message.location().url}`);
    }
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.stack ?? error.message}`));
  return { page, problems };
}

export async function loginLink(server: ServerUnderTest): Promise<string> {
  const { url } = (await server.ipc.ok('POST', '/login/ticket', {})) as { url?: string };
  if (url === undefined) throw new Error('the server gave no login link');
  return url;
}

/** A page that is logged in and shows the workspace. Terminals are drawn with elements, so that tests can read them. */
export async function openWorkspace(
  context: BrowserContext,
  server: ServerUnderTest,
  options: { mayLoseServer?: boolean; renderer?: 'dom' | 'auto' } = {},
): Promise<WatchedPage> {
  const watched = watchPage(await context.newPage(), options);
  await watched.page.goto(await loginLink(server));
  if (options.renderer !== 'auto') await watched.page.goto(`${server.origin}/?renderer=dom`);
  await watched.page.getByTestId('connection').and(watched.page.locator('[data-state="connected"]')).waitFor();
  return watched;
}

/** The element of a session's terminal. */
export function terminalOf(page: Page, sessionId: string): Locator {
  return page.locator(`.terminal[data-session-id="${sessionId}"]`);
}

export async function untilLive(page: Page, sessionId: string): Promise<Locator> {
  const terminal = page.locator(`.terminal[data-session-id="${sessionId}"][data-connection="live"]`);
  await terminal.waitFor();
  return terminal;
}

/** The text a terminal shows, row by row, without trailing blanks and without empty rows at the end. */
export async function terminalRows(page: Page, sessionId: string): Promise<string[]> {
  return await page.evaluate((id) => {
    const rows = document.querySelectorAll(`.terminal[data-session-id="${id}"] .xterm-rows > div`);
    const texts = [...rows].map((row) => (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd());
    while (texts.at(-1) === '') texts.pop();
    return texts;
  }, sessionId);
}

/** Waits until the rows satisfy the check, looking again each time the page draws. */
export async function untilRows(
  page: Page,
  sessionId: string,
  what: string,
  check: (rows: string[]) => boolean,
): Promise<string[]> {
  return await eventually(
    `${what}`,
    async () => {
      const rows = await terminalRows(page, sessionId);
      return check(rows) && rows;
    },
    20_000,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)}. The terminal shows:\n${(await terminalRows(page, sessionId)).join('\n')}`);
  });
}

/** Pastes as a browser does it for the paste key. */
export async function pasteInto(page: Page, sessionId: string, text: string): Promise<void> {
  await terminalOf(page, sessionId)
    .locator('textarea')
    .evaluate((field, content) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', content);
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
}
