import { describe, expect, it } from 'vitest';
import { resolveConfigDirectory, resolveInstance } from './config-directory.ts';

const resolve = (env: Record<string, string>, platform = 'linux') =>
  resolveConfigDirectory({ env, platform, home: '/home/user' });

describe('configuration directory', () => {
  it('is TUIC_CONFIG_DIR when that is set', () => {
    expect(resolve({ TUIC_CONFIG_DIR: '/data/tuic', XDG_CONFIG_HOME: '/xdg' })).toBe('/data/tuic');
    expect(resolve({ TUIC_CONFIG_DIR: '' })).toBe('/home/user/.config/tuicommander');
  });

  it('is one of its own for a named instance, and TUIC_CONFIG_DIR replaces it as a whole', () => {
    expect(resolve({ TUIC_INSTANCE: 'work-2' })).toBe('/home/user/.config/tuicommander-work-2');
    expect(resolve({ TUIC_INSTANCE: 'x', XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/tuicommander-x');
    expect(resolve({ TUIC_INSTANCE: 'x' }, 'darwin')).toBe('/home/user/Library/Application Support/tuicommander-x');
    expect(resolve({ TUIC_INSTANCE: 'x', APPDATA: 'C:\\Roaming' }, 'win32')).toBe('C:\\Roaming\\tuicommander-x');
    expect(resolve({ TUIC_INSTANCE: 'x', TUIC_CONFIG_DIR: '/data' })).toBe('/data');
    expect(resolve({ TUIC_INSTANCE: '' })).toBe('/home/user/.config/tuicommander');
  });

  it('refuses a name that is none, and names the setting', () => {
    expect(resolveInstance({ TUIC_INSTANCE: 'a'.repeat(32) })).toBe('a'.repeat(32));
    for (const name of ['Work', '-x', '../x', 'a b', 'a/b', 'ü', 'a'.repeat(33), '.', '\0']) {
      expect(() => resolve({ TUIC_INSTANCE: name })).toThrow(/TUIC_INSTANCE/);
      expect(() => resolve({ TUIC_INSTANCE: name, TUIC_CONFIG_DIR: '/data' })).toThrow(/TUIC_INSTANCE/);
    }
  });

  it('is the usual place of the platform otherwise', () => {
    expect(resolve({})).toBe('/home/user/.config/tuicommander');
    expect(resolve({ XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/tuicommander');
    expect(resolve({ XDG_CONFIG_HOME: 'relative' })).toBe('/home/user/.config/tuicommander');
    expect(resolve({}, 'darwin')).toBe('/home/user/Library/Application Support/tuicommander');
    expect(resolve({ APPDATA: 'C:\\Roaming' }, 'win32')).toBe('C:\\Roaming\\tuicommander');
  });
});
