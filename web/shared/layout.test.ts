import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allTabs,
  closeSession,
  evenShares,
  focusPane,
  keepSessions,
  type Layout,
  type LayoutNode,
  moveBorder,
  moveIntoPane,
  ONE_PANE,
  openSession,
  panesOf,
  parseLayout,
  placeLayout,
  type Side,
  splitPane,
  stepPane,
} from './layout.ts';

const open = (...ids: string[]) => ids.reduce(openSession, ONE_PANE);
const arranged = (node: LayoutNode): unknown =>
  node.kind === 'pane' ? node.tabs.order.join(' ') : { [node.direction]: node.children.map(arranged) };

function expectSound(layout: Layout): void {
  const panes = panesOf(layout.root);
  const sessions = panes.flatMap((pane) => pane.tabs.order);
  expect(new Set(sessions).size).toBe(sessions.length);
  expect(new Set(panes.map((pane) => pane.id)).size).toBe(panes.length);
  expect(panes.map((pane) => pane.id)).toContain(layout.focused);
  for (const { tabs } of panes) {
    if (panes.length > 1) expect(tabs.order.length).toBeGreaterThan(0);
    if (tabs.order.length > 0) expect(tabs.order).toContain(tabs.active);
  }
  const check = (node: LayoutNode): void => {
    if (node.kind === 'pane') return;
    expect(node.children.length).toBeGreaterThan(1);
    expect(node.shares.length).toBe(node.children.length);
    expect(node.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    for (const child of node.children) {
      expect(child.kind === 'split' && child.direction === node.direction).toBe(false);
      check(child);
    }
  };
  check(layout.root);
}

describe('layout of a window', () => {
  it('splits to all four sides; a second split the same way stands in the same row', () => {
    let layout = splitPane(open('a', 'b', 'c', 'd'), 'd', 'p1', 'right');
    layout = splitPane(layout, 'c', 'p1', 'left');
    expect(arranged(layout.root)).toEqual({ row: ['c', 'a b', 'd'] });
    layout = splitPane(layout, 'b', layout.focused, 'down');
    expect(arranged(layout.root)).toEqual({ row: [{ column: ['c', 'b'] }, 'a', 'd'] });
    expect(allTabs(layout)).toEqual({ order: ['c', 'b', 'a', 'd'], active: 'b' });
    expectSound(layout);
  });

  it('a pane goes with its last tab, and its neighbours take the place', () => {
    const layout = splitPane(splitPane(open('a', 'b', 'c'), 'b', 'p1', 'right'), 'c', 'p1', 'down');
    expect(arranged(layout.root)).toEqual({ row: [{ column: ['a', 'c'] }, 'b'] });
    const closed = closeSession(layout, 'c');
    expect(arranged(closed.root)).toEqual({ row: ['a', 'b'] });
    expect(closed.focused).toBe('p1');
    expect(closeSession(closeSession(closed, 'a'), 'b').root).toEqual(ONE_PANE.root);
  });

  it('a session stands once: showing it goes to its pane, moving it leaves the old one', () => {
    let layout = splitPane(open('a', 'b'), 'b', 'p1', 'right');
    layout = openSession(layout, 'a');
    expect(layout.focused).toBe('p1');
    layout = moveIntoPane(layout, 'b', 'p1', 0);
    expect(arranged(layout.root)).toBe('b a');
    expect(splitPane(open('a'), 'a', 'p1', 'right')).toEqual(open('a'));
  });

  it('walks through the panes and around the ends', () => {
    const layout = splitPane(open('a', 'b'), 'b', 'p1', 'right');
    expect(stepPane(layout, 1).focused).toBe('p1');
    expect(stepPane(stepPane(layout, 1), 1).focused).toBe(layout.focused);
    expect(focusPane(layout, 'nowhere')).toBe(layout);
  });

  it('a border moves, but no pane disappears under it', () => {
    const layout = splitPane(open('a', 'b'), 'b', 'p1', 'right');
    const shares = (one: Layout) => (one.root.kind === 'split' ? one.root.shares : []);
    expect(shares(moveBorder(layout, [], 0, 0.2))).toEqual([0.7, 0.30000000000000004]);
    expect(shares(moveBorder(layout, [], 0, -5))[0]).toBeGreaterThan(0.05);
    expect(shares(moveBorder(layout, [], 0, Number.NaN))).toEqual([0.5, 0.5]);
    expect(shares(evenShares(moveBorder(layout, [], 0, 0.2)))).toEqual([0.5, 0.5]);
  });

  it('what was stored comes back; what is no layout is refused, what is wrong in one is put right', () => {
    const layout = splitPane(splitPane(open('a', 'b', 'c'), 'b', 'p1', 'right'), 'c', 'p1', 'down');
    expect(parseLayout(JSON.parse(JSON.stringify(layout)))).toEqual(layout);
    for (const wrong of [null, 1, 'x', [], {}, { root: {} }, { root: { kind: 'split', direction: 'up' } }]) {
      expect(parseLayout(wrong)).toBeUndefined();
    }
    const pane = (id: string, ...order: unknown[]) => ({ kind: 'pane', id, tabs: { order, active: 'gone' } });
    const repaired = parseLayout({
      root: {
        kind: 'split',
        direction: 'row',
        shares: [-1],
        children: [pane('p1', 'a', 'a', 3), pane('p2', 'a', 'b')],
      },
    });
    expect(arranged((repaired as Layout).root)).toEqual({ row: ['a', 'b'] });
    expectSound(repaired as Layout);
  });

  it('whatever is done to it, its promises hold and every place is covered once', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const side = fc.constantFrom<Side>('left', 'right', 'up', 'down');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('open' as const), id }),
      fc.record({ kind: fc.constant('close' as const), id }),
      fc.record({ kind: fc.constant('split' as const), id, at: fc.nat(4), side }),
      fc.record({ kind: fc.constant('move' as const), id, at: fc.nat(4), to: fc.nat(4) }),
      fc.record({ kind: fc.constant('border' as const), by: fc.double({ min: -1, max: 1, noNaN: true }) }),
      fc.record({ kind: fc.constant('keep' as const), id }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let layout = ONE_PANE;
        for (const one of steps) {
          const panes = panesOf(layout.root);
          const pane = ('at' in one ? panes[one.at % panes.length] : panes[0])?.id ?? '';
          if (one.kind === 'open') layout = openSession(layout, one.id);
          else if (one.kind === 'close') layout = closeSession(layout, one.id);
          else if (one.kind === 'split') layout = splitPane(layout, one.id, pane, one.side);
          else if (one.kind === 'move') layout = moveIntoPane(layout, one.id, pane, one.to);
          else if (one.kind === 'keep') layout = keepSessions(layout, (session) => session !== one.id);
          else layout = moveBorder(layout, [], 0, one.by);
          expectSound(layout);
          const area = placeLayout(layout.root).panes.reduce((sum, { box }) => sum + box.width * box.height, 0);
          expect(area).toBeCloseTo(1);
        }
      }),
      { numRuns: 200 },
    );
  });
});
