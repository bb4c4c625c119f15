import { describe, expect, it } from 'vitest';
import { singlePane, splitPane } from './layout.ts';
import {
  createMemory,
  DEFAULT_PREFERENCES,
  type Memory,
  readLayout,
  readPreferences,
  writeLayout,
  writePreferences,
} from './preferences.ts';

function createFakeMemory(): Memory & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return { texts, read: (key) => texts.get(key), write: (key, text) => void texts.set(key, text) };
}

describe('what a browser remembers', () => {
  it('comes back as it was written', () => {
    const memory = createFakeMemory();
    const preferences = {
      theme: 'contrast',
      terminalTheme: 'moss',
      fontFamily: 'Some Mono',
      cursorStyle: 'bar',
      cursorBlink: false,
      fontSize: 17,
      renderer: 'dom',
      screenReader: true,
      sidebarOpen: false,
      confirmPaste: false,
      browserNotices: true,
    } as const;
    writePreferences(memory, preferences);
    const layout = splitPane(singlePane({ order: ['b', 'a'], active: 'a' }), 'a', 'p1', 'down');
    writeLayout(memory, layout);
    expect(readPreferences(memory)).toEqual(preferences);
    expect(readLayout(memory)).toEqual(layout);
  });

  it('falls back where something else is stored', () => {
    const memory = createFakeMemory();
    expect(readLayout(memory)).toBeUndefined();
    memory.texts.set(
      'tuicommander.preferences',
      '{"theme":"pink","fontSize":9000,"renderer":1,"terminalTheme":"toString","cursorStyle":7}',
    );
    memory.texts.set(
      'tuicommander.layout',
      '{"root":{"kind":"pane","id":"p1","tabs":{"order":["a",1,"a"],"active":4}}}',
    );
    expect(readPreferences(memory)).toEqual({ ...DEFAULT_PREFERENCES, fontSize: 28 });
    expect(readLayout(memory)).toEqual(singlePane({ order: ['a'], active: 'a' }));
    memory.texts.set('tuicommander.preferences', '[broken');
    memory.texts.set('tuicommander.layout', 'null');
    expect(readPreferences(memory)).toEqual(DEFAULT_PREFERENCES);
    expect(readLayout(memory)).toBeUndefined();
  });

  it('a font name that is stored cannot leave its quotes', () => {
    const memory = createFakeMemory();
    memory.texts.set('tuicommander.preferences', JSON.stringify({ fontFamily: ' a"; url(x) \\ b' }));
    expect(readPreferences(memory).fontFamily).toBe('a urlx  b');
  });

  it('does without storage that is blocked', () => {
    const blocked = createMemory(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    expect(blocked.read('x')).toBeUndefined();
    blocked.write('x', 'y');
  });
});
