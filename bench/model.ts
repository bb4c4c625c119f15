/**
 * What a benchmark is: a row of the design's table with its figures. A figure is judged by one number, which is a ratio
 * where it has a baseline; without that baseline it has no number and does not pass.
 */

export type Unit = 'ratio' | 'ms' | 'MB' | 'KB' | 'bytes' | 'percent' | 'MB/s' | 's' | 'count';

export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  readonly relation: 'at least' | 'at most';
  readonly must: number;
  readonly stretch?: number;
  /** Against what a ratio is taken. */
  readonly baseline?: string;
}

export type Verdict = 'stretch' | 'must' | 'missed' | 'no baseline' | 'failed';

export interface Figure extends Rule {
  /** Absent when it could not be measured; `reason` says why. */
  readonly value?: number;
  readonly reason?: string;
  readonly verdict: Verdict;
}

/** What was measured in each round, as it was. */
export interface Series {
  readonly name: string;
  readonly unit: Unit;
  readonly samples: number[];
}

export interface RowResult {
  readonly id: string;
  readonly title: string;
  /** ISO time of its end. */
  readonly at: string;
  readonly seconds: number;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly figures: Figure[];
  readonly series: Series[];
  readonly notes: string[];
  /** Load average of the last minute before the row began: what others asked of the machine. */
  readonly loadBefore: number;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
}

export interface BenchFile {
  readonly commit: string;
  readonly machine: Machine;
  readonly rows: RowResult[];
}

/** Handed to a row while it runs. */
export interface RowContext {
  readonly rounds: number;
  readonly isQuick: boolean;
  /** The first for a whole run, the second for --quick. */
  size(whole: number, quick: number): number;
  /** Adds one measurement to a series. */
  sample(series: string, unit: Unit, value: number): void;
  samples(series: string): readonly number[];
  figure(rule: string, value: number): void;
  /** The figure cannot be told; it does not pass. */
  withoutBaseline(rule: string, reason: string): void;
  note(text: string): void;
  /** Shown while it runs. */
  progress(text: string): void;
  readonly cleanup: import('../test/kit/cleanup-steps.ts').Cleanup;
}

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly Rule[];
  run(context: RowContext): Promise<void>;
}

export function judge(rule: Rule, value: number): Verdict {
  const holds = (limit: number) => (rule.relation === 'at least' ? value >= limit : value <= limit);
  // Not a number holds nothing.
  if (rule.stretch !== undefined && holds(rule.stretch)) return 'stretch';
  return holds(rule.must) ? 'must' : 'missed';
}

export function isPassed(figure: Figure): boolean {
  return figure.verdict === 'stretch' || figure.verdict === 'must';
}
