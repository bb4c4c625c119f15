/**
 * The state engine against recordings of real agents, with none of them installed. What is known to be wrong stands in
 * agent-faults.json: a fault that is not there fails. `TUIC_UPDATE_PINS=1` writes the list anew, also without what is gone.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { judge } from '../agents/judge.ts';
import { replayAgent, turnOf } from '../kit/agent-replay.ts';
import { listRecordings, type Recording, readRecording } from '../kit/captures.ts';

const LIST = join(import.meta.dirname, 'agent-faults.json');
const known = JSON.parse(readFileSync(LIST, 'utf8')) as Record<string, string[]>;
const found: Record<string, string[]> = {};

describe.each(await listRecordings())('%s', (name) => {
  it('STM-2, STM-3, STM-40: the states of the agent are told when they come', async () => {
    const faults = faultsOf(await readRecording(name));
    if (faults.length > 0) found[name] = faults;
    if (process.env.TUIC_UPDATE_PINS === '1') return;
    expect(faults.filter((fault) => known[name]?.includes(fault) !== true)).toEqual([]);
  });
});

afterAll(() => {
  if (process.env.TUIC_UPDATE_PINS === '1') writeFileSync(LIST, `${JSON.stringify(found, null, 2)}\n`);
});

function faultsOf(recording: Recording): string[] {
  const told = replayAgent(recording);
  const turn = turnOf(recording);
  if (turn === undefined) return withoutTurn(recording, told);
  const { transitions, falseIdle, falseCompleted } = judge(turn, told);
  return [
    ...transitions.flatMap(({ what, wrong }) =>
      wrong === undefined ? [] : [`${what}: ${wrong.replace(/\d+\.\d s/, 'too long')}`],
    ),
    ...(falseIdle === 0 ? [] : ['idle in the middle']),
    ...(falseCompleted === 0 ? [] : ['completed']),
  ];
}

/** Nothing was submitted, or the agent ended: it is found idle after its start, and typing is no work. */
function withoutTurn({ truth }: Recording, told: ReturnType<typeof replayAgent>): string[] {
  const idle = truth.states.find(({ state }) => state === 'idle');
  const until = (idle?.until_us ?? 0) / 1_000;
  const last = told.findLast(({ at }) => at <= until)?.state;
  const isIdle = last === 'idle' ? [] : [`is ${last ?? 'nothing'} after its start`];
  const keys = truth.marks.find(({ what }) => what === 'keys')?.at_us;
  if (keys === undefined || truth.scenario !== 'half-typed') return isIdle;
  const isWorking = told.some(({ at, state }) => at > keys / 1_000 && state === 'working');
  return isWorking ? [...isIdle, 'works while somebody types'] : isIdle;
}
