import { describe, expect, it } from 'vitest';
import { ServerUnreachable } from '../../src/client/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { LinkTarget } from '../terminal/terminal-links.ts';
import { copyText, describeFollow, Links } from './links.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { createWorkspaceStore } from './workspace-state.ts';

const file: LinkTarget = { kind: 'path', text: 'a.ts:3', path: '/w/a.ts', isFolder: false, line: 3, column: undefined };
const folder: LinkTarget = { ...file, text: 'src', path: '/w/src', isFolder: true, line: undefined };
const web: LinkTarget = { kind: 'web', url: 'https://example.org/' };

function setUp(answer: () => Promise<{ absolute_path: string; is_directory: boolean } | null>) {
  const done: string[] = [];
  const clock = new ManualClock();
  const links = new Links({
    client: {
      folders: {
        resolvePath: ({ candidate }) => {
          done.push(`ask ${candidate}`);
          return answer();
        },
      },
    },
    store: createWorkspaceStore(DEFAULT_PREFERENCES, 'dark'),
    clock,
    text: { copy: async (text, said) => void done.push(`copy ${text} | ${said}`) },
    createTerminal: async ({ cwd }) => done.push(`terminal ${cwd}`),
    openPage: (url) => done.push(`page ${url}`),
  });
  return { links, done, clock };
}

describe('links of terminals', () => {
  it('a page opens, a folder becomes a terminal, a file is copied with its place', () => {
    const { links, done } = setUp(async () => null);
    for (const target of [web, folder, file]) links.follow(target);
    expect(done).toEqual(['page https://example.org/', 'terminal /w/src', 'copy /w/a.ts:3 | /w/a.ts:3 is copied.']);
    expect([web, folder, file].map(describeFollow)).toEqual([
      'open the page',
      'open a terminal there',
      'copy the path',
    ]);
    expect(copyText({ ...file, column: 9 })).toBe('/w/a.ts:3:9');
  });

  it('asks once for a while, and again afterwards', async () => {
    const { links, done, clock } = setUp(async () => ({ absolute_path: '/w/a.ts', is_directory: false }));
    expect(await links.resolve('s', 'a.ts')).toEqual({ path: '/w/a.ts', isFolder: false });
    await links.resolve('s', 'a.ts');
    expect(done).toEqual(['ask a.ts']);
    await links.resolve('other', 'a.ts');
    clock.advance(DEADLINES.linkAnswer);
    await links.resolve('s', 'a.ts');
    expect(done).toEqual(['ask a.ts', 'ask a.ts', 'ask a.ts']);
  });

  it('nothing is a link while the server does not answer; a fault of the page is no silence', async () => {
    const away = setUp(() => Promise.reject(new ServerUnreachable('away')));
    expect(await away.links.resolve('s', 'a.ts')).toBeUndefined();
    const broken = setUp(() => Promise.reject(new TypeError('broken')));
    await expect(broken.links.resolve('s', 'a.ts')).rejects.toThrow('broken');
  });
});
