import { describe, expect, it } from 'vitest';
import { type Client, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import type { CloseReason, SessionInfo } from '../../src/contract/index.ts';
import { ManualClock, settle } from '../../test/kit/manual-clock.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { SessionList } from './session-list.ts';
import { createWorkspaceStore, listedSessions } from './workspace-state.ts';

const session = (id: string, change: Partial<SessionInfo> = {}) =>
  sessionInfo(id, { created_at: id.charCodeAt(0), ...change });

function create() {
  const questions: { answer(list: SessionInfo[]): void; fail(error: Error): void }[] = [];
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const removed: [string, CloseReason][] = [];
  const refusals: number[] = [];
  let loads = 0;
  const client = {
    sessions: {
      list: () =>
        new Promise<SessionInfo[]>((resolve, reject) => {
          questions.push({ answer: resolve, fail: reject });
        }),
    },
  } as unknown as Client;
  const clock = new ManualClock();
  const list = new SessionList(client, store, clock, {
    loaded: () => loads++,
    removed: (one, reason) => removed.push([one.session_id, reason]),
    refused: (error) => refusals.push(error.status),
  });
  const answer = async (sessions: SessionInfo[]) => {
    questions.shift()?.answer(sessions);
    await settle();
  };
  const known = () => [...store.getState().sessions.values()].map((one) => [one.session_id, one.lifecycle]);
  return { clock, list, store, questions, removed, refusals, answer, known, loads: () => loads };
}

const closed = (id: string, reason: CloseReason) =>
  ({ name: 'session-closed', data: { session_id: id, reason } }) as const;

describe('session list', () => {
  it('reads again when something happens while it reads, and only then', async () => {
    const { list, questions, answer, known, loads } = create();
    const done = list.refresh();
    list.onEvent({ name: 'session-title', data: { session_id: 'b', title: 'new' } });
    await answer([session('a')]);
    expect(questions).toHaveLength(1);
    expect(loads()).toBe(0);
    await answer([session('a'), session('b', { title: 'new' })]);
    await done;
    expect(questions).toHaveLength(0);
    expect(loads()).toBe(1);
    expect(known()).toEqual([
      ['a', 'live'],
      ['b', 'live'],
    ]);
  });

  it('resolves a refresh asked for while one runs only with a newer list', async () => {
    const { list, answer, known } = create();
    void list.refresh();
    let isDone = false;
    const second = list.refresh().then(() => {
      isDone = true;
    });
    await answer([]);
    expect(isDone).toBe(false);
    await answer([session('a')]);
    await second;
    expect(known()).toEqual([['a', 'live']]);
  });

  it('does not bring an ended session back to life by an older answer', async () => {
    const { list, answer, known, store } = create();
    void list.refresh();
    await answer([session('a')]);
    store.setState({ tabs: { order: ['a'], active: 'a' } });
    void list.refresh();
    list.end('a', 'process_exit', 3);
    await answer([session('a')]);
    await answer([session('a')]);
    expect(known()).toEqual([['a', 'exited']]);
    expect(store.getState().sessions.get('a')?.exit_code).toBe(3);
  });

  it('takes what was closed away and says so; a lost one stays without an exit code', async () => {
    const { list, answer, known, removed, store } = create();
    void list.refresh();
    await answer([session('a'), session('b'), session('c')]);
    list.onEvent(closed('a', 'explicit_close'));
    list.onEvent(closed('b', 'killed'));
    list.onEvent(closed('c', 'host_lost'));
    list.onEvent(closed('x', 'explicit_close'));
    expect(removed).toEqual([
      ['a', 'explicit_close'],
      ['b', 'killed'],
    ]);
    expect(known()).toEqual([['c', 'lost']]);
    expect(store.getState().sessions.get('c')?.exit_code).toBeUndefined();
  });

  it('asks for the exit code when the event alone told the end', async () => {
    const { list, answer, questions, store } = create();
    void list.refresh();
    await answer([session('a')]);
    list.onEvent(closed('a', 'process_exit'));
    expect(questions).toHaveLength(1);
    await answer([session('a', { lifecycle: 'exited', exit_code: 9 })]);
    expect(store.getState().sessions.get('a')?.exit_code).toBe(9);
  });

  it('lists ended sessions only while a tab shows them, also after the server swept them', async () => {
    const { list, answer, store } = create();
    store.setState({ tabs: { order: ['b', 'c'], active: 'b' } });
    void list.refresh();
    await answer([session('a', { lifecycle: 'exited' }), session('b', { lifecycle: 'exited' }), session('c')]);
    const listed = () => listedSessions(store.getState()).map((one) => one.session_id);
    expect(listed()).toEqual(['b', 'c']);
    void list.refresh();
    await answer([]);
    expect(listed()).toEqual(['b', 'c']);
    expect(store.getState().sessions.get('c')?.lifecycle).toBe('exited');
  });

  it('shows many titles in one change', async () => {
    const { clock, list, answer, store } = create();
    void list.refresh();
    await answer([session('a'), session('b')]);
    let changes = 0;
    store.subscribe(() => changes++);
    for (let number = 0; number < 100; number++) {
      list.onEvent({ name: 'session-title', data: { session_id: 'a', title: `spinner ${number}` } });
    }
    list.onEvent({ name: 'session-title', data: { session_id: 'gone', title: 'x' } });
    clock.advance(50);
    expect(changes).toBe(1);
    expect(store.getState().sessions.get('a')?.title).toBe('spinner 99');
    list.onEvent({ name: 'session-title', data: { session_id: 'b', title: 'next' } });
    clock.advance(50);
    expect(store.getState().sessions.get('b')?.title).toBe('next');
  });

  it('tells a refusal, and waits quietly while there is no server', async () => {
    const { list, questions, refusals } = create();
    const first = list.refresh();
    questions.shift()?.fail(new RequestRefused(401, 'run "tuic open"'));
    await first;
    expect(refusals).toEqual([401]);
    const second = list.refresh();
    questions.shift()?.fail(new ServerUnreachable(undefined));
    await second;
    expect(refusals).toEqual([401]);
  });
});
