import { describe, expect, it } from 'vitest';
import type { PendingConfirm, SessionState } from '../../src/contract/index.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import {
  describeStatus,
  nextWaiting,
  statusDetail,
  statusOf,
  statusWord,
  suggestionsOf,
  usageText,
  waitingCount,
  waitingIds,
} from './session-status.ts';

const state = (change: Partial<SessionState> = {}): SessionState => ({
  awaiting_input: false,
  rate_limited: false,
  last_activity_ms: 0,
  ...change,
});
const live = (change: Partial<SessionState>, id = 'one') => sessionInfo(id, { state: state(change) });
const choice = { title: 'Run\u001b[31m rm -rf?', options: [] };
const question = (id: string, origin?: string): PendingConfirm => ({
  request_id: id,
  kind: 'confirm',
  title: 'Well?',
  message: null,
  created_at: 0,
  expires_at: 1,
  ...(origin === undefined ? {} : { origin_session_id: origin }),
});

describe('http.md 4: what is told of a session', () => {
  it.each([
    ['running', sessionInfo('one')],
    ['running', live({ agent_type: 'claude', agent_state: 'starting' })],
    ['idle', live({ agent_type: 'claude', agent_state: 'idle' })],
    ['working', live({ agent_type: 'claude', agent_state: 'working' })],
    ['done', live({ agent_type: 'claude', agent_state: 'completed' })],
    ['error', live({ agent_state: 'idle', last_error: 'overloaded' })],
    ['working', live({ agent_state: 'working', last_error: 'overloaded' })],
    ['limited', live({ agent_state: 'working', rate_limited: true, last_error: 'x' })],
    ['asks', live({ awaiting_input: true, rate_limited: true })],
    ['asks', live({ choice_prompt: choice })],
    ['lost', { ...live({ awaiting_input: true }), lifecycle: 'lost' as const }],
    ['ended', { ...live({ awaiting_input: true }), lifecycle: 'exited' as const, exit_code: 0 }],
    ['failed', sessionInfo('one', { lifecycle: 'exited', exit_code: 3 })],
    ['closing', { ...live({ awaiting_input: true }), isClosing: true }],
  ])('%s', (expected, session) => expect(statusOf(session)).toBe(expected));

  it('an exit code is told with its number', () => {
    expect(describeStatus(sessionInfo('one', { lifecycle: 'exited', exit_code: 3 }))).toBe('ended with exit code 3');
    expect(describeStatus(live({ awaiting_input: true }))).toBe('waits for you');
  });

  it('a shell has no word, but a question of whatever program has one', () => {
    expect(statusWord(live({ shell_state: 'busy' }))).toBeUndefined();
    expect(statusWord(live({ awaiting_input: true }))).toBe('waits for you');
    expect(statusWord(live({ agent_type: 'codex', agent_state: 'working' }))).toBe('working');
  });

  it('the question is one line without control characters; the choice stands for it where there is none', () => {
    expect(statusDetail(live({ awaiting_input: true, question_text: 'Go\n on\u202e?\u0007' }))).toBe('Go on ?');
    expect(statusDetail(live({ awaiting_input: true, choice_prompt: choice }))).toBe('Run [31m rm -rf?');
    expect(statusDetail(live({ awaiting_input: true, question_text: ' \u0000 ' }))).toBeUndefined();
    expect(statusDetail(live({ question_text: 'old' }))).toBeUndefined();
    expect(statusDetail(live({ agent_state: 'idle', last_error: 'no credit' }))).toBe('no credit');
  });
});

describe('what else an agent tells', () => {
  it('what it does while it works, and not afterwards', () => {
    const intent = { agent_type: 'claude', agent_intent: 'Read\n the tests' };
    expect(statusDetail(live({ ...intent, agent_state: 'working' }))).toBe('Read the tests');
    expect(statusDetail(live({ agent_state: 'working', current_task: 'Reading' }))).toBe('Reading');
    expect(statusDetail(live({ ...intent, agent_state: 'idle' }))).toBeUndefined();
  });

  it('its usage as it is printed, and what it offers once it is done', () => {
    expect(usageText(live({ usage_limit_pct: 81.4 }))).toBe('81 % used');
    expect(usageText(live({}))).toBeUndefined();
    expect(usageText({ ...live({ usage_limit_pct: 81 }), lifecycle: 'exited' })).toBeUndefined();
    const offers = { agent_type: 'claude', suggested_actions: ['Run\u202e tests', ' ', 'x'.repeat(301)] };
    expect(suggestionsOf(live({ ...offers, agent_state: 'completed' }))).toEqual(['Run tests']);
    expect(suggestionsOf(live({ ...offers, agent_state: 'working' }))).toEqual([]);
  });
});

describe('who waits for a person', () => {
  const asks = live({ awaiting_input: true }, 'asks');
  const quiet = live({}, 'quiet');
  const gone = sessionInfo('gone', { lifecycle: 'exited' });

  it('counts a session once, with all its questions, and a question of nobody known', () => {
    expect(waitingIds([quiet, asks, gone], [])).toEqual(['asks']);
    expect(waitingIds([quiet, asks, gone], [question('1', 'quiet'), question('2', 'gone')])).toEqual(['quiet', 'asks']);
    expect(waitingCount([quiet, asks], [question('1', 'asks')])).toBe(1);
    expect(waitingCount([quiet, asks], [question('1'), question('2', 'quiet')])).toBe(3);
  });

  it('the next one comes after the current one, around the end, and is never the current one', () => {
    const order = ['a', 'b', 'c', 'd'];
    expect(nextWaiting(order, ['a', 'c'], 'b')).toBe('c');
    expect(nextWaiting(order, ['a', 'c'], 'c')).toBe('a');
    expect(nextWaiting(order, ['a', 'c'])).toBe('a');
    expect(nextWaiting(order, ['c'], 'c')).toBeUndefined();
    expect(nextWaiting(order, [], 'a')).toBeUndefined();
    expect(nextWaiting(order, ['d', 'b'], 'unlisted')).toBe('b');
  });
});
