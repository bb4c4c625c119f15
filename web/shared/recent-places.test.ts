import { describe, expect, it } from 'vitest';
import type { Memory } from './preferences.ts';
import { forgetPlace, readLaunch, rememberAgent, rememberPlace, rememberShell } from './recent-places.ts';

function fakeMemory(): Memory & { text: Map<string, string> } {
  const text = new Map<string, string>();
  return { text, read: (key) => text.get(key), write: (key, value) => void text.set(key, value) };
}

describe('DESIGN 9: what a browser remembers of new terminals', () => {
  it('keeps the newest place first, each once, and not without end', () => {
    const memory = fakeMemory();
    for (let index = 0; index < 30; index++) rememberPlace(memory, `/folder/${index}`);
    rememberPlace(memory, '/folder/25');
    const { places } = readLaunch(memory);
    expect(places).toHaveLength(12);
    expect(places.slice(0, 3)).toEqual(['/folder/25', '/folder/29', '/folder/28']);
    forgetPlace(memory, '/folder/29');
    expect(readLaunch(memory).places.slice(0, 2)).toEqual(['/folder/25', '/folder/28']);
  });

  it('shell and agent are kept beside the places; a place that is not absolute is not kept', () => {
    const memory = fakeMemory();
    rememberPlace(memory, '/one');
    rememberShell(memory, '/bin/zsh');
    rememberAgent(memory, 'codex');
    rememberPlace(memory, '/two/');
    rememberPlace(memory, '~/three');
    expect(readLaunch(memory)).toEqual({ places: ['/two', '/one'], shell: '/bin/zsh', agent: 'codex' });
  });

  it.each([
    ['no JSON', '{'],
    ['another type', '[1, 2]'],
    ['values of other types', JSON.stringify({ places: [1, null, '', 'x'.repeat(5_000)], shell: { a: 1 } })],
  ])('a stored text that is %s is as nothing', (_, stored) => {
    const memory = fakeMemory();
    memory.write('tuicommander.launch', stored);
    expect(readLaunch(memory)).toEqual({ places: [], shell: '', agent: '' });
  });
});
