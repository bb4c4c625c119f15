/**
 * The links of one terminal: web addresses, paths that are there, and hyperlinks of programs (OSC 8).
 *
 * Promises: what is underlined can be followed; a link opens only on purpose (with Ctrl or Cmd), only to the web, and where it
 * leads is told while the pointer is on it. Paths are asked for when the pointer comes to their line, never while output flows.
 */
import type { IBufferRange, ILink, Terminal } from '@xterm/xterm';
import { type Disposable, DisposableStore } from '../../src/base/index.ts';
import { cellsOf, readLogicalLine } from './buffer-text.ts';
import { findLinks, type TextLink, webTarget } from './link-text.ts';

/** Rows of a wrapped line that are looked at, up and down. */
const MOST_ROWS = 100;
/** Links kept of what a program marked, and links listed. */
const MOST_MARKED = 200;
const MOST_LISTED = 300;
/** Rows that are searched for a list, from the end. */
const LISTED_ROWS = 5_000;

export type LinkTarget =
  | { kind: 'web'; url: string }
  /** `text` is the path as it was written, with its place. */
  | {
      kind: 'path';
      text: string;
      path: string;
      isFolder: boolean;
      line: number | undefined;
      column: number | undefined;
    };

export interface ResolvedTarget {
  path: string;
  isFolder: boolean;
}

export interface TerminalLinkEvents {
  /** What a written path names; undefined when it is nothing that is there. */
  resolve(written: string): Promise<ResolvedTarget | undefined>;
  /** Followed on purpose. */
  follow(target: LinkTarget): void;
  /** The pointer is on it; undefined when it left. */
  point(target: LinkTarget | undefined): void;
}

export class TerminalLinks implements Disposable {
  readonly #terminal: Terminal;
  readonly #events: TerminalLinkEvents;
  readonly #disposables = new DisposableStore();
  /** Addresses that the program marked, latest last. */
  readonly #marked = new Set<string>();

  constructor(terminal: Terminal, events: TerminalLinkEvents) {
    this.#terminal = terminal;
    this.#events = events;
    terminal.options.linkHandler = {
      allowNonHttpProtocols: false,
      activate: (event, uri) => this.#activate(event, webOf(uri)),
      hover: (_event, uri) => events.point(webOf(uri)),
      leave: () => events.point(undefined),
    };
    this.#disposables.add(
      terminal.registerLinkProvider({
        provideLinks: (row, tell) =>
          void this.#linksOf(row - 1).then(
            (links) => tell(links),
            (error: unknown) => {
              tell(undefined);
              reportError(error);
            },
          ),
      }),
    );
    this.#disposables.add(
      terminal.parser.registerOscHandler(8, (data) => {
        const url = webTarget(data.slice(data.indexOf(';') + 1));
        if (url !== undefined) this.#mark(url);
        // The terminal itself underlines them.
        return false;
      }),
    );
  }

  /** Everything that can be followed, newest first: what programs marked, then what stands in the text. */
  async list(): Promise<LinkTarget[]> {
    const targets = new Map<string, LinkTarget | TextLink>();
    for (const url of [...this.#marked].reverse()) targets.set(url, { kind: 'web', url });
    const buffer = this.#terminal.buffer.active;
    const least = Math.max(0, buffer.length - LISTED_ROWS);
    for (let row = buffer.length - 1; row >= least && targets.size < MOST_LISTED; row--) {
      if (buffer.getLine(row)?.isWrapped === true && row > least) continue;
      for (const link of findLinks(readLogicalLine(buffer, row).text).reverse()) {
        const key = link.kind === 'web' ? link.url : link.path;
        if (!targets.has(key)) targets.set(key, link);
      }
    }
    const found = await Promise.all(
      [...targets.values()].map((link) => ('start' in link ? this.#targetOf(link) : link)),
    );
    return found.filter((target) => target !== undefined);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #mark(url: string): void {
    this.#marked.delete(url);
    this.#marked.add(url);
    const [oldest] = this.#marked;
    if (this.#marked.size > MOST_MARKED && oldest !== undefined) this.#marked.delete(oldest);
  }

  async #linksOf(row: number): Promise<ILink[]> {
    const buffer = this.#terminal.buffer.active;
    let first = row;
    while (first > 0 && row - first < MOST_ROWS && buffer.getLine(first)?.isWrapped === true) first--;
    const links = findLinks(readLogicalLine(buffer, first).text).flatMap((link) => {
      const range = rangeOf(cellsOf(buffer, first, link.start, link.end));
      const isOnRow = range !== undefined && range.start.y - 1 <= row && row <= range.end.y - 1;
      return isOnRow ? [{ link, range }] : [];
    });
    const targets = await Promise.all(links.map(({ link }) => this.#targetOf(link)));
    return links.flatMap(({ range }, index) => {
      const target = targets[index];
      return target === undefined ? [] : [this.#toLink(range, target)];
    });
  }

  async #targetOf(link: TextLink): Promise<LinkTarget | undefined> {
    if (link.kind === 'web') return { kind: 'web', url: link.url };
    const resolved = await this.#events.resolve(link.path);
    if (resolved === undefined) return undefined;
    return { kind: 'path', text: link.path, ...resolved, line: link.line, column: link.column };
  }

  #toLink(range: IBufferRange, target: LinkTarget): ILink {
    return {
      range,
      text: target.kind === 'web' ? target.url : target.text,
      activate: (event) => this.#activate(event, target),
      hover: () => this.#events.point(target),
      leave: () => this.#events.point(undefined),
    };
  }

  #activate(event: MouseEvent, target: LinkTarget | undefined): void {
    if (target !== undefined && (event.ctrlKey || event.metaKey)) this.#events.follow(target);
  }
}

function webOf(uri: string): LinkTarget | undefined {
  const url = webTarget(uri);
  return url === undefined ? undefined : { kind: 'web', url };
}

/** xterm.js counts from 1, the last cell included. */
function rangeOf(cells: ReturnType<typeof cellsOf>): IBufferRange | undefined {
  const first = cells[0];
  const last = cells.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    start: { x: first.column + 1, y: first.row + 1 },
    end: { x: last.column + last.width, y: last.row + 1 },
  };
}
