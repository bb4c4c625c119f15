/** Reads the JSON of a run as it may be found: of any version of the rows, whole or of a run that was stopped. */
import { z } from 'zod';
import type { BenchFile } from '../model.ts';

/** JSON has no NaN: what could not be told as a number stands there as null. */
const samples = z.array(z.number().nullable()).transform((all) => all.filter((value) => value !== null));
const optionalNumber = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined);
const unit = z.enum(['ratio', 'ms', 'MB', 'KB', 'bytes', 'percent', 'MB/s', 's', 'count']);

const figure = z
  .object({
    id: z.string(),
    title: z.string(),
    unit,
    relation: z.enum(['at least', 'at most']),
    must: z.number(),
    stretch: optionalNumber,
    baseline: z.string().optional(),
    value: optionalNumber,
    reason: z.string().optional(),
    verdict: z.enum(['stretch', 'must', 'missed', 'no baseline', 'failed']),
  })
  .transform(({ stretch, baseline, value, reason, ...rest }) => ({
    ...rest,
    ...(stretch === undefined ? {} : { stretch }),
    ...(baseline === undefined ? {} : { baseline }),
    ...(value === undefined ? {} : { value }),
    ...(reason === undefined ? {} : { reason }),
  }));

const benchFile = z.object({
  commit: z.string(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number(),
    memoryGb: z.number(),
    system: z.string(),
    node: z.string(),
  }),
  rows: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      at: z.string(),
      seconds: z.number(),
      isQuick: z.boolean(),
      rounds: z.number(),
      figures: z.array(figure),
      series: z.array(z.object({ name: z.string(), unit, samples })),
      notes: z.array(z.string()),
      loadBefore: z.number(),
    }),
  ),
});

/** Throws with one line that says what is wrong with the text. */
export function readBenchFile(text: string): BenchFile {
  const result = benchFile.safeParse(JSON.parse(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`not the JSON of a run: ${issue?.path.join('.')}: ${issue?.message}`);
}
