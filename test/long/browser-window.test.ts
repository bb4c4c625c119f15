/** What an agent asks of the person's window, by a real call over the bridge (mcp.md DBG-1, DBG-2, UI-5). */
import { copyFile, readFile, stat } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, untilLive, untilRows } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { type StdioClient, startBridge, toolValue } from '../kit/stdio-client.ts';

const cleanup = cleanupAfterAll();
let server: ServerUnderTest;
let browser: Browser;
let agent: StdioClient;

beforeAll(async () => {
  server = await startServer(cleanup);
  await server.ipc.ok('PUT', '/config', { disabled_native_tools: [] });
  browser = await launchBrowser(cleanup);
  agent = startBridge(cleanup, server.configDirectory);
  await agent.initialize('claude-code');
});

async function call(name: string, input: object): Promise<Record<string, unknown>> {
  return toolValue(await agent.request('tools/call', { name, arguments: input })) as Record<string, unknown>;
}
const run = (script: string) => call('debug', { action: 'invoke_js', script });

async function openTerminal(page: Page): Promise<string> {
  const { session_id: id } = await server.ipc.createSession({ ...BASH, display_name: 'builder' });
  await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
  await untilLive(page, id);
  return id;
}

describe('debug invoke_js', () => {
  it('DBG-1, DBG-2: runs in the workspace under its strict policy, and gives values, failures and what the window knows', async () => {
    expect((await run('1')).error).toContain('No workspace is open');
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const id = await openTerminal(page);
    await untilRows(page, id, 'a prompt', (rows) => rows.length > 0);

    expect(await run('1 + 1')).toMatchObject({ ok: true, result: 2, client_id: expect.stringMatching(/^[\w-]{36}$/) });
    expect((await run('window.__TUIC__.stores()')).result).toEqual(['keybindings', 'paneLayout', 'settings', 'ui']);
    expect((await run(`__TUIC__.terminal('${id}')`)).result).toMatchObject({ label: 'builder', is_shown: true });
    expect((await run('const one = await __TUIC__.logs(1); return one.length')).result).toBe(1);
    expect((await run('document.body')).result).toBe('[body]');
    expect((await run('let o = {}; o.self = o; return o')).result).toEqual({ self: '[circular]' });
    expect((await run('throw new TypeError("no")')).error).toBe('TypeError: no');
    expect((await run('missing.thing')).error).toContain('ReferenceError');
    expect((await run('1 +')).error).toContain('script:');
    const failed = await call('debug', { action: 'logs', source: 'eval_js', limit: 1 });
    expect(failed.entries).toMatchObject([{ level: 'error', message: expect.stringContaining('ReferenceError') }]);
    await page.getByText('An agent ran a script in this window.').first().waitFor();

    // The policy is what it was: the page itself can still make no code out of text.
    const blocked = await run('try { return new Function("return 1")() } catch (error) { return error.name }');
    expect(blocked.result).toBe('EvalError');
    expect(problems.filter((text) => !text.includes('unsafe-eval'))).toEqual([]);
    await server.ipc.remove(id);
    await page.close();
  });

  it('DBG-1: a window that goes ends its request, and one that never answers does too', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    expect((await run('location.reload(); return new Promise(() => undefined)')).error).toContain('it was closed');
    await page.getByTestId('connection').and(page.locator('[data-state="connected"]')).waitFor();
    expect((await run('new Promise(() => undefined)')).error).toContain('none within 8 s');
    expect((await run('"well again"')).result).toBe('well again');
    expect(problems).toEqual([]);
    await page.close();
  });
});

/** Colours of some cells of a picture, each the most frequent one in its cell; made in the page, which knows WebP. */
async function coloursOf(
  page: Page,
  path: string,
  cells: { column: number; row: number; cols: number; rows: number }[],
) {
  const bytes = (await readFile(path)).toString('base64');
  return await page.evaluate(
    async ({ data, places }) => {
      const picture = await createImageBitmap(
        new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type: 'image/webp' }),
      );
      const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d', { willReadFrequently: true });
      if (pen === null) throw new Error('nothing to draw on');
      pen.drawImage(picture, 0, 0);
      return places.map(({ column, row, cols, rows }) => {
        const width = (picture.width - 16) / cols;
        const height = (picture.height - 16) / rows;
        // From inside the cell: at its edges two colours meet.
        const { data: pixels } = pen.getImageData(8 + column * width + 2, 8 + row * height + 2, width - 4, height - 4);
        const counts = new Map<string, number>();
        for (let at = 0; at < pixels.length; at += 4) {
          const colour = pixels.slice(at, at + 3).join();
          counts.set(colour, (counts.get(colour) ?? 0) + 1);
        }
        return { top: [...counts].sort((a, b) => b[1] - a[1])[0]?.[0], kinds: counts.size };
      });
    },
    { data: bytes, places: cells },
  );
}

describe('ui screenshot', () => {
  it('UI-5: has colours and letters of the terminal where they stand, in a file for this user alone', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const id = await openTerminal(page);
    await server.ipc.write(
      id,
      'PS1=; clear; printf "\\033[48;2;200;40;40m    \\033[0m plain\\n\\033[1;32mWord\\033[0m 世界\\n"\r',
    );
    await untilRows(
      page,
      id,
      'the colours',
      (rows) => rows[0]?.includes('plain') === true && rows[1]?.includes('世') === true,
    );
    const taken = await call('ui', { action: 'screenshot', id });
    expect(taken).toMatchObject({ ok: true, path: expect.stringMatching(/\/screenshots\/[\w-]+\.webp$/) });
    const path = String(taken.path);
    const { mode, size } = await stat(path);
    expect([mode & 0o777, size]).toEqual([0o600, taken.size_bytes]);
    const terminal = page.locator(`.terminal[data-session-id="${id}"]`);
    const rows = Number(await terminal.getAttribute('data-rows'));
    const cols = Number(await terminal.getAttribute('data-cols'));
    const at = (column: number, row: number) => ({ column, row, cols, rows });
    const [red, letter, empty, word, wide] = await coloursOf(page, path, [
      at(1, 0),
      at(5, 0),
      at(20, 1),
      at(0, 1),
      at(5, 1),
    ]);
    expect(red).toEqual({ top: '200,40,40', kinds: 1 });
    expect(empty?.kinds).toBe(1);
    for (const ink of [letter, word, wide]) expect(ink?.kinds).toBeGreaterThan(1);
    await page.getByText('A picture of “builder” was given to an agent.').waitFor();
    if (process.env.TUIC_KEEP_PICTURES !== undefined) {
      await copyFile(path, `${process.env.TUIC_KEEP_PICTURES}/terminal.webp`);
      await terminal.screenshot({ path: `${process.env.TUIC_KEEP_PICTURES}/page.png` });
    }
    // An alias names it too; what this window does not have is said.
    const [info] = await server.ipc.listSessions();
    expect(await call('ui', { action: 'screenshot', id: info?.alias })).toMatchObject({ ok: true });
    expect((await call('ui', { action: 'screenshot', id: 'no-such-panel' })).error).toContain(
      'No picture: no-such-panel',
    );
    const { session_id: hidden } = await server.ipc.createSession({ ...BASH, display_name: 'hidden' });
    await page.locator(`.session-row[data-session-id="${hidden}"]`).waitFor();
    expect((await call('ui', { action: 'screenshot', id: hidden })).error).toBe(
      'No picture: “hidden” is not open in this workspace',
    );
    expect(problems).toEqual([]);
    await server.ipc.remove(id);
    await server.ipc.remove(hidden);
    await page.close();
  });
});
