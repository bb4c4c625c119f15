/** The search over tools with 10,000 of them: a question, the whole build, and one upstream that comes anew. */
import { ToolIndex } from '../../src/domain/tools/index.ts';
import type { Row, RowContext } from '../model.ts';
import { median, quantile } from '../statistics.ts';

const UPSTREAMS = 100;
const WORDS =
  'list create update delete search read write open close issue pull request file folder branch commit message channel user team invoice order ticket calendar event document page table row query index cache queue worker log metric alert deploy build release image video audio map route price stock report export import sync backup restore'.split(
    ' ',
  );

/** Same tools in every run. */
function makeTools(upstream: number, count: number) {
  let seed = upstream * 7_919 + 1;
  const word = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return WORDS[seed % WORDS.length] ?? '';
  };
  return Array.from({ length: count }, (_, number) => ({
    name: `upstream${upstream}__${word()}_${word()}_${number}`,
    description: `${word()} ${word()} of the ${word()}. ${Array.from({ length: 30 }, word).join(' ')}.`,
  }));
}

function measure(context: RowContext, perUpstream: number): void {
  const groups = Array.from({ length: UPSTREAMS }, (_, upstream) => makeTools(upstream, perUpstream));
  const index = new ToolIndex();
  const since = performance.now();
  for (const [upstream, tools] of groups.entries()) index.replace(String(upstream), tools);
  context.sample('build', 'ms', performance.now() - since);
  for (let round = 0; round < context.size(200, 20); round++) {
    const query = `${WORDS[(round * 3) % WORDS.length]} ${WORDS[(round * 7 + 1) % WORDS.length]}`;
    const before = performance.now();
    index.search(query, 10);
    context.sample('question', 'ms', performance.now() - before);
  }
  for (let round = 0; round < context.size(20, 3); round++) {
    const tools = makeTools(round + UPSTREAMS, perUpstream);
    const before = performance.now();
    index.replace(String(round), tools);
    context.sample('replacement', 'ms', performance.now() - before);
  }
}

export const toolSearchRow: Row = {
  id: 'tool-search',
  title: 'search over 10,000 tools of 100 upstreams',
  rules: [
    { id: 'p99', title: 'a question, p99', unit: 'ms', relation: 'at most', must: 12, stretch: 3 },
    { id: 'build', title: 'the whole index built', unit: 'ms', relation: 'at most', must: 1_500, stretch: 500 },
    { id: 'replace', title: 'one upstream replaced', unit: 'ms', relation: 'at most', must: 50, stretch: 20 },
  ],
  async run(context) {
    for (let round = 0; round < context.rounds; round++) measure(context, context.size(100, 10));
    context.figure('p99', quantile(context.samples('question'), 0.99));
    context.figure('build', median(context.samples('build')));
    context.figure('replace', median(context.samples('replacement')));
  },
};
