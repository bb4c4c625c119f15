import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { ActionTable } from '../shared/action-table.ts';
import type { Workspace } from '../shared/workspace.ts';
import type { WorkspaceState } from '../shared/workspace-state.ts';

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === undefined) throw new Error('the workspace context is missing');
  return workspace;
}

export const ActionsContext = createContext<ActionTable | undefined>(undefined);

/** What can be done here; parts that are loaded later add theirs. */
export function useActions(): ActionTable {
  const actions = useContext(ActionsContext);
  if (actions === undefined) throw new Error('the actions context is missing');
  return actions;
}

/** Reads a part of the state and draws again when that part is another value. */
export function useWorkspaceState<T>(select: (state: WorkspaceState) => T): T {
  return useStore(useWorkspace().store, select);
}

export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
  );
}

/** Below this width the session list lies over the terminal. */
export const SMALL_SCREEN = '(max-width: 700px)';

/** The time, moving on at this pace while somebody shows it. */
function createSteps(milliseconds: number): () => number {
  let now = Date.now();
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const subscribe = (onChange: () => void) => {
    listeners.add(onChange);
    now = Date.now();
    timer ??= setInterval(() => {
      now = Date.now();
      for (const listener of listeners) listener();
    }, milliseconds);
    return () => {
      listeners.delete(onChange);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  return () => useSyncExternalStore(subscribe, () => now);
}

export const useSlowTime = createSteps(20_000);
export const useSecond = createSteps(1_000);
