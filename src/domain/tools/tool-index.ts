/**
 * Owns the search index over tools (LAZ-3, LAZ-8): BM25 over names and whole descriptions, in groups that are replaced as one, since an
 * upstream that comes, goes or changes is one group. Each group is a segment of its own, so a replacement rebuilds nothing else.
 * Answers do not depend on the order of the groups: sums run over sorted words, and equal scores are ordered by name.
 */

export interface SearchableTool {
  /** Unique over all groups. */
  readonly name: string;
  readonly description: string;
  /** Further words it is found by, worth as much as its name. */
  readonly keywords?: string;
}

export interface FoundTool {
  name: string;
  /** The first sentence of the description. */
  summary: string;
}

const LONGEST_SUMMARY = 200;
/** Names are snake_case, kebab-case or camelCase; words in them are found like words in a text. */
const BETWEEN_WORDS = /[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u;
/** A shorter beginning of a word fits nearly everything. */
const SHORTEST_PREFIX = 3;
/** A word of the name counts as often. */
const NAME_WEIGHT = 3;
/** What a word that only begins like the one asked for is worth. */
const PREFIX_WEIGHT = 0.4;
/** The usual constants of BM25. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

export function summaryOf(description: string): string {
  const line = description.trim().split('\n')[0] ?? '';
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > LONGEST_SUMMARY ? `${sentence.slice(0, LONGEST_SUMMARY - 1)}…` : sentence;
}

function wordsOf(text: string): string[] {
  return text
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** Pairs of a tool's place and the weighted count of the word in it. */
type Postings = number[];

class Segment {
  readonly tools: readonly SearchableTool[];
  readonly lengths: number[] = [];
  readonly totalLength: number;
  readonly #postings = new Map<string, Postings>();
  readonly #vocabulary: string[];

  constructor(tools: readonly SearchableTool[]) {
    this.tools = tools.map(({ name, description }) => ({ name, description }));
    for (const [place, { name, description, keywords = '' }] of tools.entries()) {
      const counts = new Map<string, number>();
      const add = (word: string, weight: number) => counts.set(word, (counts.get(word) ?? 0) + weight);
      for (const word of wordsOf(name)) add(word, NAME_WEIGHT);
      for (const word of new Set(wordsOf(keywords))) if (!counts.has(word)) add(word, NAME_WEIGHT);
      for (const word of wordsOf(description)) add(word, 1);
      let length = 0;
      for (const [word, count] of counts) {
        length += count;
        const postings = this.#postings.get(word);
        if (postings === undefined) this.#postings.set(word, [place, count]);
        else postings.push(place, count);
      }
      this.lengths.push(length);
    }
    this.totalLength = this.lengths.reduce((sum, length) => sum + length, 0);
    this.#vocabulary = [...this.#postings.keys()].sort();
  }

  postingsOf(word: string): Postings {
    return this.#postings.get(word) ?? [];
  }

  /** Words of this segment that begin with `prefix`, itself included. */
  *wordsFrom(prefix: string): Generator<string> {
    let low = 0;
    let high = this.#vocabulary.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#vocabulary[middle] ?? '') < prefix) low = middle + 1;
      else high = middle;
    }
    for (let word = this.#vocabulary[low]; word?.startsWith(prefix) === true; word = this.#vocabulary[++low])
      yield word;
  }
}

export class ToolIndex {
  readonly #groups = new Map<string, Segment>();

  /** Every tool of the group, in place of those it had; none removes the group. */
  replace(group: string, tools: readonly SearchableTool[]): void {
    if (tools.length === 0) this.#groups.delete(group);
    else this.#groups.set(group, new Segment(tools));
  }

  get size(): number {
    let size = 0;
    for (const { tools } of this.#groups.values()) size += tools.length;
    return size;
  }

  /** The best `limit`, best first. */
  search(query: string, limit: number): FoundTool[] {
    const segments = [...this.#groups.values()];
    const scores = this.#score(segments, this.#expand(segments, query));
    const best: { score: number; tool: SearchableTool }[] = [];
    const isBefore = (score: number, name: string, other: { score: number; tool: SearchableTool }) =>
      score > other.score || (score === other.score && name < other.tool.name);
    for (const [at, { tools }] of segments.entries()) {
      const own = scores[at] ?? [];
      for (const [place, tool] of tools.entries()) {
        const score = own[place] ?? 0;
        if (score === 0) continue;
        const last = best.at(-1);
        if (best.length === limit && last !== undefined && !isBefore(score, tool.name, last)) continue;
        const found = best.findIndex((each) => isBefore(score, tool.name, each));
        best.splice(found < 0 ? best.length : found, 0, { score, tool });
        if (best.length > limit) best.pop();
      }
    }
    return best.map(({ tool }) => ({ name: tool.name, summary: summaryOf(tool.description) }));
  }

  /** The words to look for with what each is worth; sorted, so that sums are the same in any order of the groups. */
  #expand(segments: readonly Segment[], query: string): [string, number][] {
    const wanted = new Map<string, number>();
    const want = (word: string, weight: number) => wanted.set(word, Math.max(wanted.get(word) ?? 0, weight));
    for (const word of new Set(wordsOf(query))) {
      want(word, 1);
      if (word.length < SHORTEST_PREFIX) continue;
      for (const segment of segments) {
        for (const longer of segment.wordsFrom(word)) if (longer !== word) want(longer, PREFIX_WEIGHT);
      }
    }
    return [...wanted].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #score(segments: readonly Segment[], words: readonly [string, number][]): Float64Array[] {
    const scores = segments.map(({ tools }) => new Float64Array(tools.length));
    const count = segments.reduce((sum, { tools }) => sum + tools.length, 0);
    const average = segments.reduce((sum, { totalLength }) => sum + totalLength, 0) / Math.max(count, 1);
    for (const [word, weight] of words) {
      const all = segments.map((segment) => segment.postingsOf(word));
      const inTools = all.reduce((sum, postings) => sum + postings.length / 2, 0);
      if (inTools === 0) continue;
      const rarity = weight * Math.log(1 + (count - inTools + 0.5) / (inTools + 0.5));
      for (const [at, postings] of all.entries()) {
        const lengths = segments[at]?.lengths ?? [];
        const own = scores[at];
        if (own === undefined) continue;
        for (let index = 0; index < postings.length; index += 2) {
          const place = postings[index] ?? 0;
          const times = postings[index + 1] ?? 0;
          const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * (lengths[place] ?? 0)) / average);
          own[place] = (own[place] ?? 0) + (rarity * times * (SATURATION + 1)) / (times + norm);
        }
      }
    }
    return scores;
  }
}
