/** What agents are doing, in the workspace and on the phone: a program that tells its state stands for the agent. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, untilRows } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { inspectEverywhere } from '../kit/looks.ts';
import { openPhone } from '../kit/phone.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { speakingSession } from '../kit/status-program.ts';

const cleanup = cleanupAfterAll();
let server: ServerUnderTest;
let home: string;
let browser: Browser;

beforeAll(async () => {
  home = await cleanup.temporaryDirectory('agents-');
  await mkdir(join(home, 'tools'));
  // Stands for Claude Code: says what it was given, then waits.
  await writeFile(
    join(home, 'tools/claude'),
    `#!/bin/sh
if [ "$1" = --version ]; then echo '9.8.7 (Claude Code)'; exit; fi
printf '<%s>' "$@"; printf '\\033]7501;state=working\\033\\\\'; read -r line
`,
  );
  await chmod(join(home, 'tools/claude'), 0o755);
  server = await startServer(cleanup, { environment: { HOME: home, PATH: `${join(home, 'tools')}:/usr/bin:/bin` } });
  browser = await launchBrowser(cleanup);
});

const QUESTION = 'Run \u202e`rm -rf build`\n<b>now</b>?';

describe('what agents are doing', () => {
  it('issue 6.8: dot, word and question in list, title and status bar; one key goes from one that waits to the next, and back', async () => {
    const shell = await server.ipc.createSession({ ...BASH, display_name: 'shell' });
    const first = await server.ipc.createSession(
      speakingSession({ state: 'blocked', kind: 'permission', message: QUESTION }, { display_name: 'first' }),
    );
    await server.ipc.createSession(speakingSession({ state: 'working' }, { display_name: 'builder' }));
    await server.ipc.createSession(
      speakingSession({ state: 'error', message: 'overloaded' }, { display_name: 'sick' }),
    );
    const second = await server.ipc.createSession(
      speakingSession({ state: 'blocked', message: 'Which one?' }, { display_name: 'second' }),
    );
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const row = (id: string) => page.locator(`.session-row[data-session-id="${id}"]`);
    await row(first.session_id).getByTestId('session-detail').waitFor();
    expect(await row(first.session_id).getByTestId('session-detail').textContent()).toBe(
      'Run `rm -rf build` <b>now</b>?',
    );
    expect(await row(first.session_id).getByRole('img', { name: 'waits for you' }).count()).toBe(1);
    expect(await row(shell.session_id).getByTestId('status-word').count()).toBe(0);
    await page.locator('.session-row', { hasText: 'builder' }).getByText('working').waitFor();
    await page.locator('.session-row', { hasText: 'sick' }).getByText('overloaded').waitFor();
    expect(await page.getByTestId('waiting').textContent()).toContain('2 wait');
    expect(await page.title()).toMatch(/^\(2\) /);

    const active = async () => await page.locator('.session-row.is-active').getAttribute('data-session-id');
    await row(shell.session_id).locator('button.session-main').click();
    const steps = [first.session_id, second.session_id, first.session_id];
    for (const id of steps) {
      await page.keyboard.press('Control+Shift+BracketLeft');
      await eventually('the next one', async () => (await active()) === id);
    }
    await page.keyboard.press('Control+Shift+Backspace');
    await eventually('the shell again', async () => (await active()) === shell.session_id);
    expect(problems).toEqual([]);

    const phone = await openPhone(browser, cleanup, server);
    const needs = phone.page.locator('.group-needs-you .row-name');
    await needs.nth(2).waitFor();
    expect((await needs.allTextContents()).sort()).toEqual(['first', 'second', 'sick']);
    expect(phone.problems).toEqual([]);
    for (const { session_id } of await server.ipc.listSessions()) await server.ipc.remove(session_id);
  });

  it('issue 6.8: a new agent is started by keys alone with its task, and stands in a tab of its own', async () => {
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await page.keyboard.press('Control+Shift+Backslash');
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await dialog.getByText('claude 9.8.7').waitFor({ state: 'attached' });
    expect(await dialog.locator('optgroup[label="Not installed"] option:enabled').count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await dialog.getByText('Say what it is to do.').waitFor();
    await page.keyboard.type('Look at');
    await page.keyboard.press('Enter');
    await page.keyboard.type('the tests; $(id)');
    await dialog.getByLabel('Name').fill('tester');
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    const started = async () => (await server.ipc.listSessions()).find((one) => one.display_name === 'tester');
    const id = (await started())?.session_id ?? '';
    await untilRows(page, id, 'its task', (rows) => rows.join('').includes('the tests; $(id)>'));
    await page.locator('.session-row.is-active', { hasText: 'tester' }).getByText('working').waitFor();
    expect(problems).toEqual([]);
    await server.ipc.remove(id);
  });

  it('DESIGN 9: list and status bar look right, light and dark', async () => {
    const asks = speakingSession({ state: 'blocked', message: QUESTION }, { display_name: 'asks' });
    const ids = [
      await server.ipc.createSession(asks),
      await server.ipc.createSession(speakingSession({ state: 'error' })),
    ];
    const findings = await inspectEverywhere(browser, cleanup, {
      name: 'agents',
      widths: [320, 1_280],
      mayScroll: ['.tabs'],
      ignore: ['.terminal'],
      open: async (context) => {
        const watched = await openWorkspace(context, server);
        await watched.page.getByTestId('waiting').waitFor();
        return watched;
      },
    });
    const launcher = await inspectEverywhere(browser, cleanup, {
      name: 'new agent',
      widths: [320, 1_280],
      open: async (context) => {
        const watched = await openWorkspace(context, server);
        await watched.page.keyboard.press('Control+Shift+Backslash');
        await watched.page.getByText('claude 9.8.7').waitFor({ state: 'attached' });
        return watched;
      },
    });
    expect([...findings, ...launcher]).toEqual([]);
    for (const { session_id } of ids) await server.ipc.remove(session_id);
  });
});
