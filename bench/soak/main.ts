/** The command `npm run soak`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Cleanup } from '../../test/kit/cleanup-steps.ts';
import { OWN_CACHE } from '../kit/machine.ts';
import type { Shape } from './model.ts';
import { plot } from './plot.ts';
import { judge, report, toJson } from './report.ts';
import { type Outcome, runSoak } from './run.ts';

const USAGE = 'npm run soak -- [--minutes N | --seconds N] [--kill-every SECONDS] [--json] [--out FOLDER]';
const LEAST_SECONDS = 10;

class UsageError extends Error {}

function parse(args: string[]) {
  return parseArgs({
    args,
    options: {
      minutes: { type: 'string' },
      seconds: { type: 'string' },
      'kill-every': { type: 'string' },
      json: { type: 'boolean' },
      out: { type: 'string' },
    },
  }).values;
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(`--${name} wants a number above 0, not ${text}`);
  return value;
}

function readShape(values: ReturnType<typeof parse>): Shape {
  if (values.minutes !== undefined && values.seconds !== undefined) {
    throw new UsageError('--minutes and --seconds say the same thing: give one of them');
  }
  const seconds = positive('seconds', values.seconds) ?? (positive('minutes', values.minutes) ?? 10) * 60;
  if (seconds < LEAST_SECONDS) throw new UsageError(`a soak takes at least ${LEAST_SECONDS} s`);
  const killEvery = positive('kill-every', values['kill-every']) ?? 60;
  // A run with one kill has it early, so that all that is judged is one life of the server.
  const firstKill = killEvery < seconds ? killEvery : seconds * 0.15;
  return { seconds, killEvery, firstKill };
}

/** Resolves to the exit code: 1 when something was lost or left, or memory grew; 130 when it was stopped. */
export async function main(args: string[]): Promise<number> {
  let values: ReturnType<typeof parse>;
  let shape: Shape;
  try {
    values = parse(args);
    shape = readShape(values);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nusage: ${USAGE}`);
    return 2;
  }
  const folder = values.out === undefined ? join(OWN_CACHE, '../soak') : resolve(values.out);
  mkdirSync(folder, { recursive: true });
  const stop = new AbortController();
  const cleanup = new Cleanup();
  const onSignal = () => {
    if (stop.signal.aborted) return;
    console.error('stopping: closing what was opened');
    stop.abort();
  };
  // npm and a terminal may both deliver it.
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  // Servers, hosts and what runs in their terminals are processes of their own: they would outlive this one.
  const onFailure = (error: unknown) => {
    console.error(error);
    stop.abort();
    void cleanup.run().finally(() => process.exit(1));
  };
  process.on('uncaughtException', onFailure).on('unhandledRejection', onFailure);
  let outcome: Outcome | undefined;
  try {
    outcome = await runSoak(shape, cleanup, stop.signal, (text) => console.error(text));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    await cleanup.run();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    process.off('uncaughtException', onFailure).off('unhandledRejection', onFailure);
  }
  if (outcome !== undefined) {
    const text = report(outcome);
    writeFileSync(join(folder, 'report.txt'), `${text}\n`);
    writeFileSync(join(folder, 'soak.json'), `${JSON.stringify(toJson(outcome), null, 1)}\n`);
    writeFileSync(join(folder, 'soak.svg'), plot(outcome));
    console.log(values.json === true ? JSON.stringify(toJson(outcome)) : text);
    console.error(`report.txt, soak.json and soak.svg are in ${folder}`);
  }
  if (stop.signal.aborted || outcome === undefined) return 130;
  return judge(outcome).every(({ isHeld }) => isHeld) ? 0 : 1;
}
