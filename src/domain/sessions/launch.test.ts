import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/index.ts';
import { checkSize, expandPath, prepareLaunch } from './launch.ts';

const defaults = { home: '/home/me', shell: '/bin/zsh', platform: 'linux' };

function code(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'none';
}

describe('prepareLaunch', () => {
  it('fills in the defaults', () => {
    expect(prepareLaunch({}, defaults)).toEqual({
      rows: 24,
      cols: 80,
      file: '/bin/zsh',
      args: [],
      cwd: '/home/me',
      id: undefined,
      identity: undefined,
      environment: {},
    });
    expect(prepareLaunch({}, { ...defaults, platform: 'darwin' }).args).toEqual(['-l']);
    expect(prepareLaunch({}, { ...defaults, shell: undefined }).file).toBe('/bin/bash');
    expect(prepareLaunch({ shell: null, cwd: null, tuic_session: null, session_id: '' }, defaults)).toMatchObject({
      file: '/bin/zsh',
      id: undefined,
    });
  });

  it('passes program and arguments as they are, with only ~ expanded', () => {
    const launch = prepareLaunch({ shell: '~/bin/tool', args: ['$HOME', '~', 'a b', ''], cwd: '~' }, defaults);
    expect(launch).toMatchObject({ file: '/home/me/bin/tool', args: ['$HOME', '~', 'a b', ''], cwd: '/home/me' });
    expect(prepareLaunch({ shell: 'htop' }, { ...defaults, platform: 'darwin' }).args).toEqual([]);
  });

  it('names the dimension that is out of range, with the value', () => {
    for (const [rows, cols, name, value] of [
      [0, 80, 'rows', 0],
      [501, 80, 'rows', 501],
      [24, -1, 'cols', -1],
      [24, 1.5, 'cols', 1.5],
    ] as const) {
      expect(() => checkSize(rows, cols)).toThrow(`${name} must be between 1 and 500, got ${value}`);
    }
    checkSize(1, 500);
  });

  it('refuses ids, identities, paths and variables of a wrong shape', () => {
    expect(code(() => prepareLaunch({ session_id: 'a b' }, defaults))).toBe('invalid_session_id');
    expect(code(() => prepareLaunch({ session_id: 'x'.repeat(65) }, defaults))).toBe('invalid_session_id');
    expect(code(() => prepareLaunch({ tuic_session: '../../etc' }, defaults))).toBe('invalid_identity');
    expect(code(() => prepareLaunch({ tuic_session: 'A0000000-0000-4000-8000-000000000000' }, defaults))).toBe(
      'invalid_identity',
    );
    expect(code(() => prepareLaunch({ env: { 'A=B': '1' } }, defaults))).toBe('invalid_input');
    expect(code(() => prepareLaunch({ env: { A: 'x\0y' } }, defaults))).toBe('invalid_input');
    expect(code(() => prepareLaunch({ shell: 'a\0b' }, defaults))).toBe('invalid_input');
    expect(code(() => prepareLaunch({ args: ['\0'] }, defaults))).toBe('invalid_input');
    expect(code(() => prepareLaunch({ shell: '~root/x' }, defaults))).toBe('path_user_home');
  });
});

describe('expandPath', () => {
  it('expands the own home only, and refuses the rest', () => {
    expect(expandPath('~/a', '/home/me')).toBe('/home/me/a');
    expect(expandPath('~/a', '/')).toBe('/a');
    expect(expandPath('/a~b', '/home/me')).toBe('/a~b');
    expect(expandPath('C:\\x', '/home/me')).toBe('C:\\x');
    expect(code(() => expandPath('', '/'))).toBe('path_required');
    expect(code(() => expandPath('~bob/x', '/'))).toBe('path_user_home');
    expect(code(() => expandPath('/a/..', '/'))).toBe('path_traversal');
    expect(code(() => expandPath('/a\0', '/'))).toBe('path_traversal');
    expect(code(() => expandPath('a/b', '/'))).toBe('path_not_absolute');
  });
});
