/** What agents are doing, in the workspace and on the phone: a program that tells its state stands for the agent. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace, untilLive, untilRows } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { inspectEverywhere } from '../kit/looks.ts';
import { openPhone, untilLog } from '../kit/phone.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { speakingSession, statusReport } from '../kit/status-program.ts';

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

const ASKS = fileURLToPath(new URL('../kit/programs/claude-asks.mjs', import.meta.url));
const DRAWS = fileURLToPath(new URL('../kit/programs/claude-like.mjs', import.meta.url));
const asking = (name: string, ...commands: string[]) => ({
  shell: process.execPath,
  args: [ASKS, ...commands],
  agent_type: 'claude',
  display_name: name,
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

  it('issue 6.8: a card with what is asked, answered by one key each; never by what is typed elsewhere, never about another command', async () => {
    const shell = await server.ipc.createSession({ ...BASH, display_name: 'shell' });
    const first = await server.ipc.createSession(asking('first', 'rm -rf build'));
    const second = await server.ipc.createSession(asking('second', 'rm a.txt', 'rm b.txt', 'rm c.txt'));
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await page.locator('.session-row', { hasText: 'shell' }).locator('button.session-main').click();
    const card = page.getByTestId('choice');
    const cardOf = (id: string) => page.locator(`.choice[data-session-id="${id}"]`);
    await cardOf(first.session_id).getByText('rm -rf build').waitFor();
    await card.getByText('1 more asks').waitFor();
    expect(await card.getByTestId('choice-about').textContent()).toBe(
      'Bash command\n\n  rm -rf build\n  Removes what the last build has left',
    );

    await untilRows(page, shell.session_id, 'a prompt', (rows) => rows.length > 0);
    await page.keyboard.type('echo 1');
    await untilRows(page, shell.session_id, 'what was typed', (rows) => rows.some((row) => row.endsWith('echo 1')));
    await page.keyboard.press('Control+Shift+Backquote');
    await eventually('the card has the keyboard', () => card.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('3');
    await card.getByText('Again to choose it').waitFor();
    await page.keyboard.press('Escape');
    await card.getByText('Again to choose it').waitFor({ state: 'detached' });
    await page.keyboard.press('1');
    await cardOf(second.session_id).getByText('rm a.txt').waitFor();
    await page.keyboard.type('2');
    await untilRows(page, shell.session_id, 'the keyboard again', (rows) =>
      rows.some((row) => row.endsWith('echo 12')),
    );

    const { pid } = (await server.ipc.ok('GET', `/sessions/${second.session_id}/leaf-pid`)) as { pid: number };
    process.kill(pid, 'SIGUSR1');
    await eventually('the next command', async () => {
      const { data } = (await server.ipc.ok('GET', `/sessions/${second.session_id}/output?format=text`)) as {
        data: string;
      };
      return data.includes('rm b.txt');
    });
    await card.getByRole('button', { name: /^1 Yes/ }).click();
    await page.getByText('Nothing was typed').waitFor();
    await card.getByText('rm b.txt').waitFor();
    await card.getByRole('button', { name: /^1 Yes/ }).click();
    await card.getByText('rm c.txt').waitFor();
    await card.getByRole('button', { name: 'Later' }).click();
    await card.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+Backquote');
    await card.getByRole('button', { name: 'Show' }).click();
    await card.waitFor({ state: 'detached' });
    await untilRows(page, second.session_id, 'its answers', (rows) => rows.includes('● rm b.txt: 1'));
    await page.locator('.session-row', { hasText: 'first' }).locator('button.session-main').click();
    await untilRows(page, first.session_id, 'its answer', (rows) => rows.includes('● rm -rf build: 1'));
    expect(problems).toEqual([]);

    const phone = await openPhone(browser, cleanup, server, { sessionId: second.session_id });
    const no = phone.page.getByRole('button', { name: /^3 No/ });
    await no.click();
    await phone.page.getByText('Again to choose it').waitFor();
    await no.click();
    await untilLog(phone.page, 'the refusal', (text) => text.includes('● rm c.txt: 3'));
    await no.waitFor({ state: 'detached' });
    expect(phone.problems).toEqual([]);
    for (const { session_id } of await server.ipc.listSessions()) await server.ipc.remove(session_id);
  });

  it('issue 6.8: an agent is started from the phone with its task; who starts Codex is told that it asks nobody', async () => {
    await writeFile(join(home, 'tools/codex'), "#!/bin/sh\necho 'codex-cli 1.2.3'\n");
    await chmod(join(home, 'tools/codex'), 0o755);
    const phone = await openPhone(browser, cleanup, server);
    await phone.page.getByRole('button', { name: 'New terminal' }).click();
    await phone.page.getByRole('button', { name: 'claude', exact: true }).click();
    expect(await phone.page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
    await phone.page.getByLabel('Task').fill('Look at $(id)');
    await phone.page.getByRole('button', { name: 'Start' }).click();
    await untilLog(phone.page, 'its task', (text) => text.includes('<Look at $(id)>'));
    expect(phone.problems).toEqual([]);

    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await page.keyboard.press('Control+Shift+Backslash');
    const agents = page.getByRole('combobox', { name: 'Agent' });
    await agents.locator('option[value=codex]:enabled').waitFor({ state: 'attached' });
    expect(await page.getByTestId('codex-approvals').count()).toBe(0);
    await agents.selectOption('codex');
    await page.getByTestId('codex-approvals').getByText('without asking').waitFor();
    expect(problems).toEqual([]);
    for (const { session_id } of await server.ipc.listSessions()) await server.ipc.remove(session_id);
  });

  it('S06, issue 6.8: sounds and notices of what an agent does, none of the browser before a person has asked it something', async () => {
    const script = 'printf "%s" "$1"; while read -r line; do printf "%s" "$2"; sleep 0.5; printf "%s" "$1"; done';
    const reports = [statusReport({ state: 'idle' }), statusReport({ state: 'working' })];
    const agent = await server.ipc.createSession({
      shell: '/bin/sh',
      args: ['-c', script, 'agent', ...reports],
      display_name: 'agent',
    });
    const shell = await server.ipc.createSession({ ...BASH, display_name: 'shell' });
    const context = await newContext(browser, cleanup);
    await context.grantPermissions(['notifications'], { origin: server.origin });
    await context.addInitScript(() => {
      const told: string[] = [];
      Object.assign(window, { told });
      document.hasFocus = () => false;
      window.Notification = class extends EventTarget {
        static permission = 'granted';
        constructor(title: string) {
          super();
          told.push(title);
        }
      } as unknown as typeof Notification;
      const { createOscillator } = AudioContext.prototype;
      AudioContext.prototype.createOscillator = function (this: AudioContext) {
        told.push('tone');
        return createOscillator.call(this);
      };
    });
    const { page, problems } = await openWorkspace(context, server);
    const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told);
    const row = page.locator(`.session-row[data-session-id="${agent.session_id}"]`);
    await row.getByText('idle').waitFor();
    await page.keyboard.press('Control+Shift+Comma');
    await page.getByRole('button', { name: 'Sounds', exact: true }).click();
    await page.getByLabel('Notices of the browser').check();
    await page.getByRole('button', { name: 'Listen: An agent has finished' }).click();
    await eventually('two tones', async () => (await told()).length === 2);
    await page.getByRole('button', { name: 'Done' }).click();

    await server.ipc.write(agent.session_id, '\n');
    await row.getByText('working').waitFor();
    await row.getByText('idle').waitFor();
    expect(await told()).toHaveLength(2);
    await row.locator('button.session-main').click();
    await untilLive(page, agent.session_id);
    await page.keyboard.press('Enter');
    await row.getByText('working').waitFor();
    await eventually('the notice', async () => (await told()).includes('agent: idle'));
    expect((await told()).filter((one) => one === 'tone')).toHaveLength(4);
    expect(problems).toEqual([]);
    for (const { session_id } of [agent, shell]) await server.ipc.remove(session_id);
  });

  it('issue 6.8: what an agent offers is given to it by a click or by name; a limit counts on over a reload, usage stands as printed', async () => {
    await server.ipc.createSession({ ...BASH, display_name: 'shell' });
    const agent = { shell: process.execPath, args: [DRAWS], agent_type: 'claude' };
    const offering = await server.ipc.createSession({ ...agent, display_name: 'offering' });
    const limited = await server.ipc.createSession({ ...agent, display_name: 'limited' });
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const row = (id: string) => page.locator(`.session-row[data-session-id="${id}"]`);
    await row(offering.session_id).getByText('idle').waitFor();
    await row(limited.session_id).getByText('idle').waitFor();
    await server.ipc.write(offering.session_id, 'say suggest: [ Run the tests | Commit it ]\r');
    await row(offering.session_id).getByRole('button', { name: 'Run the tests' }).click();
    const offered = async () => {
      const { data } = (await server.ipc.ok('GET', `/sessions/${offering.session_id}/output?format=text`)) as {
        data: string;
      };
      return data;
    };
    await eventually('it was given', async () => (await offered()).includes('❯ Run the tests'));
    await row(offering.session_id).getByRole('button', { name: 'Run the tests' }).waitFor({ state: 'detached' });
    await row(offering.session_id).getByText('idle').waitFor();
    await server.ipc.write(offering.session_id, 'say suggest: [ Look again | Stop here ]\r');
    await row(offering.session_id).getByRole('button', { name: 'Stop here' }).waitFor();
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('tell offering stop');
    await page.keyboard.press('Enter');
    await eventually('it was given too', async () => (await offered()).includes('❯ Stop here'));

    await server.ipc.write(limited.session_id, 'say You have used 81% of your weekly limit\r');
    await row(limited.session_id).getByText('81 % used').waitFor();
    await server.ipc.write(limited.session_id, 'say API Error: 429 rate limit\r');
    const left = row(limited.session_id).locator('.status-left');
    const seconds = async () => Number((await left.textContent())?.trim().replace(/^0:/, ''));
    await eventually('the time goes down', async () => (await seconds()) <= 57);
    const before = await seconds();
    await page.reload();
    await left.waitFor();
    expect(await seconds()).toBeLessThanOrEqual(before);
    expect(problems).toEqual([]);
    for (const { session_id } of await server.ipc.listSessions()) await server.ipc.remove(session_id);
  });

  it('issue 6.7, ADR-9: agents that lost their terminal host are resumed when the person asks for it, each in its place', async () => {
    const talk = (name: string, conversation: string) => ({
      shell: join(home, 'tools/claude'),
      args: ['--resume', conversation],
      agent_type: 'claude',
      display_name: name,
      display_name_is_custom: true,
    });
    await server.ipc.createSession(talk('one', '11111111-1111-4111-8111-111111111111'));
    const two = await server.ipc.createSession(talk('two', '22222222-2222-4222-8222-222222222222'));
    await server.ipc.createSession({ ...BASH, display_name: 'shell' });
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    const row = page.locator('.session-row', { hasText: 'two' });
    await row.locator('button.session-main').click();
    await untilRows(page, two.session_id, 'its conversation', (rows) => rows.join('').includes('<22222222'));
    const tabs = page.locator('.tab [role=tab]');
    const names = await tabs.allTextContents();
    await server.killHost();
    await page.getByTestId('lost-agents').getByText('2 agents lost').waitFor();
    await page.getByTestId('end-banner').getByRole('button', { name: 'Resume' }).waitFor();
    expect((await server.ipc.listSessions()).every(({ lifecycle }) => lifecycle === 'lost')).toBe(true);
    await page.getByRole('button', { name: 'Resume all' }).click();
    await page.getByTestId('lost-agents').waitFor({ state: 'detached' });
    const again = await eventually('both again', async () => {
      const live = (await server.ipc.listSessions()).filter(({ lifecycle }) => lifecycle === 'live');
      return live.length === 2 && live;
    });
    expect(again.map(({ display_name }) => display_name).sort()).toEqual(['one', 'two']);
    await eventually('each in its place', async () => (await tabs.allTextContents()).join() === names.join());
    await row.locator('button.session-main').click();
    const id = again.find(({ display_name }) => display_name === 'two')?.session_id ?? '';
    await untilRows(page, id, 'its conversation', (rows) => rows.join('').includes('<--resume><22222222'));
    expect(problems).toEqual([]);
    for (const { session_id } of await server.ipc.listSessions()) await server.ipc.remove(session_id);
  });

  it('DESIGN 9: list and status bar look right, light and dark', async () => {
    const asks = speakingSession({ state: 'blocked', message: QUESTION }, { display_name: 'asks' });
    const ids = [
      await server.ipc.createSession(asking('choice', 'rm -rf build')),
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
        await watched.page.getByTestId('choice-about').waitFor();
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
