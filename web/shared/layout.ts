/**
 * How the terminals of a window are arranged: a tree of splits whose leaves are panes, each with tabs. Plain functions over
 * plain values. Promises of every function here: each session stands in at most one pane; no pane is empty but the only
 * one; a split has at least two children, and their shares add up to 1; the focused pane exists.
 */
import { closeTab, keepTabs, NO_TABS, openTab, type Tabs } from './tabs.ts';

export type Direction = 'row' | 'column';
export type Side = 'left' | 'right' | 'up' | 'down';

export interface Pane {
  readonly kind: 'pane';
  readonly id: string;
  readonly tabs: Tabs;
}

export interface Split {
  readonly kind: 'split';
  readonly direction: Direction;
  readonly children: readonly LayoutNode[];
  /** Share of each child, adding up to 1. */
  readonly shares: readonly number[];
}

export type LayoutNode = Pane | Split;

export interface Layout {
  readonly root: LayoutNode;
  /** The pane whose terminal has the keyboard. */
  readonly focused: string;
}

/** A pane never becomes smaller than this part of its split. */
export const LEAST_SHARE = 0.08;
/** Deeper or wider trees come from no person; a stored one beyond this is not used. */
const MOST_PANES = 32;

export const ONE_PANE: Layout = { root: { kind: 'pane', id: 'p1', tabs: NO_TABS }, focused: 'p1' };

export function panesOf(node: LayoutNode): Pane[] {
  return node.kind === 'pane' ? [node] : node.children.flatMap(panesOf);
}

export function focusedPane(layout: Layout): Pane {
  const panes = panesOf(layout.root);
  return panes.find((pane) => pane.id === layout.focused) ?? (panes[0] as Pane);
}

export function paneById(layout: Layout, paneId: string): Pane | undefined {
  return panesOf(layout.root).find((pane) => pane.id === paneId);
}

export function paneOf(layout: Layout, sessionId: string): Pane | undefined {
  return panesOf(layout.root).find((pane) => pane.tabs.order.includes(sessionId));
}

/** All tabs in reading order, and the one that has the keyboard. */
export function allTabs(layout: Layout): Tabs {
  return {
    order: panesOf(layout.root).flatMap((pane) => pane.tabs.order),
    active: focusedPane(layout).tabs.active,
  };
}

export function singlePane(tabs: Tabs): Layout {
  return { root: { kind: 'pane', id: 'p1', tabs }, focused: 'p1' };
}

export function focusPane(layout: Layout, paneId: string): Layout {
  if (layout.focused === paneId || !panesOf(layout.root).some((pane) => pane.id === paneId)) return layout;
  return { ...layout, focused: paneId };
}

/** Shows a session where it is, else in a new tab of the focused pane. */
export function openSession(layout: Layout, sessionId: string): Layout {
  const pane = paneOf(layout, sessionId) ?? focusedPane(layout);
  const tabs = openTab(pane.tabs, sessionId);
  return focusPane({ ...layout, root: replacePane(layout.root, { ...pane, tabs }) }, pane.id);
}

/** Gives a session a tab at the end of the pane in which `besideId` stands, else of the focused one. What is shown stays. */
export function addTab(layout: Layout, sessionId: string, besideId?: string): Layout {
  if (paneOf(layout, sessionId) !== undefined) return layout;
  const pane = (besideId === undefined ? undefined : paneOf(layout, besideId)) ?? focusedPane(layout);
  const tabs = { order: [...pane.tabs.order, sessionId], active: pane.tabs.active ?? sessionId };
  return { ...layout, root: replacePane(layout.root, { ...pane, tabs }) };
}

/** Takes a session's tab away, and its pane when that was the last. */
export function closeSession(layout: Layout, sessionId: string): Layout {
  const pane = paneOf(layout, sessionId);
  if (pane === undefined) return layout;
  return tidy({ ...layout, root: replacePane(layout.root, { ...pane, tabs: closeTab(pane.tabs, sessionId) }) });
}

/** Puts other sessions in the places of those that the map names. */
export function replaceSessions(layout: Layout, by: ReadonlyMap<string, string>): Layout {
  const nameOf = (id: string) => by.get(id) ?? id;
  const root = panesOf(layout.root).reduce<LayoutNode>((node, pane) => {
    const { order, active } = pane.tabs;
    return replacePane(node, {
      ...pane,
      tabs: { order: order.map(nameOf), active: active === undefined ? undefined : nameOf(active) },
    });
  }, layout.root);
  return { ...layout, root };
}

export function keepSessions(layout: Layout, exists: (id: string) => boolean): Layout {
  const root = panesOf(layout.root).reduce<LayoutNode>(
    (node, pane) => replacePane(node, { ...pane, tabs: keepTabs(pane.tabs, exists) }),
    layout.root,
  );
  return tidy({ ...layout, root });
}

/** Moves a tab into a pane, at a place among its tabs, or to their end. */
export function moveIntoPane(layout: Layout, sessionId: string, paneId: string, to?: number): Layout {
  const from = paneOf(layout, sessionId);
  if (from === undefined || !panesOf(layout.root).some((pane) => pane.id === paneId)) return layout;
  let { root } = layout;
  if (from.id !== paneId) root = replacePane(root, { ...from, tabs: closeTab(from.tabs, sessionId) });
  const target = panesOf(root).find((pane) => pane.id === paneId) as Pane;
  const others = target.tabs.order.filter((id) => id !== sessionId);
  const at = Math.max(0, Math.min(others.length, to ?? others.length));
  const order = [...others.slice(0, at), sessionId, ...others.slice(at)];
  root = replacePane(root, { ...target, tabs: { order, active: sessionId } });
  return tidy({ root, focused: paneId });
}

/** Gives a session a pane of its own beside another pane. A pane's only tab cannot leave it to stand beside it. */
export function splitPane(layout: Layout, sessionId: string, besideId: string, side: Side): Layout {
  const from = paneOf(layout, sessionId);
  const beside = panesOf(layout.root).find((pane) => pane.id === besideId);
  if (beside === undefined || panesOf(layout.root).length >= MOST_PANES) return layout;
  if (from?.id === besideId && from.tabs.order.length === 1) return layout;
  const root =
    from === undefined ? layout.root : replacePane(layout.root, { ...from, tabs: closeTab(from.tabs, sessionId) });
  const pane: Pane = { kind: 'pane', id: freshId(layout.root), tabs: { order: [sessionId], active: sessionId } };
  return tidy({ root: insertBeside(root, besideId, pane, side), focused: pane.id });
}

/** The pane before or after the focused one, around the ends. */
export function stepPane(layout: Layout, steps: number): Layout {
  const panes = panesOf(layout.root);
  const at = panes.findIndex((pane) => pane.id === layout.focused);
  const next = panes[(((at + steps) % panes.length) + panes.length) % panes.length];
  return next === undefined ? layout : focusPane(layout, next.id);
}

/** Moves the border behind child `index` of the split at `path` by a part of that split's extent. */
export function moveBorder(layout: Layout, path: readonly number[], index: number, by: number): Layout {
  const change = (node: LayoutNode, rest: readonly number[]): LayoutNode => {
    if (node.kind === 'pane') return node;
    const [first, ...deeper] = rest;
    if (first !== undefined) {
      return { ...node, children: node.children.map((child, at) => (at === first ? change(child, deeper) : child)) };
    }
    const before = node.shares[index];
    const after = node.shares[index + 1];
    if (before === undefined || after === undefined || !Number.isFinite(by)) return node;
    const both = before + after;
    const least = Math.min(LEAST_SHARE, both / 2);
    const next = Math.min(both - least, Math.max(least, before + by));
    return {
      ...node,
      shares: node.shares.map((share, at) => (at === index ? next : at === index + 1 ? both - next : share)),
    };
  };
  return { ...layout, root: change(layout.root, path) };
}

/** All splits get equal shares. */
export function evenShares(layout: Layout): Layout {
  const even = (node: LayoutNode): LayoutNode =>
    node.kind === 'pane'
      ? node
      : { ...node, children: node.children.map(even), shares: node.children.map(() => 1 / node.children.length) };
  return { ...layout, root: even(layout.root) };
}

function replacePane(node: LayoutNode, pane: Pane): LayoutNode {
  if (node.kind === 'pane') return node.id === pane.id ? pane : node;
  return { ...node, children: node.children.map((child) => replacePane(child, pane)) };
}

function insertBeside(node: LayoutNode, besideId: string, pane: Pane, side: Side): LayoutNode {
  const direction: Direction = side === 'left' || side === 'right' ? 'row' : 'column';
  const isBefore = side === 'left' || side === 'up';
  if (node.kind === 'pane') {
    if (node.id !== besideId) return node;
    return { kind: 'split', direction, children: isBefore ? [pane, node] : [node, pane], shares: [0.5, 0.5] };
  }
  const at = node.children.findIndex((child) => child.kind === 'pane' && child.id === besideId);
  if (at === -1 || node.direction !== direction) {
    return { ...node, children: node.children.map((child) => insertBeside(child, besideId, pane, side)) };
  }
  // The neighbour gives half of its share.
  const half = (node.shares[at] ?? 0) / 2;
  const place = isBefore ? at : at + 1;
  const shares = node.shares.map((share, index) => (index === at ? half : share));
  return {
    ...node,
    children: [...node.children.slice(0, place), pane, ...node.children.slice(place)],
    shares: [...shares.slice(0, place), half, ...shares.slice(place)],
  };
}

/** Takes empty panes away, lifts what stands alone, joins splits of one direction, and puts the focus right. */
function tidy(layout: Layout): Layout {
  const before = panesOf(layout.root).map((pane) => pane.id);
  const root = tidyNode(layout.root) ?? ONE_PANE.root;
  const panes = panesOf(root);
  if (panes.some((pane) => pane.id === layout.focused)) return { root, focused: layout.focused };
  // The focus goes to the pane that stood before the one that went, else to the first.
  const earlier = before.slice(0, Math.max(0, before.indexOf(layout.focused))).reverse();
  const next = earlier.find((id) => panes.some((pane) => pane.id === id)) ?? (panes[0] as Pane).id;
  return { root, focused: next };
}

function tidyNode(node: LayoutNode): LayoutNode | undefined {
  if (node.kind === 'pane') return node.tabs.order.length === 0 ? undefined : node;
  const kept: { child: LayoutNode; share: number }[] = [];
  node.children.forEach((child, index) => {
    const tidied = tidyNode(child);
    const share = node.shares[index] ?? 0;
    if (tidied === undefined) return;
    if (tidied.kind === 'split' && tidied.direction === node.direction) {
      tidied.children.forEach((inner, at) => {
        kept.push({ child: inner, share: share * (tidied.shares[at] ?? 0) });
      });
    } else kept.push({ child: tidied, share });
  });
  if (kept.length < 2) return kept[0]?.child;
  const sum = kept.reduce((total, { share }) => total + share, 0);
  return { ...node, children: kept.map(({ child }) => child), shares: kept.map(({ share }) => share / sum) };
}

function freshId(root: LayoutNode): string {
  const taken = new Set(panesOf(root).map((pane) => pane.id));
  for (let number = 1; ; number++) if (!taken.has(`p${number}`)) return `p${number}`;
}

/**
 * Reads a layout that was stored as JSON. Undefined when it is none; what contradicts the promises above is put right, as a
 * person or an older version may have written it.
 */
export function parseLayout(value: unknown): Layout | undefined {
  if (!isRecord(value)) return undefined;
  const ids = new Set<string>();
  const sessions = new Set<string>();
  const read = (node: unknown, depth: number): LayoutNode | undefined => {
    if (!isRecord(node) || depth > MOST_PANES) return undefined;
    if (node.kind === 'pane') {
      if (typeof node.id !== 'string' || ids.has(node.id) || !isRecord(node.tabs)) return undefined;
      if (!Array.isArray(node.tabs.order) || ids.size >= MOST_PANES) return undefined;
      ids.add(node.id);
      const order = node.tabs.order.filter((id): id is string => typeof id === 'string' && !sessions.has(id));
      const own = [...new Set(order)];
      for (const id of own) sessions.add(id);
      const { active } = node.tabs;
      const isKnown = typeof active === 'string' && own.includes(active);
      return { kind: 'pane', id: node.id, tabs: { order: own, active: isKnown ? active : own.at(-1) } };
    }
    if (node.kind !== 'split' || (node.direction !== 'row' && node.direction !== 'column')) return undefined;
    if (!Array.isArray(node.children)) return undefined;
    const children = node.children.map((child) => read(child, depth + 1)).filter((child) => child !== undefined);
    if (children.length === 0) return undefined;
    const stored = Array.isArray(node.shares) ? node.shares : [];
    const isUsable =
      stored.length === children.length && stored.every((share) => typeof share === 'number' && share > 0);
    const shares = isUsable ? (stored as number[]) : children.map(() => 1 / children.length);
    return { kind: 'split', direction: node.direction, children, shares };
  };
  const root = read(value.root, 0);
  if (root === undefined) return undefined;
  return tidy({ root, focused: typeof value.focused === 'string' ? value.focused : '' });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface Box {
  /** Parts of the whole, 0 to 1. */
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Border {
  /** Where the split stands in the tree, and the child before the border. */
  path: readonly number[];
  index: number;
  direction: Direction;
  /** Share of the child before it within the two that it parts, 0 to 1. */
  portion: number;
  /** The place of the whole split. */
  within: Box;
  /** The place of the border: its line, without thickness. */
  at: Box;
}

/** Places of panes and borders. Flat, so that a pane keeps its element when the tree around it changes. */
export function placeLayout(root: LayoutNode): { panes: { pane: Pane; box: Box }[]; borders: Border[] } {
  const panes: { pane: Pane; box: Box }[] = [];
  const borders: Border[] = [];
  const place = (node: LayoutNode, box: Box, path: readonly number[]): void => {
    if (node.kind === 'pane') {
      panes.push({ pane: node, box });
      return;
    }
    const isRow = node.direction === 'row';
    let start = isRow ? box.left : box.top;
    node.children.forEach((child, index) => {
      const share = node.shares[index] ?? 0;
      const extent = share * (isRow ? box.width : box.height);
      const own = isRow ? { ...box, left: start, width: extent } : { ...box, top: start, height: extent };
      place(child, own, [...path, index]);
      start += extent;
      const next = node.shares[index + 1];
      if (next === undefined) return;
      const at = isRow ? { ...box, left: start, width: 0 } : { ...box, top: start, height: 0 };
      borders.push({ path, index, direction: node.direction, portion: share / (share + next), within: box, at });
    });
  };
  place(root, { left: 0, top: 0, width: 1, height: 1 }, []);
  return { panes, borders };
}
