/**
 * Owns the search index over tools (LAZ-3, LAZ-8): BM25 over names and whole descriptions, in groups that are replaced as one, since an
 * upstream that comes, goes or changes is one group. Equal scores are ordered by name, so that an answer is the same everywhere.
 */
import MiniSearch from 'minisearch';

export interface SearchableTool {
  /** Unique over all groups. */
  readonly name: string;
  readonly description: string;
}

export interface FoundTool {
  name: string;
  /** The first sentence of the description. */
  summary: string;
}

interface Entry extends SearchableTool {
  id: number;
}

const LONGEST_SUMMARY = 200;
/** Names are snake_case, kebab-case or camelCase; words in them are found like words in a text. */
const BETWEEN_WORDS = /[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u;
/** A shorter beginning of a word fits nearly everything. */
const SHORTEST_PREFIX = 3;

export function summaryOf(description: string): string {
  const line = description.trim().split('\n')[0] ?? '';
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > LONGEST_SUMMARY ? `${sentence.slice(0, LONGEST_SUMMARY - 1)}…` : sentence;
}

export class ToolIndex {
  readonly #search = new MiniSearch<Entry>({
    fields: ['name', 'description'],
    storeFields: ['name', 'description'],
    tokenize: (text) => text.split(BETWEEN_WORDS).filter((word) => word !== ''),
    searchOptions: { boost: { name: 3 }, prefix: (word) => word.length >= SHORTEST_PREFIX, combineWith: 'OR' },
  });
  readonly #groups = new Map<string, number[]>();
  #nextId = 0;

  /** Every tool of the group, in place of those it had; none removes the group. */
  replace(group: string, tools: readonly SearchableTool[]): void {
    this.#search.discardAll(this.#groups.get(group) ?? []);
    this.#groups.delete(group);
    if (tools.length === 0) return;
    const entries = tools.map(({ name, description }) => ({ id: this.#nextId++, name, description }));
    this.#search.addAll(entries);
    this.#groups.set(
      group,
      entries.map(({ id }) => id),
    );
  }

  get size(): number {
    return this.#search.documentCount;
  }

  /** The best `limit`, best first; what `isAllowed` refuses takes no place. */
  search(query: string, limit: number, isAllowed: (name: string) => boolean = () => true): FoundTool[] {
    return this.#search
      .search(query)
      .filter(({ name }) => isAllowed(String(name)))
      .sort((a, b) => b.score - a.score || (String(a.name) < String(b.name) ? -1 : 1))
      .slice(0, limit)
      .map(({ name, description }) => ({ name: String(name), summary: summaryOf(String(description)) }));
  }
}
