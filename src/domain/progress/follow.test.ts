import { afterEach, beforeEach, expect, it } from 'vitest';
import { sessionInfo } from '../../../test/kit/session-info.ts';
import { Bus } from '../../base/index.ts';
import type { AppEvent } from '../../contract/index.ts';
import { followIntents } from './index.ts';

let bus: Bus<AppEvent>;
let recorded: unknown[];
let last: string | undefined;
let failed: string[];
let following: { dispose(): void };

function start(): void {
  bus = new Bus();
  following = followIntents({
    bus,
    progress: {
      recordIntent: async (intent) => {
        if (intent.text === 'fails') throw new Error('the disk is full');
        recorded.push(intent);
        return undefined;
      },
      lastIntent: () => last,
    },
    sessions: { list: () => [sessionInfo('s', { cwd: '/home/me/app' })], workingFolder: async () => null },
    log: { warn: (_fields, message) => failed.push(message) },
  });
}

beforeEach(() => {
  [recorded, failed, last] = [[], [], undefined];
  start();
});
afterEach(() => following.dispose());

async function says(agent_intent: string | undefined): Promise<void> {
  const state = { awaiting_input: false, rate_limited: false, last_activity_ms: 1, agent_type: 'claude' };
  bus.publish({
    name: 'session-state',
    data: { session_id: 's', state: agent_intent === undefined ? state : { ...state, agent_intent } },
  });
  await new Promise<void>((resolve) => setImmediate(resolve));
}

it('PRJ-5: each new intent of a terminal is recorded once, with the folder it works in', async () => {
  await says(undefined);
  await says('read the parser (Parser)');
  await says('read the parser (Parser)');
  await says('write tests for f()');
  const place = { folder: '/home/me/app', session_id: 's', agent_type: 'claude' };
  expect(recorded).toEqual([
    { text: 'read the parser', title: 'Parser', ...place },
    { text: 'write tests for f()', ...place },
  ]);
});

it('PRJ-5: a restart of the server records nothing again', async () => {
  last = 'read the parser';
  await says('read the parser (Parser)');
  expect(recorded).toEqual([]);
  await says('write the tests');
  expect(recorded).toHaveLength(1);
});

it('one that cannot be recorded is told, and stops none after it', async () => {
  await says('fails');
  await says('goes on');
  expect(failed).toEqual(['an intent was not recorded']);
  expect(recorded).toHaveLength(1);
});
