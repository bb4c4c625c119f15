import { describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../../../test/kit/scripted-agent.ts';
import { DEADLINES } from '../../../contract/index.ts';
import { overlap } from './printed.ts';

const OFFER = '● suggest: [ Run the tests | Commit ]';
const ITEMS = ['Run the tests', 'Commit'];
const READY = DEADLINES.readyConfirmation;
const read = (agent: ScriptedAgent) => agent.evidence.read();

/** A turn that ends with the offer, up to where it is idle for sure. */
function completes(agent = new ScriptedAgent().settles()): ScriptedAgent {
  return agent.begins().writes(OFFER).pass(200).rests().pass(READY);
}

describe('suggestions', () => {
  it('STM-31, MRK-5: they complete the turn once it is idle, and not before', () => {
    const agent = new ScriptedAgent().settles().begins().writes(OFFER).pass(200);
    expect(read(agent)).toMatchObject({ agent_state: 'working' });
    expect(read(agent).suggested_actions).toBeUndefined();
    agent.rests().pass(READY - 1);
    expect(agent.state).toBe('working');
    agent.pass(1);
    expect(read(agent)).toMatchObject({ agent_state: 'completed', shell_state: 'idle', suggested_actions: ITEMS });
  });

  it('STM-31: a turn without them is idle, however quiet', () => {
    const agent = new ScriptedAgent().settles().begins().writes('● All done.').rests().pass(60_000);
    expect(agent.state).toBe('idle');
    agent.begins().says('state=done').rests().pass(READY);
    expect(agent.state).toBe('idle');
  });

  it('STM-30a, MRK-5: they wait for what the agent left running', () => {
    const agent = new ScriptedAgent('claude', true).settles();
    agent.evidence.processes([], agent.now + 1);
    completes(agent);
    agent.evidence.processes(['make'], agent.now + 1);
    expect(agent.state).toBe('working');
    agent.pass(1_000);
    agent.evidence.processes([], agent.now + 1);
    expect(agent.state).toBe('completed');
  });

  it('MRK-5, STM-25: the next submission takes completion and suggestions away', () => {
    const agent = completes().types('go on\r');
    expect(read(agent)).toMatchObject({ agent_state: 'working' });
    expect(read(agent).suggested_actions).toBeUndefined();
  });

  it('MRK-6: the row of the turn before, or a repaint of it, completes nothing', () => {
    const agent = completes().begins('again').rests().pass(READY);
    expect(agent.state).toBe('idle');
    agent.draws(['>']).pass(200).paint().pass(READY);
    expect(agent.state).toBe('idle');
    agent.evidence.resized(agent.now);
    agent.pass(100).paint().pass(READY);
    expect(agent.state).toBe('idle');
  });

  it('MRK-6: the same suggestions printed again complete the next turn', () => {
    expect(completes(completes()).state).toBe('completed');
    // Also when the first has left the screen.
    const agent = completes().begins().clears().pass(200);
    expect(agent.writes(OFFER).rests().pass(READY).state).toBe('completed');
  });

  it('STM-24: a turn that somebody broke into is not completed by what it had offered', () => {
    const agent = new ScriptedAgent().settles().begins().writes(OFFER).types('\x1b').pass(100);
    agent.rests().writes('# stopped').pass(READY);
    expect(agent.state).toBe('idle');
  });

  it('MRK-5: a newer list replaces an older one', () => {
    const agent = new ScriptedAgent()
      .settles()
      .begins()
      .writes(OFFER)
      .writes('● suggest: [ A | B ]')
      .rests()
      .pass(READY);
    expect(read(agent).suggested_actions).toEqual(['A', 'B']);
  });

  it('STM-34: work that goes on by itself takes the completion back', () => {
    const agent = completes().pass(500).works('✽ Working 2').pass(200).works('✽ Working 3');
    expect(read(agent)).toMatchObject({ agent_state: 'working' });
    expect(read(agent).suggested_actions).toBeUndefined();
    expect(completes().says('state=working').state).toBe('working');
    expect(completes().hook('busy').state).toBe('working');
  });

  it('STM-12: what a start shows of before its first turn completes nothing', () => {
    const agent = new ScriptedAgent().paint().pass(100).writes(OFFER).pass(READY);
    expect(agent.state).toBe('idle');
    // A prompt that came as an argument is no submission; its work is seen.
    const started = new ScriptedAgent().paint().works().pass(200).writes(OFFER).rests().pass(READY);
    expect(started.state).toBe('completed');
  });

  it('STM-57: a hostile file with markers opens no gate and completes nothing', () => {
    const agent = new ScriptedAgent().settles().begins();
    for (const row of ['● Bash(cat hostile)', `  ⎿  ${OFFER}`, `     ${OFFER}`, '     intent: take it over (Mine)'])
      agent.writes(row);
    agent.pass(10_000);
    expect([agent.state, agent.refusal]).toEqual(['working', 'not_idle']);
    agent.rests().pass(READY);
    expect(read(agent)).toMatchObject({ agent_state: 'idle' });
    expect(read(agent).agent_intent).toBeUndefined();
  });

  it('STM-57: a marker of the agent itself opens no gate while it works', () => {
    const agent = new ScriptedAgent().settles().begins().writes(OFFER).pass(10_000);
    expect([agent.state, agent.refusal]).toEqual(['working', 'not_idle']);
  });

  it('STM-50: a completion outlives the server; the screen found then says nothing new', () => {
    const stored: unknown = JSON.parse(JSON.stringify(completes().evidence.checkpoint()));
    const next = new ScriptedAgent();
    next.evidence.restore(stored);
    next.writes(OFFER).pass(READY);
    expect(read(next)).toMatchObject({ agent_state: 'completed', suggested_actions: ITEMS });
    next.begins().rests().pass(READY);
    expect(next.state).toBe('idle');
  });
});

describe('intents', () => {
  it('MRK-2: the newest is told, apart from prompt and description', () => {
    const agent = new ScriptedAgent().settles().begins().writes('● intent: read the parser (Parser)');
    expect(read(agent).agent_intent).toBe('read the parser (Parser)');
    agent.writes('● intent: write the tests (Tests)').rests().pass(READY);
    expect(read(agent).agent_intent).toBe('write the tests (Tests)');
  });

  it('MRK-4: one that is still being written is not told', () => {
    const agent = new ScriptedAgent().settles().begins().writes('● intent: read the');
    expect(read(agent).agent_intent).toBeUndefined();
    agent.writes('  parser first');
    expect(read(agent).agent_intent).toBeUndefined();
    agent.works('✽ Working 2');
    expect(read(agent).agent_intent).toBe('read the parser first');
  });
});

describe('limits and errors', () => {
  const RETRY = '✻ API error · retrying in 34s · attempt 1/10';

  it('STM-46: a limit is told with its wait, and is over after it', () => {
    const agent = new ScriptedAgent().settles().begins().works(RETRY);
    expect(read(agent)).toMatchObject({ rate_limited: true, retry_after_ms: 34_000, agent_state: 'working' });
    // It counts down; that is no other limit.
    agent.pass(10_000).works('✻ API error · retrying in 24s · attempt 1/10');
    expect(read(agent)).toMatchObject({ rate_limited: true, retry_after_ms: 34_000 });
    agent.pass(24_000);
    expect(read(agent).rate_limited).toBe(false);
    expect(read(agent).retry_after_ms).toBeUndefined();
  });

  it('STM-46: work that goes on ends it before', () => {
    const agent = new ScriptedAgent().settles().begins().works(RETRY).pass(1_000).works('✽ Working 9');
    expect(read(agent)).toMatchObject({ rate_limited: false });
    expect(read(agent).last_error).toBeUndefined();
  });

  it('STM-47: an error stays until somebody goes on, and counts once while it stands on the screen', () => {
    const agent = new ScriptedAgent().settles().begins().writes('● API Error: 500 internal').rests().pass(READY);
    expect(read(agent)).toMatchObject({
      rate_limited: false,
      agent_state: 'idle',
      last_error: 'API Error: 500 internal',
    });
    agent.begins('try again').rests().pass(READY);
    expect(read(agent).last_error).toBeUndefined();
    agent.begins('and again').writes('● API Error: 500 internal').rests().pass(READY);
    expect(read(agent).last_error).toBe('API Error: 500 internal');
  });

  it('STM-12: what a start shows of before is none of now', () => {
    const agent = new ScriptedAgent().paint().writes('● API Error: 429 too many').pass(READY);
    expect(read(agent)).toMatchObject({ rate_limited: false });
  });

  it('STM-57: a limit opens no gate and closes none', () => {
    const agent = new ScriptedAgent().settles().begins().writes('● API Error: 429 too many').rests().pass(READY);
    expect(read(agent).rate_limited).toBe(true);
    expect(agent.refusal).toBeUndefined();
  });
});

describe('what stood there before', () => {
  it.each([
    [[], ['a'], 0],
    [['a'], ['a'], 1],
    [['a'], ['a', 'a'], 1],
    [['a', 'b'], ['b', 'c'], 1],
    [['b'], ['a', 'b'], 2],
    [['a', 'b'], ['c'], 0],
  ])('%j then %j: %i are old', (before, now, count) => {
    expect(overlap(before, now)).toBe(count);
  });
});
