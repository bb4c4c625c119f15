/** What agents ask and tell, on the person's screens (mcp.md UI-3, UI-4, UI-6). */
import type { Browser, Page } from 'playwright-core';
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

beforeAll(async () => {
  server = await startServer(cleanup);
  browser = await launchBrowser(cleanup);
});

const card = (page: Page) => page.getByTestId('question');

/** An agent behind the bridge, in a terminal of its own if it has an identity. */
async function startAgent(identity?: string) {
  const client = startBridge(cleanup, server.configDirectory, identity === undefined ? {} : { TUIC_SESSION: identity });
  await client.initialize('claude-code');
  const call = (input: object) => client.request('tools/call', { name: 'ui', arguments: input });
  return {
    ask: async (title: string, message?: string) => toolValue(await call({ action: 'confirm', title, message })),
    call,
  };
}

describe('a question of an agent', () => {
  it('W08, UI-6: stands in every window and on the phone, survives a reload, takes no key, and goes everywhere with its answer', async () => {
    const { session_id: id } = await server.ipc.createSession({ ...BASH, display_name: 'builder' });
    const [info] = await server.ipc.listSessions();
    const agent = await startAgent(info?.tuic_session);
    const context = await newContext(browser, cleanup);
    const desk = await openWorkspace(context, server);
    const phone = await openPhone(browser, cleanup, server);
    await desk.page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
    await untilLive(desk.page, id);

    const hostile = 'Drop \u202eit?<img src=x onerror=alert(1)>';
    const asked = agent.ask(hostile, 'All rows go.\nThere is no copy.');
    await card(desk.page).waitFor();
    await card(phone.page).waitFor();
    expect(await card(desk.page).locator('h2').textContent()).toBe('Drop it?<img src=x onerror=alert(1)>');
    expect(await card(desk.page).locator('.question-origin').textContent()).toBe('builder asks');
    // What is typed goes on to the program, and Enter answers nothing.
    await desk.page.keyboard.type('echo still-$((40+2))');
    await desk.page.keyboard.press('Enter');
    await untilRows(desk.page, id, 'the program to have the keys', (rows) => rows.includes('still-42'));
    await desk.page.reload();
    await card(desk.page).waitFor();

    await card(phone.page).getByRole('button', { name: 'Yes' }).tap();
    expect(await asked).toEqual({ confirmed: true });
    for (const { page } of [desk, phone]) await card(page).waitFor({ state: 'detached' });
    expect([...desk.problems, ...phone.problems]).toEqual([]);
    await server.ipc.remove(id);
  });

  it('is reached and answered by keys alone, and the keyboard goes back to the terminal', async () => {
    const { session_id: id } = await server.ipc.createSession(BASH);
    const agent = await startAgent();
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
    await untilLive(page, id);
    const asked = agent.ask('Go on?');
    await card(page).waitFor();
    await page.keyboard.press('Control+Shift+BracketRight');
    await eventually('No to have the keyboard', () =>
      page.evaluate(() => document.activeElement?.textContent === 'No'),
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await asked).toEqual({ confirmed: true });
    await eventually('the terminal to have the keyboard', () =>
      page.evaluate(() => document.activeElement?.closest('.terminal') !== null),
    );
    expect(problems).toEqual([]);
    await server.ipc.remove(id);
  });

  it('goes when the agent that asked is gone, and the person is told so', async () => {
    const client = startBridge(cleanup, server.configDirectory);
    await client.initialize('short-lived');
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    client.send({
      id: 'ask',
      method: 'tools/call',
      params: { name: 'ui', arguments: { action: 'confirm', title: 'Well?' } },
    });
    await card(page).waitFor();
    client.child.kill('SIGKILL');
    await card(page).waitFor({ state: 'detached' });
    await page.getByText('“Well?” was not decided: the caller left.').waitFor();
    expect(problems).toEqual([]);
  });

  it('DESIGN 9: looks right and is reached by keys at each width, light and dark', async () => {
    const agent = await startAgent();
    const asked = agent.ask(
      'Delete the branch feature/very-long-name-that-nobody-wants-to-read-again?',
      'It has 3 commits that are nowhere else.',
    );
    const findings = await inspectEverywhere(browser, cleanup, {
      name: 'question',
      widths: [320, 1_280],
      open: async (context) => {
        const watched = await openWorkspace(context, server);
        await card(watched.page).waitFor();
        return watched;
      },
    });
    expect(findings).toEqual([]);
    const [question] = (await server.ipc.ok('GET', '/ui/confirms')) as { request_id: string }[];
    await server.ipc.ok('POST', `/ui/confirms/${question?.request_id}`, { confirmed: false });
    expect(await asked).toEqual({ confirmed: false });
  });
});

describe('a notice of an agent', () => {
  it('UI-3: is shown in the workspace and on the phone, as text', async () => {
    const agent = await startAgent();
    const windows = async () => ((await server.ipc.ok('GET', '/ui/clients')) as unknown[]).length;
    const before = await windows();
    const desk = await openWorkspace(await newContext(browser, cleanup), server);
    const phone = await openPhone(browser, cleanup, server);
    // A notice is told to who listens, once.
    await eventually('both to listen', async () => (await windows()) >= before + 2);
    const told = await agent.call({ action: 'toast', title: 'Tests <b>green</b>', message: '12 of 12', sound: true });
    expect(toolValue(told)).toEqual({ ok: true });
    // Both at once: what is told goes by itself after a while.
    await Promise.all([desk, phone].map(({ page }) => page.getByText('Tests <b>green</b>: 12 of 12').waitFor()));
    expect([...desk.problems, ...phone.problems]).toEqual([]);
  });
});
