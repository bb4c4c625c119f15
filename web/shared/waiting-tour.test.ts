import { describe, expect, it } from 'vitest';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { WaitingTour } from './waiting-tour.ts';
import { createWorkspaceStore } from './workspace-state.ts';

function makeTour(waiting: readonly string[]) {
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const entry = (id: string, created_at: number) => ({
    ...sessionInfo(id, {
      created_at,
      state: { awaiting_input: waiting.includes(id), rate_limited: false, last_activity_ms: 0 },
    }),
    isClosing: false,
  });
  const ids = ['a', 'b', 'c', 'd'];
  store.setState({ sessions: new Map(ids.map((id, index) => [id, entry(id, index)])) });
  const shown: string[] = [];
  const told: string[] = [];
  const show = (id: string) => {
    shown.push(id);
    store.setState({ tabs: { order: ids, active: id } });
  };
  const tour = new WaitingTour({ store, show, tell: (text) => told.push(text) });
  store.setState({ tabs: { order: ids, active: 'b' } });
  return { tour, show, shown, told };
}

describe('the way to agents that wait', () => {
  it('goes through all of them in the order of the list, and back to where it began', () => {
    const { tour, shown } = makeTour(['a', 'c', 'd']);
    for (let step = 0; step < 4; step++) tour.next();
    expect(shown).toEqual(['c', 'd', 'a', 'c']);
    tour.back();
    expect(shown.at(-1)).toBe('b');
  });

  it('begins anew where the person went meanwhile', () => {
    const { tour, show, shown } = makeTour(['a', 'c']);
    tour.next();
    show('d');
    tour.next();
    tour.back();
    expect(shown).toEqual(['c', 'd', 'a', 'd']);
  });

  it('says when nobody else waits, and that there is nothing to go back to', () => {
    const { tour, shown, told } = makeTour(['b']);
    tour.next();
    tour.back();
    expect([shown, told]).toEqual([[], ['No other agent waits for you.', 'There is nothing to go back to.']]);
  });
});
