/** Order and choice of tabs, as plain functions over plain values. */
export interface Tabs {
  readonly order: readonly string[];
  readonly active: string | undefined;
}

export const NO_TABS: Tabs = { order: [], active: undefined };

/** Shows a session, in a new tab beside the active one when it has none yet. */
export function openTab(tabs: Tabs, id: string): Tabs {
  if (tabs.order.includes(id)) return { ...tabs, active: id };
  const at = tabs.active === undefined ? tabs.order.length : tabs.order.indexOf(tabs.active) + 1;
  return { order: [...tabs.order.slice(0, at), id, ...tabs.order.slice(at)], active: id };
}

/** Takes a tab away; the one after it, else the one before it, is shown instead. */
export function closeTab(tabs: Tabs, id: string): Tabs {
  const at = tabs.order.indexOf(id);
  if (at === -1) return tabs;
  const order = tabs.order.filter((one) => one !== id);
  return { order, active: tabs.active === id ? (order[at] ?? order[at - 1]) : tabs.active };
}

/** Goes `steps` tabs on, around the ends. */
export function stepTab(tabs: Tabs, steps: number): Tabs {
  const count = tabs.order.length;
  if (count === 0) return tabs;
  const from = tabs.active === undefined ? 0 : tabs.order.indexOf(tabs.active);
  const active = tabs.order[(((from + steps) % count) + count) % count];
  return { ...tabs, active };
}

/** Drops tabs without a session and puts right what is active. */
export function keepTabs(tabs: Tabs, exists: (id: string) => boolean): Tabs {
  const gone = tabs.order.filter((id) => !exists(id));
  const kept = gone.reduce(closeTab, tabs);
  const isShown = kept.active !== undefined && kept.order.includes(kept.active);
  return isShown ? kept : { ...kept, active: kept.order.at(-1) };
}
