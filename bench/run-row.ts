/** Runs one row to its end, whatever comes: what it opened is closed, what it could not tell is told. */
import { Cleanup } from '../test/kit/cleanup-steps.ts';
import { loadAverage } from './kit/cpu.ts';
import { type Figure, judge, type Row, type RowContext, type RowResult, type Series, type Unit } from './model.ts';

const STOPS = ['SIGINT', 'SIGTERM'] as const;

export interface RunOptions {
  isQuick: boolean;
  rounds: number;
  progress(text: string): void;
}

export async function runRow(row: Row, options: RunOptions): Promise<RowResult> {
  const figures = new Map<string, Figure>();
  const series = new Map<string, Series>();
  const notes: string[] = [];
  const cleanup = new Cleanup();
  const loadBefore = loadAverage();
  const since = performance.now();
  const ruleOf = (id: string) => {
    const rule = row.rules.find((candidate) => candidate.id === id);
    if (rule === undefined) throw new Error(`${row.id} has no figure ${id}`);
    return rule;
  };
  const context: RowContext = {
    rounds: options.rounds,
    isQuick: options.isQuick,
    cleanup,
    size: (whole, quick) => (options.isQuick ? quick : whole),
    sample(name, unit: Unit, value) {
      const known = series.get(name) ?? { name, unit, samples: [] };
      known.samples.push(value);
      series.set(name, known);
    },
    samples: (name) => series.get(name)?.samples ?? [],
    figure(id, value) {
      const rule = ruleOf(id);
      figures.set(id, { ...rule, value, verdict: judge(rule, value) });
    },
    withoutBaseline: (id, reason) => figures.set(id, { ...ruleOf(id), reason, verdict: 'no baseline' }),
    note: (text) => notes.push(text),
    progress: options.progress,
  };
  let failure: string | undefined;
  // Servers, hosts and baselines are processes of their own: they would outlive a bench that is stopped.
  const stop = () => {
    options.progress('stopped; closing what was opened');
    void cleanup.run().finally(() => process.exit(130));
  };
  for (const signal of STOPS) process.once(signal, stop);
  try {
    await row.run(context);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    options.progress(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  try {
    await cleanup.run();
  } catch (error) {
    failure ??= `afterwards: ${error instanceof Error ? error.message : String(error)}`;
  }
  for (const signal of STOPS) process.off(signal, stop);
  return {
    id: row.id,
    title: row.title,
    at: new Date().toISOString(),
    seconds: Math.round((performance.now() - since) / 100) / 10,
    isQuick: options.isQuick,
    rounds: options.rounds,
    figures: row.rules.map(
      (rule): Figure =>
        figures.get(rule.id) ?? { ...rule, reason: failure ?? 'the row did not tell it', verdict: 'failed' },
    ),
    series: [...series.values()],
    notes: failure === undefined ? notes : [...notes, `failed: ${failure}`],
    loadBefore,
  };
}
