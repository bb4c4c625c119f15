import { describe, expect, it } from 'vitest';
import { resolveConfigDirectory } from './locations.ts';

const resolve = (env: Record<string, string>, platform = 'linux') =>
  resolveConfigDirectory({ env, platform, home: '/home/user' });

describe('configuration directory', () => {
  it('is TUIC_CONFIG_DIR when that is set', () => {
    expect(resolve({ TUIC_CONFIG_DIR: '/data/tuic', XDG_CONFIG_HOME: '/xdg', TUIC_INSTANCE: 'second' })).toBe(
      '/data/tuic',
    );
    expect(resolve({ TUIC_CONFIG_DIR: '' })).toBe('/home/user/.config/tuicommander');
  });

  it('is the usual place of the platform otherwise', () => {
    expect(resolve({})).toBe('/home/user/.config/tuicommander');
    expect(resolve({ XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/tuicommander');
    expect(resolve({ XDG_CONFIG_HOME: 'relative' })).toBe('/home/user/.config/tuicommander');
    expect(resolve({}, 'darwin')).toBe('/home/user/Library/Application Support/tuicommander');
    expect(resolve({ APPDATA: 'C:/Roaming' }, 'win32')).toBe('C:/Roaming/tuicommander');
  });

  it('carries the name of the instance, which is checked', () => {
    expect(resolve({ TUIC_INSTANCE: 'second-one' })).toBe('/home/user/.config/tuicommander-second-one');
    for (const bad of ['-a', 'A', 'a/b', '..', 'a'.repeat(33)])
      expect(() => resolve({ TUIC_INSTANCE: bad })).toThrow('TUIC_INSTANCE');
  });
});
