import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeTab, keepTabs, NO_TABS, openTab, stepTab, type Tabs } from './tabs.ts';

const tabs = (order: string, active?: string): Tabs => ({ order: [...order], active });

describe('tabs', () => {
  it('opens beside the active tab, and shows a tab that is there', () => {
    expect(openTab(NO_TABS, 'a')).toEqual(tabs('a', 'a'));
    expect(openTab(tabs('ab', 'a'), 'c')).toEqual(tabs('acb', 'c'));
    expect(openTab(tabs('ab', 'a'), 'b')).toEqual(tabs('ab', 'b'));
  });

  it('shows the neighbour of a closed tab', () => {
    expect(closeTab(tabs('abc', 'b'), 'b')).toEqual(tabs('ac', 'c'));
    expect(closeTab(tabs('abc', 'c'), 'c')).toEqual(tabs('ab', 'b'));
    expect(closeTab(tabs('abc', 'a'), 'c')).toEqual(tabs('ab', 'a'));
    expect(closeTab(tabs('a', 'a'), 'a')).toEqual(tabs('', undefined));
  });

  it('steps around the ends', () => {
    expect(stepTab(tabs('abc', 'c'), 1).active).toBe('a');
    expect(stepTab(tabs('abc', 'a'), -1).active).toBe('c');
    expect(stepTab(NO_TABS, 1)).toEqual(NO_TABS);
  });

  it('keeps what exists after a reload and shows one of them', () => {
    expect(keepTabs(tabs('abc', 'b'), (id) => id !== 'b')).toEqual(tabs('ac', 'c'));
    expect(keepTabs(tabs('abc', undefined), () => true)).toEqual(tabs('abc', 'c'));
    expect(keepTabs(tabs('a', 'a'), () => false)).toEqual(tabs('', undefined));
  });

  it('never has a tab twice, and shows one whenever there is one', () => {
    const id = fc.constantFrom(...'abcde');
    const operation = fc.tuple(fc.constantFrom('open', 'close', 'step'), id, fc.integer({ min: -3, max: 6 }));
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        let state = NO_TABS;
        for (const [kind, one, number] of operations) {
          if (kind === 'open') state = openTab(state, one);
          else if (kind === 'close') state = closeTab(state, one);
          else state = stepTab(state, number);
          expect(new Set(state.order).size).toBe(state.order.length);
          expect(state.active === undefined).toBe(state.order.length === 0);
          if (state.active !== undefined) expect(state.order).toContain(state.active);
        }
      }),
    );
  });
});
