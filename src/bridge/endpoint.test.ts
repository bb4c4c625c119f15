import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSocketPaths } from './endpoint.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'bridge-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const find = (env: Record<string, string>, platform = 'linux') => findSocketPaths({ env, platform, home });

describe('BRG-2: where the server is looked for', () => {
  it('TUIC_SOCKET names the one', async () => {
    expect(await find({ TUIC_SOCKET: '/run/x.sock', TUIC_INSTANCE: 'work' })).toEqual(['/run/x.sock']);
  });

  it('an instance or a directory that is named is the only one', async () => {
    const work = join(home, '.config/tuicommander-work');
    await mkdir(work, { recursive: true });
    await writeFile(join(work, 'mcp.sock.path'), '/tmp/tuic-7/0a1b2c3d.sock\n');
    expect(await find({ TUIC_INSTANCE: 'work' })).toEqual([join(work, 'mcp.sock'), '/tmp/tuic-7/0a1b2c3d.sock']);
    expect(await find({ TUIC_CONFIG_DIR: '/elsewhere' })).toEqual(['/elsewhere/mcp.sock']);
  });

  it('with neither, the default instance comes before the named ones', async () => {
    for (const name of ['tuicommander-b', 'tuicommander-a', 'other']) {
      await mkdir(join(home, '.config', name), { recursive: true });
    }
    const expected = ['tuicommander', 'tuicommander-a', 'tuicommander-b'].map((name) =>
      join(home, '.config', name, 'mcp.sock'),
    );
    expect(await find({})).toEqual(expected);
  });

  it('on Windows without a pointer it is the pipe', async () => {
    expect(await find({}, 'win32')).toEqual(['\\\\.\\pipe\\tuicommander-mcp']);
  });
});
