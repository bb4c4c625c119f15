/** What an agent asks of the person's window, by a real call over the bridge (mcp.md DBG-1, DBG-2). */
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
