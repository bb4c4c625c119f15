/** T24: text that comes from an input method (Android keyboards, Asian input) is sent once. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, openWorkspace, terminalOf, untilLive } from '../kit/browser.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { type Puppet, startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;
let browser: Browser;

beforeAll(async () => {
  server = await startServer(shared);
  browser = await launchBrowser(shared);
});

async function openTerminal(): Promise<{
  page: Page;
  puppet: Puppet;
  input: CDPSession;
  id: string;
  problems: string[];
}> {
  const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
  const context = await browser.newContext();
  cleanup.defer(() => context.close());
  const { page, problems } = await openWorkspace(context, server);
  await page.locator(`.session-row[data-session-id="${id}"] button.session-main`).click();
  await untilLive(page, id);
  await terminalOf(page, id).locator('textarea').focus();
  return { page, puppet, id, problems, input: await context.newCDPSession(page) };
}

/** What was typed before the marker key arrives before it. */
async function received(page: Page, puppet: Puppet): Promise<string> {
  await page.keyboard.press('Enter');
  await puppet.until('Enter', () => puppet.received.includes('\r'));
  return puppet.received.toString('utf8').replace(/\r[\s\S]*$/, '');
}

describe('T24: composed text', () => {
  it('T24: a word composed letter by letter and then a space arrive as "test ", once', async () => {
    const { page, puppet, input, problems } = await openTerminal();
    for (const text of ['t', 'te', 'tes', 'test']) {
      await input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    }
    await input.send('Input.insertText', { text: 'test' });
    await input.send('Input.insertText', { text: ' ' });
    expect(await received(page, puppet)).toBe('test ');
    expect(problems).toEqual([]);
  });

  it('T24: two words in a row, and a composition that is given up, leave nothing behind', async () => {
    const { page, puppet, input } = await openTerminal();
    for (const word of ['one', 'two']) {
      await input.send('Input.imeSetComposition', { text: word, selectionStart: 3, selectionEnd: 3 });
      await input.send('Input.insertText', { text: word });
      await input.send('Input.insertText', { text: ' ' });
    }
    await input.send('Input.imeSetComposition', { text: 'gone', selectionStart: 4, selectionEnd: 4 });
    await input.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 });
    expect(await received(page, puppet)).toBe('one two ');
  });

  it('T24: letters of other scripts arrive whole', async () => {
    const { page, puppet, input } = await openTerminal();
    await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await input.send('Input.insertText', { text: '日本' });
    expect(await received(page, puppet)).toBe('日本');
  });

  /** Plays events on the text field as keyboards report them: each step changes the field, then tells it. */
  async function play(page: Page, id: string, steps: readonly (readonly [string, string])[]): Promise<void> {
    await terminalOf(page, id)
      .locator('textarea')
      .evaluate(async (element, script) => {
        const field = element as HTMLTextAreaElement;
        const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
        for (const [kind, data] of script) {
          const init = { data, bubbles: true, composed: true };
          if (kind === 'turn') await turn();
          else if (kind === 'key') {
            field.dispatchEvent(new KeyboardEvent('keydown', { keyCode: 229, key: 'Unidentified', bubbles: true }));
          } else if (kind === 'press') {
            const init = { key: data, code: data, keyCode: data === 'Enter' ? 13 : data.charCodeAt(0) };
            field.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }));
          } else if (kind === 'insertText' || kind === 'insertCompositionText') {
            field.value += data;
            field.dispatchEvent(new InputEvent('input', { ...init, inputType: kind }));
          } else field.dispatchEvent(new CompositionEvent(kind, init));
        }
        await turn();
      }, steps);
  }

  const letters = (kind: string, around: readonly (readonly [string, string])[]) =>
    [...'test'].flatMap((letter) => [...around, [kind, letter] as const, ['turn', ''] as const]);

  const scripts: Record<string, readonly (readonly [string, string])[]> = {
    'letters inserted, then the end of a composition that never began': [
      ...letters('insertText', []),
      ['compositionend', 'test'],
      ['turn', ''],
      ['insertText', ' '],
    ],
    'the same with key events': [
      ...letters('insertText', [['key', '']]),
      ['compositionend', 'test'],
      ['turn', ''],
      ['key', ''],
      ['insertText', ' '],
    ],
    'letters inserted inside a composition, the space in the same turn as its end': [
      ['compositionstart', ''],
      ...letters('insertText', []),
      ['compositionend', 'test'],
      ['insertText', ' '],
      ['turn', ''],
    ],
    'a composition, then a space': [
      ['compositionstart', ''],
      ['insertCompositionText', 'test'],
      ['compositionupdate', 'test'],
      ['turn', ''],
      ['compositionend', 'test'],
      ['turn', ''],
      ['insertText', ' '],
    ],
  };
  it('T24: however a keyboard reports a word and a space, "test " is sent once', async () => {
    const { page, puppet, id, problems } = await openTerminal();
    for (const [name, script] of Object.entries(scripts)) {
      puppet.forgetReads();
      await play(page, id, script);
      expect(await received(page, puppet), name).toBe('test ');
    }
    expect(problems).toEqual([]);
  });

  it('T24: keys pressed in the turn in which a composition ends follow its text', async () => {
    const { page, puppet, id, problems } = await openTerminal();
    await play(page, id, [
      ['compositionstart', ''],
      ['compositionupdate', '日本'],
      ['insertCompositionText', '日本'],
      ['compositionend', '日本'],
      ['press', 'x'],
      ['press', 'Enter'],
      ['press', 'y'],
      ['turn', ''],
    ]);
    await puppet.until('the last key', () => puppet.received.includes('y'));
    expect(puppet.received.toString('utf8')).toBe('日本x\ry');
    expect(problems).toEqual([]);
  });
});
