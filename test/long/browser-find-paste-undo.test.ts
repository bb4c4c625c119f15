import { expect, it } from 'vitest';
import {
  launchBrowser,
  newContext,
  openWorkspace,
  pasteInto,
  terminalOf,
  untilLive,
  untilRows,
} from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

it('DESIGN 9: find counts and goes on, several lines are asked about before they run, a close is undone', async () => {
  const server = await startServer(cleanup);
  const { session_id: id } = await server.ipc.createSession(BASH);
  const browser = await launchBrowser(cleanup);
  const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
  await untilLive(page, id);
  await terminalOf(page, id).locator('textarea').focus();
  await page.keyboard.type('for n in 1 2 3; do echo "row-$n"; done\n');
  await untilRows(page, id, 'the rows', (rows) => rows.includes('row-3'));

  await page.keyboard.press('Control+Shift+KeyF');
  const find = page.getByTestId('find');
  await find.getByRole('textbox').fill('row-\\d');
  await find.getByText('No matches').waitFor();
  await page.keyboard.press('Alt+KeyR');
  await find.getByText('3 of 3').waitFor();
  await page.keyboard.press('Enter');
  await find.getByText('2 of 3').waitFor();
  await page.keyboard.press('Escape');

  // It takes no pastes as such, unlike the shell, and would run each line.
  await page.keyboard.type('cat\n');
  await untilRows(page, id, 'the program', (rows) => rows.at(-1)?.endsWith('cat') === true);
  await pasteInto(page, id, 'echo one\necho t\u001bwo\n');
  const dialog = page.getByRole('dialog', { name: /^Paste/ });
  await dialog.getByText('Control characters are left out: 1.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.type('only this\n');
  const rows = await untilRows(page, id, 'what was typed', (found) => found.includes('only this'));
  expect(rows.join()).not.toContain('echo one');

  await page.keyboard.press('Control+KeyC');
  await untilRows(page, id, 'the prompt', (found) => found.at(-1) === 'ready>');
  await page.keyboard.press('Control+Shift+KeyX');
  await page.locator(`.tab[data-session-id="${id}"]`).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Shift+KeyZ');
  await untilLive(page, id);
  expect(await server.ipc.listSessions()).toHaveLength(1);
  expect(problems).toEqual([]);
});
