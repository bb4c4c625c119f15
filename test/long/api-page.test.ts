/** The page at /docs/api in a browser, and the examples of the description against a real server (issue 3.8). */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTE_DESCRIPTIONS } from '../../src/contract/api-description/index.ts';
import { ROUTES, type RouteId } from '../../src/contract/index.ts';
import { launchBrowser, loginLink, newContext, watchPage } from '../kit/browser.ts';
import { Cleanup } from '../kit/cleanup.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const cleanup = new Cleanup();
let server: ServerUnderTest;
let page: Page;
let problems: string[];
const foreign: string[] = [];

async function openPage(width: number, height: number): Promise<void> {
  const context = await newContext(await launchBrowser(cleanup), cleanup, width, height);
  ({ page, problems } = watchPage(await context.newPage()));
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && host !== `127.0.0.1:${server.port}`) foreign.push(request.url());
  });
  await page.goto(await loginLink(server));
  await page.goto(`${server.origin}/docs/api`);
  await page.locator('.opblock').first().waitFor();
}

/** Opens the block of an operation, with its form. */
async function openOperation(method: string, path: string) {
  const block = page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });
  await block.locator('.opblock-summary-control').click();
  await block.locator('.opblock-body').waitFor();
  return block;
}

beforeAll(async () => {
  server = await startServer(cleanup);
  await openPage(1_200, 900);
});

afterAll(() => cleanup.run());

describe('page of the API', () => {
  it('shows every route', async () => {
    expect(await page.locator('.opblock').count()).toBe(ROUTES.length);
  });

  it('calls the server by its forms, with the login of the page', async () => {
    const block = await openOperation('post', '/sessions');
    await block.locator('textarea').fill('{"display_name":"From the form"}');
    await block.locator('.execute').click();
    const live = block.locator('.live-responses-table');
    await live.locator('.response-col_status', { hasText: '201' }).waitFor();
    const [session] = await server.ipc.listSessions();
    expect(session?.display_name).toBe('From the form');
    expect(await live.textContent()).toContain(session?.session_id);
  });

  it('fills in parameters, and shows a refusal with its code', async () => {
    const [session] = await server.ipc.listSessions();
    const block = await openOperation('get', '/sessions/{id}/has-foreground');
    const live = block.locator('.live-responses-table');
    await block.locator('input[placeholder="id"]').fill('nobody');
    await block.locator('.execute').click();
    await live.locator('.response-col_status', { hasText: '404' }).waitFor();
    expect(await live.textContent()).toContain('session_not_found');
    await block.locator('input[placeholder="id"]').fill(session?.alias ?? '');
    await block.locator('.execute').click();
    await live.locator('.response-col_status', { hasText: '200' }).waitFor();
    // The refused call is the one thing that the browser wrote down.
    expect(problems.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  it('asks before it ends something, and sends nothing after a no', async () => {
    const questions: string[] = [];
    let isYes = false;
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void (isYes ? dialog.accept() : dialog.dismiss());
    });
    const [session] = await server.ipc.listSessions();
    const block = await openOperation('delete', '/sessions/{id}');
    await block.locator('input[placeholder="id"]').fill(session?.session_id ?? '');
    await block.locator('.execute').click();
    expect(questions).toEqual(['This ends the session and what runs in it.']);
    expect(await server.ipc.listSessions()).toHaveLength(1);
    isYes = true;
    await block.locator('.execute').click();
    await block.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    expect(await server.ipc.listSessions()).toHaveLength(0);
  });

  it('has no form for streams, which never end', async () => {
    for (const path of ['/events', '/sessions/{id}/stream']) {
      const block = await openOperation('get', path);
      expect([path, await block.locator('.execute').count()]).toEqual([path, 0]);
    }
  });

  it('asked nobody but this server, and its policy held', () => {
    expect(problems).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('fits a phone, open forms included', async () => {
    await openPage(390, 844);
    for (const [method, path] of [
      ['post', '/sessions'],
      ['get', '/sessions/{id}/output'],
      ['put', '/config'],
    ] as const) {
      await openOperation(method, path);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(problems).toEqual([]);
    expect(foreign).toEqual([]);
  });
});

describe('examples of the description', () => {
  /** Names something that is not there in a test, would end what the next row needs, or would fetch a program or a page. */
  const NOT_HERE: ReadonlySet<RouteId> = new Set<RouteId>([
    'process.kill',
    'clients.focus',
    'confirms.answer',
    'debug.invoke-js',
    'debug.script-answer',
    'screenshots.upload',
    'session.resume-agent',
    'agents.open-in-app',
    'upstreams.save',
    'upstreams.test',
    'upstreams.reconnect',
    'upstreams.credential',
    'progress.correct',
  ]);
  const rows = ROUTES.filter(({ id }) => ROUTE_DESCRIPTIONS[id].body !== undefined && !NOT_HERE.has(id));

  it('work as they stand', async () => {
    // The home folder of that server; a small program stands for the agent.
    const agent = join(server.configDirectory, '.local/bin/claude');
    await mkdir(dirname(agent), { recursive: true });
    await writeFile(agent, '#!/bin/sh\n', { mode: 0o755 });
    const { session_id } = await server.ipc.createSession({});
    const others: string[] = [];
    for (const { id, method, path } of rows) {
      const { body, answers } = ROUTE_DESCRIPTIONS[id];
      const target = path.replace(':id', session_id).replace(':file', 'notes');
      const answer = await server.ipc.request(method, target, { body: body?.example });
      if (answer.status !== answers[0]?.status) others.push(`${id}: ${answer.status} ${answer.body.toString()}`);
    }
    expect(others).toEqual([]);
  });
});
