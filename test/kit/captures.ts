/**
 * Recordings of real agents (test/captures): what came over the terminal, and beside it the truth of the run. The truth comes from
 * the journal of the fake model API, from the keys that were sent and from what the screen showed, never from the state engine.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Capture, decodeCapture } from '../../src/contract/index.ts';

export const CAPTURE_FOLDER = fileURLToPath(new URL('../captures/', import.meta.url));

/** Microseconds of the capture. The clocks of the two were set against each other with an error of a few milliseconds. */
const at = z.number().int().nonnegative();

const stateSchema = z.enum(['starting', 'idle', 'working', 'awaiting_input', 'exited']);
export type TrueState = z.infer<typeof stateSchema>;

const markSchema = z.object({
  at_us: at,
  /** `submit` is the Enter; request, first_byte and last_byte are those of a turn of the model; `seen` is read from the rows. */
  what: z.enum(['keys', 'submit', 'resize', 'release', 'request', 'first_byte', 'last_byte', 'cut', 'seen']),
  detail: z.string(),
});
export type Mark = z.infer<typeof markSchema>;

export const truthSchema = z.object({
  agent: z.string(),
  version: z.string(),
  scenario: z.string(),
  about: z.string(),
  /** Size at the start; a `resize` mark carries the later ones as COLSxROWS. */
  rows: z.number().int(),
  cols: z.number().int(),
  /** One follows the other without a gap. `until` of an idle or awaited one is the next key that ended it. */
  states: z.array(z.object({ state: stateSchema, from_us: at, until_us: at })),
  marks: z.array(markSchema),
});
export type Truth = z.infer<typeof truthSchema>;

export interface Recording {
  /** `claude/plain`. */
  name: string;
  truth: Truth;
  capture: Capture;
}

export async function listRecordings(): Promise<string[]> {
  const files = await readdir(CAPTURE_FOLDER, { recursive: true });
  return files
    .filter((name) => name.endsWith('.tcap'))
    .map((name) => name.slice(0, -'.tcap'.length))
    .sort();
}

export async function readRecording(name: string): Promise<Recording> {
  const truth = truthSchema.parse(JSON.parse(await readFile(join(CAPTURE_FOLDER, `${name}.json`), 'utf8')));
  return { name, truth, capture: decodeCapture(await readFile(join(CAPTURE_FOLDER, `${name}.tcap`))) };
}
