/**
 * How this window looks: changes what is preferred, remembers it for the browser, and says how terminals are to look.
 *
 * Ordering: what another window changed is taken over without being remembered again, or two windows that differ in it would
 * answer each other for ever.
 */
import type { Disposable } from '../../src/base/index.ts';
import { terminalTheme } from '../terminal/palettes.ts';
import type { TerminalAppearance } from '../terminal/terminal-model.ts';
import { limitFontSize, type Memory, type Preferences, writePreferences } from './preferences.ts';
import { themeInForce, type WorkspaceStore } from './workspace-state.ts';

export interface LooksDependencies {
  store: WorkspaceStore;
  /** Survives the window. */
  memory: Memory;
  reducedMotion(): boolean;
}

export class Looks {
  readonly #dependencies: LooksDependencies;
  #isTakingOver = false;

  constructor(dependencies: LooksDependencies) {
    this.#dependencies = dependencies;
  }

  /** Remembers each change from now on and tells it. */
  start(onChange: () => void): Disposable {
    const { store, memory } = this.#dependencies;
    const dispose = store.subscribe((state, before) => {
      const hasChanged = state.preferences !== before.preferences;
      if (hasChanged && !this.#isTakingOver) writePreferences(memory, state.preferences);
      if (hasChanged || state.systemTheme !== before.systemTheme) onChange();
    });
    return { dispose };
  }

  set(change: Partial<Preferences>): void {
    const { store } = this.#dependencies;
    const next = { ...store.getState().preferences, ...change };
    store.setState({ preferences: { ...next, fontSize: limitFontSize(next.fontSize) } });
  }

  /** Another window of this browser changed them. What only this window wants (its list, how it draws) stays. */
  takeOver(preferences: Preferences): void {
    const { store } = this.#dependencies;
    const { sidebarOpen, renderer } = store.getState().preferences;
    this.#isTakingOver = true;
    try {
      store.setState({ preferences: { ...preferences, sidebarOpen, renderer } });
    } finally {
      this.#isTakingOver = false;
    }
  }

  get appearance(): TerminalAppearance {
    const { store, reducedMotion } = this.#dependencies;
    const state = store.getState();
    const {
      terminalTheme: choice,
      fontFamily,
      cursorStyle,
      cursorBlink,
      fontSize,
      screenReader,
      renderer,
    } = state.preferences;
    const theme = themeInForce(state);
    return {
      theme: terminalTheme(choice, theme),
      isHighContrast: theme === 'contrast',
      fontFamily,
      cursorStyle,
      cursorBlink,
      fontSize,
      screenReader,
      renderer,
      reducedMotion: reducedMotion(),
    };
  }
}
