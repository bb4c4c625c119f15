/** A real browser for the tests. Every page reports what goes wrong in it; a test ends by asking for the list. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Cleanup } from './cleanup.ts';
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
  /net::ERR_CONNECTION_(REFUSED|RESET|CLOSED)|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|WebSocket connection to/;

export function watchPage(page: Page, options: { mayLoseServer?: boolean } = {}): WatchedPage {
  const problems: string[] = [];
  const note = (text: string) => {
    if (!(options.mayLoseServer === true && CONNECTION_LOST.test(text))) problems.push(text);
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

/** A page that is logged in and shows the workspace. */
export async function openWorkspace(
  context: BrowserContext,
  server: ServerUnderTest,
  options: { mayLoseServer?: boolean } = {},
): Promise<WatchedPage> {
  const watched = watchPage(await context.newPage(), options);
  await watched.page.goto(await loginLink(server));
  return watched;
}

/** The text an xterm.js terminal shows with its DOM renderer, row by row, without trailing blanks. */
export async function terminalRows(page: Page, sessionId: string): Promise<string[]> {
  return await page.evaluate((id) => {
    const rows = document.querySelectorAll(`[data-session-id="${id}"] .xterm-rows > div`);
    return [...rows].map((row) => (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd());
  }, sessionId);
}
