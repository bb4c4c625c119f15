/** What released agents printed of limits and errors (test/captures), through the whole engine; and that nothing else is taken for it. */
import { expect, it } from 'vitest';
import { replayAgent } from '../../../../test/kit/agent-replay.ts';
import { listRecordings, readRecording } from '../../../../test/kit/captures.ts';

interface Told {
  limits: number[];
  errors: Set<string>;
  others: unknown[];
}

async function play(name: string): Promise<Told> {
  const told: Told = { limits: [], errors: new Set(), others: [] };
  replayAgent(await readRecording(name), (activity) => {
    const { rate_limited, retry_after_ms = 0, last_error, agent_intent, suggested_actions, agent_state } = activity;
    if (rate_limited && told.limits.at(-1) !== retry_after_ms) told.limits.push(retry_after_ms);
    if (last_error !== undefined) told.errors.add(last_error);
    if (agent_intent !== undefined || suggested_actions !== undefined || agent_state === 'completed') {
      told.others.push(activity);
    }
  });
  return told;
}

const EXPECTED: Readonly<Record<string, { limits: number[]; errors: RegExp }>> = {
  'claude/rate-limit': { limits: [34_000], errors: /^API error · retrying · attempt 1\/10$/ },
  // Tried again after one and two seconds, then given up.
  'claude/overload': {
    limits: [1_000, 30_000],
    errors: /^API error · retrying · attempt [12]\/10$|^API Error: Repeated 529 /,
  },
  'codex/rate-limit': { limits: [60_000], errors: /^Exceeded retry limit, last status: 429 Too Many Requests$/ },
  'codex/overload': { limits: [30_000], errors: /^Unexpected status 529 / },
  'opencode/overload': { limits: [2_000, 4_000], errors: /^Provider is overloaded \[retrying attempt #[12]\]$/ },
};

it.each(await listRecordings())(
  'STM-46, STM-47, STM-31: %s: limits and errors as they were printed, and no marker',
  async (name) => {
    const { limits, errors, others } = await play(name);
    const expected = EXPECTED[name];
    expect(others).toEqual([]);
    expect(limits).toEqual(expected?.limits ?? []);
    expect(errors.size > 0).toBe(expected !== undefined);
    for (const error of errors) expect(error).toMatch(expected?.errors ?? /^$/);
  },
);
