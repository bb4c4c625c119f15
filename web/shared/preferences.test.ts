import { describe, expect, it } from 'vitest';
import {
  createMemory,
  DEFAULT_PREFERENCES,
  type Memory,
  readPreferences,
  readTabs,
  writePreferences,
  writeTabs,
} from './preferences.ts';

function createFakeMemory(): Memory & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return { texts, read: (key) => texts.get(key), write: (key, text) => void texts.set(key, text) };
}

describe('what a browser remembers', () => {
  it('comes back as it was written', () => {
    const memory = createFakeMemory();
    const preferences = {
      theme: 'light',
      fontSize: 17,
      renderer: 'dom',
      screenReader: true,
      sidebarOpen: false,
    } as const;
    writePreferences(memory, preferences);
    writeTabs(memory, { tabs: ['b', 'a'], active: 'a' });
    expect(readPreferences(memory)).toEqual(preferences);
    expect(readTabs(memory)).toEqual({ tabs: ['b', 'a'], active: 'a' });
  });

  it('falls back where something else is stored', () => {
    const memory = createFakeMemory();
    expect(readTabs(memory)).toBeUndefined();
    memory.texts.set('tuicommander.preferences', '{"theme":"pink","fontSize":9000,"renderer":1}');
    memory.texts.set('tuicommander.tabs', '{"tabs":["a",1,"a"],"active":4}');
    expect(readPreferences(memory)).toEqual({ ...DEFAULT_PREFERENCES, fontSize: 28 });
    expect(readTabs(memory)).toEqual({ tabs: ['a'], active: undefined });
    memory.texts.set('tuicommander.preferences', '[broken');
    memory.texts.set('tuicommander.tabs', 'null');
    expect(readPreferences(memory)).toEqual(DEFAULT_PREFERENCES);
    expect(readTabs(memory)).toBeUndefined();
  });

  it('does without storage that is blocked', () => {
    const blocked = createMemory(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    expect(blocked.read('x')).toBeUndefined();
    blocked.write('x', 'y');
  });
});
