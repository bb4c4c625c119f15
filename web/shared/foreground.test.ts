import { afterEach, describe, expect, it } from 'vitest';
import { ServerUnreachable } from '../../src/client/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { ForegroundWatch } from './foreground.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { createWorkspaceStore, type SessionEntry } from './workspace-state.ts';

const watches: ForegroundWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.dispose();
});

const entry = (id: string, change: Partial<SessionEntry> = {}): SessionEntry => ({
  ...sessionInfo(id),
  isClosing: false,
  ...change,
});

const state = (shell_state: 'busy' | 'idle', last_activity_ms = 0) => ({
  awaiting_input: false,
  rate_limited: false,
  shell_state,
  last_activity_ms,
});

function rig() {
  const clock = new ManualClock();
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const asked: string[] = [];
  const world = { isSeen: true, answer: async (_: string): Promise<string | null> => null };
  const watch = new ForegroundWatch({
    client: {
      sessions: {
        foregroundProcess: (id) => {
          asked.push(id);
          return world.answer(id);
        },
      },
    },
    store,
    clock,
    isListSeen: () => world.isSeen,
  });
  watches.push(watch);
  const put = (...entries: SessionEntry[]) =>
    store.setState({ sessions: new Map(entries.map((one) => [one.session_id, one])) });
  /** Lets time pass, and answers come. */
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  const settle = () => pass(DEADLINES.foregroundSettle + DEADLINES.foregroundAgain);
  return { store, asked, world, watch, put, pass, settle, program: (id: string) => store.getState().programs.get(id) };
}

describe('DESIGN 9: what runs in front, in the list of sessions', () => {
  it('is asked when a session comes, once more for late starters, and never while nothing changes', async () => {
    const { asked, world, put, pass, settle, program } = rig();
    put(entry('a', { state: state('busy') }));
    expect(asked).toEqual([]);
    await pass(DEADLINES.foregroundSettle);
    expect([asked, program('a')]).toEqual([['a'], null]);
    world.answer = async () => 'vim';
    await pass(DEADLINES.foregroundAgain);
    expect([asked, program('a')]).toEqual([['a', 'a'], 'vim']);
    await settle();
    await settle();
    put(entry('a', { state: state('busy', 99) }));
    await settle();
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['its state', { state: state('busy') }],
    ['its title', { state: state('idle'), title: 'htop' }],
  ])('is asked again when %s changes', async (_, change) => {
    const { asked, put, settle } = rig();
    put(entry('a', { state: state('idle') }));
    await settle();
    asked.length = 0;
    put(entry('a', change));
    await settle();
    expect(asked).toEqual(['a', 'a']);
  });

  it('many changes in a moment are one question', async () => {
    const { asked, put, pass } = rig();
    for (let index = 0; index < 20; index++) {
      put(entry('a', { title: `frame ${index}` }));
      await pass(10);
    }
    expect(asked).toEqual([]);
    await pass(DEADLINES.foregroundSettle);
    expect(asked).toEqual(['a']);
  });

  it('asks nothing while nobody sees the list, and what was left out when somebody does', async () => {
    const { asked, world, watch, put, settle, pass } = rig();
    world.isSeen = false;
    put(entry('a'), entry('b'));
    await settle();
    expect(asked).toEqual([]);
    world.isSeen = true;
    watch.look();
    await pass(0);
    expect(asked).toEqual(['a', 'b']);
  });

  it('a session that has ended is neither asked about nor remembered', async () => {
    const { asked, world, store, put, pass, settle, program } = rig();
    world.answer = async () => 'make';
    put(entry('a'));
    await settle();
    expect(program('a')).toBe('make');
    asked.length = 0;
    put(entry('a', { title: 'soon gone' }));
    put(entry('a', { lifecycle: 'exited' }));
    await settle();
    expect(asked).toEqual([]);
    expect(store.getState().programs.has('a')).toBe(false);
    let answer: (program: string) => void = () => undefined;
    world.answer = () => new Promise((resolve) => (answer = resolve));
    put(entry('b'));
    await pass(DEADLINES.foregroundSettle);
    put();
    answer('late');
    await pass(0);
    expect(store.getState().programs.has('b')).toBe(false);
  });

  it('without an answer what is shown stays, and the next change asks again', async () => {
    const { asked, world, put, settle, program } = rig();
    world.answer = async () => 'less';
    put(entry('a'));
    await settle();
    world.answer = () => Promise.reject(new ServerUnreachable(new Error('gone')));
    put(entry('a', { title: 'one' }));
    await settle();
    expect(program('a')).toBe('less');
    asked.length = 0;
    world.answer = async () => null;
    put(entry('a', { title: 'two' }));
    await settle();
    expect([asked.length, program('a')]).toEqual([2, null]);
  });
});
