/**
 * The choice of a folder on the server's machine, as a field with a list under it. What is no path filters the recent places;
 * a path lists the folders it could go on with. Owns what is typed, the list and what is chosen in it.
 *
 * Ordering: each change of the text makes older answers worthless; they are given up, and one that comes all the same is not
 * shown. So the list always belongs to the text.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type FolderRoutes, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { fuzzyMatch } from './fuzzy.ts';

export interface FolderItem {
  kind: 'place' | 'folder' | 'parent';
  /** Absolute. Untrusted text, like every name. */
  path: string;
}

export interface FolderPickerState {
  text: string;
  items: readonly FolderItem[];
  /** Index of the item that Enter takes; -1: the text itself. */
  chosen: number;
  /** The folder whose folders are listed; undefined while places are. */
  folder: string | undefined;
  isReading: boolean;
  isTruncated: boolean;
  problem: string | undefined;
}

/** True for what names a folder by itself: absolute, or from the home folder. */
export function isPath(text: string): boolean {
  return /^(?:[/\\~]|[A-Za-z]:[/\\])/.test(text);
}

/** The folder to list, and how the wanted names begin. `~` alone is the home folder. */
export function splitPath(text: string): { folder: string; prefix: string } {
  const at = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'));
  if (at === -1) return { folder: text, prefix: '' };
  return { folder: text.slice(0, at + 1), prefix: text.slice(at + 1) };
}

export function joinPath(folder: string, name: string): string {
  if (/[/\\]$/.test(folder)) return folder + name;
  return folder + (folder.includes('\\') && !folder.includes('/') ? '\\' : '/') + name;
}

/** The places that have the letters in this order, the best first. */
export function filterPlaces(places: readonly string[], query: string): string[] {
  if (query.trim() === '') return [...places];
  return places
    .map((path, index) => ({ path, index, score: fuzzyMatch(query, path)?.score }))
    .filter((one): one is { path: string; index: number; score: number } => one.score !== undefined)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ path }) => path);
}

export class FolderPicker {
  readonly store: StoreApi<FolderPickerState>;
  readonly #list: FolderRoutes['list'];
  #places: readonly string[];
  #asking: AbortController | undefined;

  constructor(list: FolderRoutes['list'], places: readonly string[]) {
    this.#list = list;
    this.#places = places;
    this.store = createStore<FolderPickerState>(() => ({
      text: '',
      items: places.map((path) => ({ kind: 'place', path })),
      chosen: places.length > 0 ? 0 : -1,
      folder: undefined,
      isReading: false,
      isTruncated: false,
      problem: undefined,
    }));
  }

  /** What Enter opens: the chosen folder, else what is typed. Empty where there is neither. */
  get path(): string {
    const { items, chosen, text } = this.store.getState();
    return items[chosen]?.path ?? text.trim();
  }

  /** The places changed, e.g. because the home folder became known. */
  setPlaces(places: readonly string[]): void {
    this.#places = places;
    const { text, folder } = this.store.getState();
    if (folder === undefined && !isPath(text)) this.#showPlaces(text);
  }

  /** Resolves once the list belongs to the text, or to a newer one. */
  async setText(text: string): Promise<void> {
    this.#asking?.abort();
    this.store.setState({ text, problem: undefined });
    if (!isPath(text)) {
      this.#asking = undefined;
      this.#showPlaces(text);
      return;
    }
    const asking = new AbortController();
    this.#asking = asking;
    const { folder, prefix } = splitPath(text);
    // A list that is still right is kept until the new one comes, so that it does not flicker; nothing of it is chosen.
    this.store.setState({ isReading: true, chosen: -1 });
    try {
      const found = await this.#list({ path: folder, prefix }, asking.signal);
      if (this.#asking !== asking) return;
      const items: FolderItem[] = found.directories.map((name) => ({
        kind: 'folder',
        path: joinPath(found.path, name),
      }));
      if (prefix === '' && found.parent !== null) items.unshift({ kind: 'parent', path: found.parent });
      const exact = found.directories.indexOf(prefix);
      const chosen = prefix === '' ? -1 : exact !== -1 ? exact : items.length > 0 ? 0 : -1;
      this.store.setState({ items, chosen, folder: found.path, isTruncated: found.truncated });
    } catch (error) {
      if (this.#asking !== asking) return;
      this.store.setState({ items: [], chosen: -1, folder: undefined, isTruncated: false, problem: explain(error) });
    } finally {
      if (this.#asking === asking) this.store.setState({ isReading: false });
    }
  }

  /** Goes through the list; before its first item stands the text itself, when that is a path. */
  move(by: number): void {
    const { items, chosen, text } = this.store.getState();
    const least = isPath(text) ? -1 : 0;
    if (items.length === 0) return;
    this.store.setState({ chosen: Math.min(items.length - 1, Math.max(least, chosen + by)) });
  }

  choose(index: number): void {
    this.store.setState({ chosen: index });
  }

  /** Goes on inside a folder: its path stands in the field and its folders are listed. */
  enter(index = this.store.getState().chosen): Promise<void> {
    const item = this.store.getState().items[index];
    return item === undefined ? Promise.resolve() : this.setText(joinPath(item.path, ''));
  }

  dispose(): void {
    this.#asking?.abort();
    this.#asking = undefined;
  }

  #showPlaces(query: string): void {
    const items = filterPlaces(this.#places, query).map((path): FolderItem => ({ kind: 'place', path }));
    const problem =
      items.length === 0 && query.trim() !== ''
        ? 'No recent place is called like that. A path begins with / or ~.'
        : undefined;
    this.store.setState({
      items,
      chosen: items.length > 0 ? 0 : -1,
      folder: undefined,
      isReading: false,
      isTruncated: false,
      problem,
    });
  }
}

function explain(error: unknown): string {
  if (error instanceof RequestRefused) return error.message;
  if (error instanceof ServerUnreachable) return 'The server does not answer.';
  throw error;
}
