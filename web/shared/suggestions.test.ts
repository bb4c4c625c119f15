import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../../src/client/index.ts';
import type { SubmitReceipt } from '../../src/contract/index.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { Suggestions } from './suggestions.ts';

const RECEIPT: SubmitReceipt = {
  submission_id: 's',
  submitted: true,
  write_state: 'complete',
  acknowledged: true,
  retry_safe: false,
  turn_epoch: 2,
  composer_state: 'empty',
};

function setUp(answer: () => Promise<SubmitReceipt>) {
  const told: string[] = [];
  const session = sessionInfo('a', {
    display_name: 'builder',
    state: {
      awaiting_input: false,
      rate_limited: false,
      last_activity_ms: 0,
      agent_type: 'claude',
      agent_state: 'completed',
      suggested_actions: ['Run the tests', 'Commit\u202e'],
    },
  });
  const suggestions = new Suggestions({
    client: {
      sessions: {
        submit: (id, text) => {
          told.push(`submit ${id} ${text}`);
          return answer();
        },
      },
    },
    find: () => session,
    asked: (id) => void told.push(`asked ${id}`),
    tell: (text) => void told.push(text),
    explain: (_error, what) => void told.push(what),
  });
  return { suggestions, told };
}

describe('MRK-3: what an agent offers to do next', () => {
  it('is given to it once, as it is shown, and only if it offers it', async () => {
    const { suggestions, told } = setUp(async () => RECEIPT);
    await Promise.all([suggestions.take('a', 'Run the tests'), suggestions.take('a', 'Run the tests')]);
    await suggestions.take('a', 'rm -rf /');
    await suggestions.take('a', 'Commit');
    expect(told).toEqual(['submit a Run the tests', 'asked a', 'submit a Commit', 'asked a']);
  });

  it('why it was not, is told', async () => {
    const refused: SubmitReceipt = { ...RECEIPT, submitted: false, write_state: 'not_started', reason: 'not_idle' };
    const busy = setUp(async () => refused);
    await busy.suggestions.take('a', 'Commit');
    expect(busy.told.at(-1)).toBe('“Commit” was not given to builder: it is at work.');
    const unsure = setUp(async () => ({ ...refused, write_state: 'uncertain', reason: 'write_uncertain' }));
    await unsure.suggestions.take('a', 'Commit');
    expect(unsure.told.at(-1)).toContain('is not known');
    const gone = setUp(() => Promise.reject(new RequestRefused(404, 'Session not found')));
    await gone.suggestions.take('a', 'Commit');
    expect(gone.told.at(-1)).toContain('could not be given');
  });
});
