/** The phone page in a real browser, against a real server: one way through it. The rest is in test/long. */
import { expect, it } from 'vitest';
import { launchBrowser } from '../kit/browser.ts';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { logText, openPhone, untilLog } from '../kit/phone.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

it('D9: /mobile lists the sessions, shows one live and types into it', async () => {
  const server = await startServer(cleanup);
  const { session_id } = await server.ipc.createSession({ ...BASH, display_name: '<b>shell' });
  const browser = await launchBrowser(cleanup);
  const { page, problems } = await openPhone(browser, cleanup, server);
  expect(new URL(page.url()).pathname, 'a phone is led from the login link to its page').toBe('/mobile');
  const row = page.locator(`.row[data-session-id="${session_id}"]`);
  expect(await row.locator('.row-name').textContent()).toBe('<b>shell');
  await row.locator('.row-main').click();
  await untilLog(page, 'the prompt', (text) => text.includes('ready>'));
  await page.getByLabel('Text to send').fill('echo $((40+2))-sum');
  await page.getByLabel('Text to send').press('Enter');
  await untilLog(page, 'what the shell prints', (text) => text.split('\n').includes('42-sum'));
  expect(await logText(page)).not.toContain('<');
  expect(problems).toEqual([]);
});
