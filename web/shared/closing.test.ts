import { describe, expect, it } from 'vitest';
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { Closing } from './closing.ts';
import { closeSession, type Layout, openSession, singlePane } from './layout.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { createWorkspaceStore, type Notice, type SessionEntry } from './workspace-state.ts';

const entry = (id: string, lifecycle: SessionEntry['lifecycle'] = 'live'): SessionEntry => ({
  ...sessionInfo(id, { lifecycle, alias: id }),
  isClosing: false,
});

function rig(lifecycle: SessionEntry['lifecycle'] = 'live') {
  const clock = new ManualClock();
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  store.setState({ sessions: new Map(['a', 'b'].map((id) => [id, entry(id, lifecycle)])) });
  let layout: Layout = singlePane({ order: ['a', 'b'], active: 'a' });
  const ended: string[] = [];
  const notices: Omit<Notice, 'id'>[] = [];
  const told: string[] = [];
  const answers = { foreground: null as string | null, close: async (): Promise<void> => undefined };
  const closing = new Closing({
    client: {
      sessions: {
        close: async (id) => {
          ended.push(id);
          await answers.close();
        },
        foregroundProcess: async () => answers.foreground,
      },
    },
    store,
    clock,
    arrangement: {
      get layout() {
        return layout;
      },
      leave: (id) => {
        layout = closeSession(layout, id);
      },
      use: (other) => {
        layout = other;
      },
      show: (id) => {
        layout = openSession(layout, id);
      },
    },
    patch: (id, change) => {
      const sessions = new Map(store.getState().sessions);
      const known = sessions.get(id);
      if (known !== undefined) store.setState({ sessions: sessions.set(id, { ...known, ...change }) });
    },
    remove: (id) => {
      const sessions = new Map(store.getState().sessions);
      sessions.delete(id);
      store.setState({ sessions });
      closing.forget(id);
    },
    notify: (notice) => notices.push(notice),
    dismiss: () => told.push('dismissed'),
    explain: (_error, what) => told.push(what),
  });
  const isThere = (id: string) => store.getState().sessions.get(id)?.isClosing;
  return { clock, store, closing, ended, notices, told, answers, isThere, tabs: () => layout };
}

describe('issue 4: closing with a way back', () => {
  it('the program lives on for six seconds, then it is ended', async () => {
    const { clock, closing, ended, isThere } = rig();
    await closing.request('a');
    expect([ended, isThere('a')]).toEqual([[], true]);
    clock.advance(DEADLINES.closeUndo - 1);
    expect(ended).toEqual([]);
    clock.advance(1);
    await Promise.resolve();
    expect(ended).toEqual(['a']);
    await new Promise(setImmediate);
    expect(isThere('a')).toBeUndefined();
  });

  it('undo brings the tab back where it was, the last closed first, and nothing is ended', async () => {
    const { clock, closing, ended, isThere, tabs, notices } = rig();
    const before = tabs();
    await closing.close('a');
    await closing.close('b');
    expect(closing.canUndo).toBe(true);
    closing.undo();
    expect([isThere('a'), isThere('b')]).toEqual([true, false]);
    notices[0]?.actions?.[0]?.run();
    expect(isThere('a')).toBe(false);
    closing.undo();
    clock.advance(DEADLINES.closeUndo * 2);
    expect(ended).toEqual([]);
    expect(JSON.stringify(tabs())).toContain('"a"');
    expect(JSON.stringify(before)).toContain('"a"');
  });

  it('End now does not wait, and acts once', async () => {
    const { clock, closing, ended, notices, told } = rig();
    await closing.close('a');
    await closing.close('a');
    notices[0]?.actions?.[1]?.run();
    await new Promise(setImmediate);
    clock.advance(DEADLINES.closeUndo);
    expect([ended, told]).toEqual([['a'], ['dismissed']]);
  });

  it('asks when a program runs, and ends nothing before the answer', async () => {
    const { closing, store, answers, ended, isThere } = rig();
    answers.foreground = 'vim';
    await closing.request('a');
    expect(store.getState().dialog).toEqual({ kind: 'close', sessionId: 'a', process: 'vim' });
    expect([ended, isThere('a')]).toEqual([[], false]);
  });

  it('a server that does not answer, or refuses, gives the terminal back and says so', async () => {
    for (const error of [new ServerUnreachable(undefined), new RequestRefused(500, 'no')]) {
      const { closing, answers, isThere, told } = rig();
      answers.close = () => Promise.reject(error);
      await closing.close('a');
      await closing.finish('a');
      expect([isThere('a'), told]).toEqual([false, ['dismissed', 'a could not be closed']]);
    }
  });

  it('what is gone already is gone, and what has ended needs no hold', async () => {
    const missing = rig();
    missing.answers.close = () => Promise.reject(new RequestRefused(404, 'Session not found'));
    await missing.closing.close('a');
    await missing.closing.finish('a');
    expect([missing.isThere('a'), missing.told]).toEqual([undefined, ['dismissed']]);
    const ended = rig('exited');
    await ended.closing.close('a');
    expect([ended.isThere('a'), ended.ended]).toEqual([undefined, []]);
  });

  it('an end from elsewhere, and the end of the page, end the hold without a request', async () => {
    const { clock, closing, ended } = rig();
    await closing.close('a');
    closing.forget('a');
    await closing.close('b');
    closing.dispose();
    clock.advance(DEADLINES.closeUndo);
    expect(ended).toEqual([]);
  });
});
