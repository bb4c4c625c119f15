/** What a soak tells: the promises with their figures, then what was done, then every fault. */
import { DEADLINES } from '../../src/contract/index.ts';
import { commitAtHand, describeMachine } from '../kit/machine.ts';
import { GROWTH_LIMIT } from './model.ts';
import type { Outcome } from './run.ts';

/** Twice as long as ended sessions are kept, in seconds. */
const JUDGED_FROM = (2 * DEADLINES.tombstone) / 1_000;

export interface Verdict {
  readonly title: string;
  readonly figure: string;
  readonly isHeld: boolean;
}

export function judge(outcome: Outcome): Verdict[] {
  const { growth, sessions, faults } = outcome;
  const lost = sessions.reduce((sum, { printed, read, told }) => sum + Math.abs(printed - read - told), 0);
  const verdicts = [
    { title: 'bytes lost', figure: `${lost} of ${megabytes(outcome.counts.bytesRead)} MB`, isHeld: lost === 0 },
    { title: 'faults', figure: String(faults.length), isHeld: faults.length === 0 },
  ];
  if (growth === undefined) return verdicts;
  const { rate, uncertainty } = growth.both;
  // A short run cannot tell so small a rate from the noise of the kernel's accounts; the rate it can tell is judged. And what
  // ended is kept for some minutes, so that until then memory fills: a run that is over before tells its growth only.
  const isJudged = outcome.shape.seconds >= JUDGED_FROM;
  const isHeld = !isJudged || rate - uncertainty <= GROWTH_LIMIT;
  const figure = `${isJudged ? '' : 'told only, the run is too short: '}${signed(rate)} ± ${uncertainty.toFixed(2)} MB a minute (server ${signed(growth.server.rate)}, host ${signed(growth.host.rate)})`;
  return [...verdicts, { title: 'growth of memory', figure, isHeld }];
}

export function report(outcome: Outcome): string {
  const { shape, counts, kills, samples, sessions, faults } = outcome;
  const machine = describeMachine();
  const lines = [
    `soak of ${Math.round(shape.seconds)} s${outcome.isStopped ? ', stopped before its end: nothing is proved' : ''}`,
    `${machine.cores} cores ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}, commit ${commitAtHand()}`,
    '',
  ];
  for (const verdict of judge(outcome)) {
    lines.push(`  ${verdict.isHeld ? '✓' : '✗'} ${verdict.title.padEnd(18)} ${verdict.figure}`);
  }
  const worst = (values: readonly number[]) => (values.length === 0 ? '–' : `${Math.max(...values).toFixed(0)} ms`);
  const told = sessions.filter((session) => session.told > 0);
  const rows: [string, string][] = [
    ['sessions', `${sessions.length} checked to the byte, and ${counts.exits} that printed and ended`],
    ['viewers', `${counts.visits} visits, ${counts.stalls} of them stalled for a while`],
    ['told as missed', `${megabytes(counts.bytesTold)} MB, by ${told.map(({ id }) => id).join(', ') || 'nobody'}`],
    ['words typed', String(counts.words)],
    ['questions', String(counts.requests)],
    ['kills', `${kills.length}; an answer after at most ${worst(kills.map(({ answered }) => answered))}`],
    [
      'event loop',
      `held up for at most ${worst(samples.map(({ loopOwn }) => loopOwn))} (${worst(samples.map(({ loopGap }) => loopGap))} with waits for a processor)`,
    ],
    ['memory', memory(outcome)],
  ];
  lines.push('', ...rows.map(([name, value]) => `  ${name.padEnd(20)} ${value}`));
  if (faults.length > 0) lines.push('', 'faults:', ...faults.map((fault) => `  ${fault}`));
  return lines.join('\n');
}

function memory({ samples }: Outcome): string {
  const last = samples.at(-1);
  if (last === undefined) return '–';
  const peak = Math.max(...samples.map(({ serverMb, hostMb }) => serverMb + hostMb));
  return `server ${last.serverMb.toFixed(0)} MB, host ${last.hostMb.toFixed(0)} MB at the end; together at most ${peak.toFixed(0)} MB`;
}

/** Everything, for programs. */
export function toJson(outcome: Outcome): object {
  return { commit: commitAtHand(), machine: describeMachine(), verdicts: judge(outcome), ...outcome };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}
