import { describe, expect, it } from 'vitest';
import { encodeKey, KEY_NAMES } from './keys.ts';

describe('keys by name', () => {
  it('sends what a terminal sends', () => {
    const cases: Record<string, string> = {
      enter: '\r',
      esc: '\x1b',
      a: 'a',
      漢: '漢',
      'ctrl-c': '\x03',
      'Ctrl+]': '\x1d',
      'ctrl-space': '\0',
      'alt-x': '\x1bx',
      'alt-enter': '\x1b\r',
      'shift-a': 'A',
      'shift-tab': '\x1b[Z',
      up: '\x1b[A',
      'ctrl-right': '\x1b[1;5C',
      'ctrl-shift-alt-up': '\x1b[1;8A',
      f1: '\x1bOP',
      'shift-f1': '\x1b[1;2P',
      f12: '\x1b[24~',
      'ctrl-delete': '\x1b[3;5~',
      comma: ',',
      '-': '-',
      'alt--': '\x1b-',
    };
    for (const [name, bytes] of Object.entries(cases)) expect(encodeKey(name), name).toBe(bytes);
    for (const name of KEY_NAMES) expect(encodeKey(name), name).not.toBe(undefined);
  });

  it('refuses what is no key', () => {
    for (const name of ['', 'nothing', 'ctrl-', 'ctrl-enter-up', 'ctrl-ä', 'f13', 'constructor']) {
      expect(encodeKey(name), name).toBe(undefined);
    }
  });
});
