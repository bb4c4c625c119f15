import { describe, expect, it } from 'vitest';
import { resolveConfigDirectory } from './config-directory.ts';

const resolve = (env: Record<string, string>, platform = 'linux') =>
  resolveConfigDirectory({ env, platform, home: '/home/user' });

describe('configuration directory', () => {
  it('is TUIC_CONFIG_DIR when that is set', () => {
    expect(resolve({ TUIC_CONFIG_DIR: '/data/tuic', XDG_CONFIG_HOME: '/xdg' })).toBe('/data/tuic');
    expect(resolve({ TUIC_CONFIG_DIR: '' })).toBe('/home/user/.config/tuicommander');
  });

  it('is the usual place of the platform otherwise', () => {
    expect(resolve({})).toBe('/home/user/.config/tuicommander');
    expect(resolve({ XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/tuicommander');
    expect(resolve({ XDG_CONFIG_HOME: 'relative' })).toBe('/home/user/.config/tuicommander');
    expect(resolve({}, 'darwin')).toBe('/home/user/Library/Application Support/tuicommander');
    expect(resolve({ APPDATA: 'C:\\Roaming' }, 'win32')).toBe('C:\\Roaming\\tuicommander');
  });
});
