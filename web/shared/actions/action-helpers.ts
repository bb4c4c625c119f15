/** What the actions of the table are made with: chords, and what there has to be for one to be offered. */
import type { ActionContext, Chord } from '../action-table.ts';
import { paneOf } from '../layout.ts';
import type { SessionEntry, WorkspaceState } from '../workspace-state.ts';

export const letter = (name: string): Chord => ({ code: `Key${name}`, label: name });

export const sessionOf = (state: WorkspaceState, id: string | undefined): SessionEntry | undefined =>
  id === undefined ? undefined : state.sessions.get(id);
export const hasSession = (state: WorkspaceState, id: string | undefined) => sessionOf(state, id) !== undefined;
export const hasPanes = (state: WorkspaceState) => state.layout.root.kind === 'split';
export const isInTab = (state: WorkspaceState, id: string | undefined) =>
  id !== undefined && state.tabs.order.includes(id);
/** It can leave its pane for one of its own. */
export const hasNeighbour = (state: WorkspaceState, id: string | undefined) =>
  id !== undefined && (paneOf(state.layout, id)?.tabs.order.length ?? 0) > 1;
export const hasTabs = (state: WorkspaceState) => state.tabs.order.length > 1;

export function onSession(act: (context: ActionContext, id: string) => void): (context: ActionContext) => void {
  return (context) => {
    if (context.sessionId !== undefined) act(context, context.sessionId);
  };
}
