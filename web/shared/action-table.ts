/**
 * The one table of what a person can do. Palette, key bindings, menus and the list of keys all read it, so that nothing can
 * be done in one of them only. Parts of the page that are loaded later add their actions with `add`; what there is of
 * changing number (sessions, layouts) comes from a source, asked each time the palette opens.
 */
import type { Disposable } from '../../src/base/index.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceState } from './workspace-state.ts';

export const ACTION_GROUPS = ['Terminals', 'Agents', 'Tabs and panes', 'Text', 'Look', 'Workspace'] as const;
export type ActionGroup = (typeof ACTION_GROUPS)[number];

/**
 * A key with Ctrl. `code` is found by the place of the key, so it works on any layout, and goes with Shift; `key` is found by
 * what it types, with or without Shift.
 */
export interface Chord {
  code?: string;
  key?: string;
  /** As shown: the last key, after Ctrl or Ctrl and Shift. */
  label: string;
  /** The browser does it; the key is only listed. */
  isNative?: boolean;
  /** Means this only in a terminal; elsewhere the key is the page's own. */
  isInTerminal?: boolean;
}

export interface ActionContext {
  workspace: Workspace;
  /** The session it is for: the one a menu was opened on, else the active one. */
  sessionId: string | undefined;
  isSmallScreen(): boolean;
  focusList(): void;
  /** The strip of tabs of the pane that has the keyboard. */
  focusTabs(): void;
  /** The oldest question of an agent. */
  focusQuestion(): void;
  /** The session whose card of choices has the keyboard. */
  focusedCard(): string | undefined;
  /** The menu of the pane that has the keyboard. */
  openPaneMenu(): void;
  /** Opens another page of this server in a tab of the browser. */
  openPage(path: string): void;
  /** Where the menu was opened that it was chosen from. */
  origin?: 'tab' | 'list' | undefined;
}

export interface Action {
  /** Stays the same over versions; unique. */
  id: string;
  title: string;
  group: ActionGroup;
  chords?: readonly Chord[];
  /** Further words by which it is found. */
  words?: string;
  /** Holding the key repeats it. */
  repeats?: boolean;
  /** False keeps it out of palette and list, where something else stands for it. */
  isListed?: boolean;
  /** What stands beside it in the palette, as plain text. */
  detail?: string;
  /** Left out where it has nothing to act on. */
  isAvailable?(state: WorkspaceState, sessionId: string | undefined): boolean;
  /** The action that its key stands for where this one has nothing to act on. */
  instead?: string;
  run(context: ActionContext): void;
}

export type ActionSource = (state: WorkspaceState) => readonly Action[];

const RECENT = 6;

export class ActionTable {
  readonly #actions = new Map<string, Action>();
  readonly #sources = new Set<ActionSource>();
  #recent: readonly string[] = [];

  constructor(actions: readonly Action[] = []) {
    this.add(actions);
  }

  add(actions: readonly Action[]): Disposable {
    for (const action of actions) {
      if (this.#actions.has(action.id)) throw new Error(`the action ${action.id} is there twice`);
      this.#actions.set(action.id, action);
    }
    return {
      dispose: () => {
        for (const { id } of actions) this.#actions.delete(id);
      },
    };
  }

  addSource(source: ActionSource): Disposable {
    this.#sources.add(source);
    return { dispose: () => this.#sources.delete(source) };
  }

  get(id: string): Action | undefined {
    return this.#actions.get(id);
  }

  all(): readonly Action[] {
    return [...this.#actions.values()];
  }

  /** What can be done now, the last used first. */
  listed(state: WorkspaceState): readonly Action[] {
    const { active } = state.tabs;
    const actions = [...this.#actions.values(), ...[...this.#sources].flatMap((source) => source(state))];
    const place = (action: Action) => {
      const at = this.#recent.indexOf(action.id);
      return at === -1 ? RECENT : at;
    };
    return actions
      .filter((action) => action.isListed !== false && action.isAvailable?.(state, active) !== false)
      .map((action, index) => ({ action, index }))
      .sort((a, b) => place(a.action) - place(b.action) || a.index - b.index)
      .map(({ action }) => action);
  }

  /** The action a key stands for. */
  byKey(event: KeyEventLike): { action: Action; chord: Chord } | undefined {
    if (!event.ctrlKey || event.altKey || event.metaKey) return undefined;
    for (const action of this.#actions.values()) {
      for (const chord of action.chords ?? []) if (isChord(chord, event)) return { action, chord };
    }
    return undefined;
  }

  run(action: Action, context: ActionContext): void {
    const { sessionId, workspace } = context;
    if (action.isAvailable?.(workspace.store.getState(), sessionId) !== false) {
      action.run(context);
      return;
    }
    const other = action.instead === undefined ? undefined : this.#actions.get(action.instead);
    if (other !== undefined) this.run(other, context);
  }

  /** The keys, as they may be seen from outside (debug-object.ts). */
  snapshot(): unknown {
    return [...this.#actions.values()].map(({ id, title, group, chords = [] }) => ({
      id,
      title,
      group,
      keys: chords.map((chord) => chordKeys(chord).join('+')),
    }));
  }

  /** Remembers what was chosen, so that the palette shows it first. */
  remember(id: string): void {
    this.#recent = [id, ...this.#recent.filter((one) => one !== id)].slice(0, RECENT);
  }
}

/** What is read of a KeyboardEvent. */
export interface KeyEventLike {
  code: string;
  key: string;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

function isChord(chord: Chord, event: KeyEventLike): boolean {
  return chord.key === undefined ? event.shiftKey && chord.code === event.code : chord.key === event.key;
}

/** The keys as they are labelled, e.g. Ctrl, Shift, P. */
export function chordKeys(chord: Chord): string[] {
  return chord.key === undefined ? ['Ctrl', 'Shift', chord.label] : ['Ctrl', chord.label];
}

/** For tooltips: ` (Ctrl+Shift+P)`, empty without a key. */
export function keyHint(action: Action | undefined): string {
  const chord = action?.chords?.[0];
  return chord === undefined ? '' : ` (${chordKeys(chord).join('+')})`;
}
