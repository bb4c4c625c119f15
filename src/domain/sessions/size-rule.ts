/**
 * Whose size a terminal has (T13, docs/architecture.md): the viewer that last typed, became visible or attached with a
 * size. When it leaves or is hidden, the most recently active one that is left decides; with none left the size stays.
 */

export interface TerminalSize {
  rows: number;
  cols: number;
}

interface Entry {
  size: TerminalSize | undefined;
  activity: number;
  isVisible: boolean;
}

export class SizeRule<V extends object> {
  readonly #entries = new Map<V, Entry>();
  #counter = 0;

  /** The viewer's own size. The first one counts as attaching, later ones do not make it the active viewer. */
  report(viewer: V, size: TerminalSize): TerminalSize | undefined {
    const entry = this.#entry(viewer);
    if (entry.size === undefined) entry.activity = ++this.#counter;
    entry.size = size;
    return this.decide();
  }

  typed(viewer: V): TerminalSize | undefined {
    this.#entry(viewer).activity = ++this.#counter;
    return this.decide();
  }

  visible(viewer: V, isVisible: boolean): TerminalSize | undefined {
    const entry = this.#entry(viewer);
    if (isVisible) entry.activity = ++this.#counter;
    entry.isVisible = isVisible;
    return this.decide();
  }

  leave(viewer: V): TerminalSize | undefined {
    this.#entries.delete(viewer);
    return this.decide();
  }

  /** The size the terminal should have, or undefined when nobody says. */
  decide(): TerminalSize | undefined {
    let best: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (entry.size === undefined || !entry.isVisible) continue;
      if (best === undefined || entry.activity > best.activity) best = entry;
    }
    return best?.size;
  }

  #entry(viewer: V): Entry {
    let entry = this.#entries.get(viewer);
    if (entry === undefined) {
      entry = { size: undefined, activity: 0, isVisible: true };
      this.#entries.set(viewer, entry);
    }
    return entry;
  }
}
