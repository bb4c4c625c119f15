import { describe, expect, it } from 'vitest';
import { launchBrowser, newContext, openWorkspace } from '../kit/browser.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { findAccessFaults, findCuts, findUnreachable } from '../kit/looks.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

describe('settings', () => {
  it('http.md 10: a wrong value stands at its field, a good one is saved and undone, a change from elsewhere is told', async () => {
    const server = await startServer(cleanup);
    const read = async () => (await server.ipc.ok('GET', '/config')) as { max_sessions: number; shell: string | null };
    const browser = await launchBrowser(cleanup);
    const { page, problems } = await openWorkspace(await newContext(browser, cleanup), server);
    await page.keyboard.press('Control+Shift+Comma');
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.getByRole('radio', { name: 'High contrast' }).check();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('contrast');
    const faults = [await findCuts(page), await findAccessFaults(page), await findUnreachable(page)].flat();
    expect(faults).toEqual([]);

    await dialog.getByRole('button', { name: 'Shell', exact: true }).click();
    const most = dialog.getByLabel('Most terminals at once');
    await most.fill('5000');
    await most.press('Enter');
    await dialog.getByRole('alert').waitFor();
    expect(await most.getAttribute('aria-invalid')).toBe('true');
    expect((await read()).max_sessions).toBe(50);
    await most.fill('60');
    await most.press('Enter');
    await dialog.getByTestId('settings-state').getByText('Saved').waitFor();
    expect((await read()).max_sessions).toBe(60);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await eventually('the old value', async () => (await read()).max_sessions === 50);
    await eventually('the old value in the field', async () => (await most.inputValue()) === '50');

    await server.ipc.ok('PUT', '/config', { shell: '/bin/sh' });
    await most.fill('70');
    await most.press('Enter');
    await dialog.getByTestId('settings-conflict').waitFor();
    expect(await read()).toMatchObject({ max_sessions: 50, shell: '/bin/sh' });
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await eventually('both changes', async () => {
      const { max_sessions, shell } = await read();
      return max_sessions === 70 && shell === '/bin/sh';
    });

    await dialog.getByRole('button', { name: 'Data folder' }).click();
    expect(await dialog.getByTestId('data-path').textContent()).toBe(server.configDirectory);
    // The browser itself notes the two refusals that this test is about.
    expect(problems.filter((line) => !/status of (400|412)/.test(line))).toEqual([]);
  });
});
