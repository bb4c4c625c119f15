/** The figures of a score as they stand in docs/agent-state.md, one block for each agent. */
import type { Transition, Verdict } from './judge.ts';

export interface ScoredTurn {
  kind: string;
  /** Undefined: it could not be played. */
  verdict: Verdict | undefined;
  history: string;
}

export interface Score {
  agent: string;
  version: string;
  date: Date;
  sets: Readonly<Record<string, readonly ScoredTurn[]>>;
}

const HEAD = [
  '| set | turns | transitions right | working after submit, median and most | end after the last byte, median and most | false idle | false completed |',
  '|---|---|---|---|---|---|---|',
];

export function formatScore({ agent, version, date, sets }: Score): string {
  const rows = Object.entries(sets).map(([set, turns]) => row(set, turns));
  const faults = Object.entries(sets).flatMap(([set, turns]) => turns.flatMap((turn) => faultsOf(set, turn)));
  return [
    `### ${agent} ${version}, ${date.toISOString().slice(0, 10)}`,
    '',
    ...HEAD,
    ...rows,
    ...(faults.length === 0 ? [] : ['', 'Wrong:', '', ...count(faults)]),
  ].join('\n');
}

function row(set: string, turns: readonly ScoredTurn[]): string {
  const verdicts = turns.flatMap(({ verdict }) => (verdict === undefined ? [] : [verdict]));
  const transitions = verdicts.flatMap((verdict) => verdict.transitions);
  const right = transitions.filter(({ wrong }) => wrong === undefined).length;
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((total, verdict) => total + of(verdict), 0);
  const cells = [
    set,
    verdicts.length === turns.length ? `${turns.length}` : `${verdicts.length} of ${turns.length} played`,
    `${right} of ${transitions.length}`,
    delays(transitions, 'begins'),
    delays(transitions, 'ends'),
    sum(({ falseIdle }) => falseIdle),
    sum(({ falseCompleted }) => falseCompleted),
  ];
  return `| ${cells.join(' | ')} |`;
}

function delays(transitions: readonly Transition[], what: Transition['what']): string {
  const known = transitions
    .flatMap((transition) => (transition.what === what && transition.delay !== undefined ? [transition.delay] : []))
    .sort((one, other) => one - other);
  const middle = known[Math.floor(known.length / 2)];
  const most = known.at(-1);
  if (middle === undefined || most === undefined) return 'never';
  return `${(middle / 1_000).toFixed(2)} s, ${(most / 1_000).toFixed(2)} s`;
}

function faultsOf(set: string, { kind, verdict, history }: ScoredTurn): string[] {
  if (verdict === undefined) return [`${kind} (${set}): not played: ${history}`];
  // Delays differ from turn to turn; the kind of the fault does not.
  const kinds = verdict.transitions.flatMap(({ what, wrong }) =>
    wrong === undefined ? [] : [`${kind} (${set}): ${what}: ${wrong.replace(/\d+\.\d s/, 'too long')}`],
  );
  return verdict.falseIdle === 0 ? kinds : [...kinds, `${kind} (${set}): idle in the middle`];
}

function count(faults: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const fault of faults) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return [...counts].map(([fault, number]) => `- ${number} x ${fault}`);
}

/** The page with the block of this agent replaced. */
export function putScore(page: string, agent: string, text: string): string {
  const [begin, end] = [`<!-- score ${agent} -->`, `<!-- end ${agent} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/agent-state.md has no place for ${agent}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}
