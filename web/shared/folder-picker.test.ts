import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../../src/client/index.ts';
import type { FolderList, FolderQuery } from '../../src/contract/index.ts';
import { FolderPicker, filterPlaces, isPath, joinPath, splitPath } from './folder-picker.ts';

interface Question {
  query: FolderQuery;
  signal: AbortSignal | undefined;
  answer(found: Partial<FolderList>): void;
  refuse(error: Error): void;
}

function setUp(places: readonly string[] = ['/home/me/shop', '/srv/data', '/home/me']) {
  const asked: Question[] = [];
  const picker = new FolderPicker(
    (query, signal) =>
      new Promise((resolve, reject) => {
        asked.push({
          query,
          signal,
          answer: (found) => resolve({ path: '/', parent: null, directories: [], truncated: false, ...found }),
          refuse: reject,
        });
      }),
    places,
  );
  const last = () => asked.at(-1) as Question;
  const type = async (text: string, found: Partial<FolderList>) => {
    const done = picker.setText(text);
    last().answer(found);
    await done;
  };
  return { picker, asked, last, type, state: () => picker.store.getState() };
}

describe('DESIGN 9: the choice of a folder', () => {
  it('begins with the recent places, the first of them chosen', () => {
    const { picker, state } = setUp();
    expect(state().items.map(({ path }) => path)).toEqual(['/home/me/shop', '/srv/data', '/home/me']);
    expect(picker.path).toBe('/home/me/shop');
  });

  it('what is no path filters the places and asks the server nothing', async () => {
    const { picker, asked, state } = setUp();
    await picker.setText('dat');
    expect(picker.path).toBe('/srv/data');
    await picker.setText('nowhere-like-that');
    expect(state()).toMatchObject({ items: [], chosen: -1, problem: expect.stringContaining('/ or ~') });
    expect(asked).toEqual([]);
  });

  it('a path lists the folder it ends in, with the way up; the text itself is what Enter takes', async () => {
    const { picker, type, last, state } = setUp();
    await type('/usr/', { path: '/usr', parent: '/', directories: ['bin', 'share'] });
    expect(last().query).toEqual({ path: '/usr/', prefix: '' });
    expect(state().items).toEqual([
      { kind: 'parent', path: '/' },
      { kind: 'folder', path: '/usr/bin' },
      { kind: 'folder', path: '/usr/share' },
    ]);
    expect(picker.path).toBe('/usr/');
  });

  it('the beginning of a name chooses the first folder of that kind; the whole name that folder', async () => {
    const { picker, type, last } = setUp();
    await type('~/wo', { path: '/home/me', parent: '/home', directories: ['woods', 'work'] });
    expect(last().query).toEqual({ path: '~/', prefix: 'wo' });
    expect(picker.path).toBe('/home/me/woods');
    await type('~/work', { path: '/home/me', parent: '/home', directories: ['work', 'workshop'] });
    expect(picker.path).toBe('/home/me/work');
    await type('~/none', { path: '/home/me', parent: '/home', directories: [] });
    expect(picker.path).toBe('~/none');
  });

  it('goes into what is chosen, and back up', async () => {
    const { picker, type, last, state } = setUp();
    await type('/us', { path: '/', directories: ['usr'] });
    const inside = picker.enter();
    expect(state().text).toBe('/usr/');
    last().answer({ path: '/usr', parent: '/', directories: ['bin'] });
    await inside;
    const up = picker.enter(0);
    expect(state().text).toBe('/');
    last().answer({ path: '/', directories: ['usr'] });
    await up;
    expect(state().items).toEqual([{ kind: 'folder', path: '/usr' }]);
  });

  it('an answer that belongs to an older text is given up and never shown', async () => {
    const { picker, asked, state } = setUp();
    const first = picker.setText('/a');
    const second = picker.setText('/ab');
    expect(asked[0]?.signal?.aborted).toBe(true);
    asked[1]?.answer({ path: '/', directories: ['abc'] });
    await second;
    asked[0]?.answer({ path: '/', directories: ['a-late-one'] });
    await first;
    expect(state().items).toEqual([{ kind: 'folder', path: '/abc' }]);
    expect(state().isReading).toBe(false);
  });

  it('going back to the places gives up the answer that is under way', async () => {
    const { picker, last, state } = setUp();
    const asked = picker.setText('/');
    await picker.setText('');
    last().refuse(new DOMException('given up', 'AbortError'));
    await asked;
    expect(state()).toMatchObject({ folder: undefined, isReading: false, problem: undefined, chosen: 0 });
  });

  it('a refusal is told in the words of the server and keeps what was typed', async () => {
    const { picker, last, state } = setUp();
    const asked = picker.setText('/locked/');
    last().refuse(new RequestRefused(400, 'The folder /locked cannot be read: no permission'));
    await asked;
    expect(state()).toMatchObject({
      text: '/locked/',
      items: [],
      problem: 'The folder /locked cannot be read: no permission',
    });
    expect(picker.path).toBe('/locked/');
  });

  it('walks no further than the list; above it stands a typed path, but no empty text', async () => {
    const { picker, type, state } = setUp();
    picker.move(-1);
    expect(state().chosen).toBe(0);
    picker.move(9);
    expect(state().chosen).toBe(2);
    await type('/usr/', { path: '/usr', parent: '/', directories: ['bin'] });
    picker.move(1);
    expect(picker.path).toBe('/');
    picker.move(-1);
    expect(picker.path).toBe('/usr/');
  });

  it('places that become known later join the list, but do not disturb a path', async () => {
    const { picker, type, state } = setUp([]);
    expect(picker.path).toBe('');
    picker.setPlaces(['/home/me']);
    expect(picker.path).toBe('/home/me');
    await type('/usr/', { path: '/usr', parent: '/', directories: ['bin'] });
    picker.setPlaces(['/home/me', '/srv']);
    expect(state().folder).toBe('/usr');
  });
});

describe('parts of a path', () => {
  it.each([
    ['~', '~', ''],
    ['~/wo', '~/', 'wo'],
    ['/', '/', ''],
    ['/usr/sh', '/usr/', 'sh'],
    ['C:\\Us', 'C:\\', 'Us'],
  ])('%s', (text, folder, prefix) => {
    expect(isPath(text)).toBe(true);
    expect(splitPath(text)).toEqual({ folder, prefix });
  });

  it('joins with one separator, that of the path', () => {
    expect([joinPath('/', 'usr'), joinPath('/usr', 'bin'), joinPath('C:\\Users', 'me')]).toEqual([
      '/usr',
      '/usr/bin',
      'C:\\Users\\me',
    ]);
    expect(isPath('shop')).toBe(false);
    expect(filterPlaces(['/a/shop', '/b'], '')).toEqual(['/a/shop', '/b']);
  });
});
