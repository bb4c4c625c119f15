/** How quickly the pty host reads a terminal, against a program that does nothing else. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findPlainReader, type PlainReader, parseResult, type ReadResult } from '../baselines/plain-reader.ts';
import { interleave } from '../kit/interleave.ts';
import { program, textFile, turnedLength } from '../kit/machine.ts';
import type { Row } from '../model.ts';
import { medianRatio } from '../statistics.ts';

const run = promisify(execFile);

export const ptyReadRow: Row = {
  id: 'pty-read',
  title: 'Reading a terminal in the host',
  rules: [
    {
      id: 'plain',
      title: 'rate against a plain reader',
      unit: 'ratio',
      relation: 'at least',
      must: 0.9,
      stretch: 0.95,
      baseline: 'plain reader',
    },
  ],
  async run(context) {
    const file = textFile(context.size(100_000_000, 20_000_000));
    const expected = turnedLength(await readFile(file));
    let plain: PlainReader | undefined;
    try {
      plain = await findPlainReader();
      context.note(`The plain reader is written in ${plain.language}.`);
    } catch (error) {
      context.withoutBaseline('plain', error instanceof Error ? error.message : String(error));
    }
    const take = (name: string, result: ReadResult) => {
      context.sample(name, 'MB/s', result.bytes / 1e6 / result.seconds);
      return expected - result.bytes;
    };
    const runs: Record<string, () => Promise<void>> = {
      async ours() {
        const { stdout } = await run(process.execPath, [program('host-reader'), file]);
        const lost = take('ours', parseResult(stdout));
        if (lost !== 0) throw new Error(`the host read ${lost} bytes too few`);
      },
    };
    const reader = plain;
    if (reader !== undefined) {
      runs['plain reader'] = async () => {
        take('plain reader', await reader.read(file));
      };
    }
    await interleave(context, runs);
    if (plain !== undefined) {
      context.figure('plain', medianRatio(context.samples('ours'), context.samples('plain reader')));
    }
  },
};
