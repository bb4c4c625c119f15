import { describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../../../test/kit/scripted-agent.ts';
import { DEADLINES } from '../../../contract/index.ts';

describe('ready screens', () => {
  it('STM-21: a ready screen confirms idle only when it has stood for its time', () => {
    const agent = new ScriptedAgent().paint().pass(DEADLINES.readyConfirmation - 1);
    expect(agent.refusal).toBe('not_idle');
    agent.pass(1);
    expect(agent).toMatchObject({ shell: 'idle', by: 'ready_screen', refusal: undefined });
  });

  it('STM-21: output in between begins the time anew', () => {
    const agent = new ScriptedAgent().paint().pass(1_000).writes('more').pass(1_000);
    expect(agent.shell).toBe('busy');
    agent.pass(500);
    expect(agent.by).toBe('ready_screen');
  });

  it('STM-6, S02: the same screen drawn again changes nothing, and an erased spinner is gone', () => {
    const agent = new ScriptedAgent()
      .settles()
      .begins()
      .pass(500)
      .rests()
      .pass(500)
      .paint()
      .pass(500)
      .paint()
      .pass(500);
    expect(agent).toMatchObject({ by: 'ready_screen', state: 'idle' });
  });

  it('STM-22: the screen of before does not end a turn that has shown nothing yet', () => {
    const agent = new ScriptedAgent().settles().types('do it\r').paint().pass(5_000);
    expect(agent.by).toBe('submission');
    // Silence is weaker and may say so, for the eye only (STM-30).
    agent.paint().pass(5_000);
    expect(agent).toMatchObject({ by: 'silence', refusal: 'unconfirmed' });
    agent.writes('an answer').pass(DEADLINES.readyConfirmation);
    expect(agent).toMatchObject({ by: 'ready_screen', refusal: undefined });
  });

  it('STM-22: the submitted line among what was said shows that the turn has begun', () => {
    const agent = new ScriptedAgent().settles().types('do it\r').pass(100).draws(['> do it', 'old', '>']);
    expect(agent.by).toBe('submission');
    expect(agent.pass(DEADLINES.readyConfirmation)).toMatchObject({ by: 'ready_screen', refusal: undefined });
  });

  it('STM-22: a ready screen does not end what the program says of itself', () => {
    const agent = new ScriptedAgent().settles().begins().says('state=working').rests().pass(60_000);
    expect(agent).toMatchObject({ by: 'program_status', state: 'working' });
    agent.says('state=clear').paint().pass(DEADLINES.readyConfirmation);
    expect(agent.state).toBe('idle');
  });

  it('STM-23, STM-26: a ready screen after activity ends a busy that nobody took back', () => {
    const agent = new ScriptedAgent().settles().begins().says('C', 133).rests().pass(DEADLINES.readyConfirmation);
    expect(agent).toMatchObject({ by: 'ready_screen', refusal: undefined });
  });

  it('STM-30: silence and an adapter that nobody verified confirm nothing', () => {
    const guess = new ScriptedAgent('guess').settles();
    expect(guess).toMatchObject({ shell: 'idle', refusal: 'unconfirmed' });
    expect(new ScriptedAgent('blind').paint().pass(5_000)).toMatchObject({ by: 'silence', refusal: 'unconfirmed' });
    expect(new ScriptedAgent('blind').paint().says('state=idle').refusal).toBeUndefined();
  });
});

describe('turns', () => {
  it('STM-25: a submission is a new epoch and busy at once; what the turn before said is void', () => {
    const agent = new ScriptedAgent().settles().says('state=done');
    expect(agent).toMatchObject({ by: 'program_status', refusal: undefined });
    agent.types('go on\r');
    expect(agent.evidence.epoch).toBe(1);
    expect(agent).toMatchObject({ by: 'submission', state: 'working', refusal: 'not_idle' });
    expect(agent.evidence.status.own).toBeUndefined();
  });

  it('STM-2: an empty line is no submission, one of a plain shell makes nothing busy', () => {
    const agent = new ScriptedAgent().settles().types('\r');
    expect(agent.evidence.epoch).toBe(0);
    const shell = new ScriptedAgent(null).types('ls\r');
    expect(shell).toMatchObject({ shell: undefined, refusal: 'not_managed' });
  });

  it('STM-2: a working screen is busy, also when silence had called it idle', () => {
    const agent = new ScriptedAgent().settles().types('x\r').pass(10_000);
    expect(agent.by).toBe('silence');
    agent.works();
    expect(agent).toMatchObject({ state: 'working', by: 'screen' });
  });

  it('STM-34: a working row that is left over does not reopen an ended turn, one that moves does', () => {
    const agent = new ScriptedAgent().settles().begins().says('A', 133).pass(200);
    agent.draws(['you: do it', '✽ Working 1', '>']).pass(200).draws(['you: do it', '✽ Working 1', '>']);
    expect(agent).toMatchObject({ shell: 'idle', by: 'shell_marks' });
    agent.pass(200).draws(['you: do it', '✽ Working 2', '>']);
    expect(agent).toMatchObject({ shell: 'busy', by: 'screen' });
  });

  it('STM-24: an interrupt that was asked for ends the turn when the screen shows it, not before', () => {
    const agent = new ScriptedAgent().settles().begins().types('\x1b').pass(600);
    expect(agent.state).toBe('working');
    agent.draws(['you: do it', '# stopped', '>']);
    expect(agent).toMatchObject({ state: 'idle', by: 'ready_screen' });
  });

  it('STM-24: without a request an interrupted screen is confirmed as any other', () => {
    const agent = new ScriptedAgent().settles().begins().draws(['you: do it', '# stopped', '>']);
    expect(agent.shell).toBe('busy');
    expect(agent.pass(DEADLINES.readyConfirmation).by).toBe('ready_screen');
  });

  it('STM-9: plain output does not end an idle that the program has told', () => {
    const agent = new ScriptedAgent()
      .settles()
      .says('state=idle')
      .writes('a notice')
      .pass(100)
      .works()
      .works('✽ Working 2');
    expect(agent).toMatchObject({ shell: 'idle', by: 'program_status' });
  });

  it('STM-10: after a sleep everything that counts silence begins anew', () => {
    const agent = new ScriptedAgent().paint().pass(1_000);
    agent.evidence.woke(3_600_000);
    expect(agent.evidence.tick(3_600_000 + DEADLINES.readyConfirmation - 1)).toBe(false);
    expect(agent.shell).toBe('busy');
  });

  it('STM-11: what is painted after a resize is no activity', () => {
    const agent = new ScriptedAgent().settles();
    agent.evidence.resized(agent.now);
    agent.draws(['wrapped', 'otherwise', '>']).pass(900).draws(['wrapped', 'again', '>']);
    expect(agent.shell).toBe('idle');
    agent.pass(DEADLINES.resizeGraceLongest).draws(['wrapped', 'again', 'new', '>']);
    expect(agent.shell).toBe('busy');
  });
});

describe('what may be typed (S01)', () => {
  it('STM-57: a marker that the screen contradicts opens nothing', () => {
    const agent = new ScriptedAgent().settles().begins().says('state=idle');
    expect(agent).toMatchObject({ shell: 'idle', refusal: 'unconfirmed' });
    agent.draws(['? Run it', '>']);
    expect(agent.refusal).toBe('dialog_open');
    // A full screen program, or the shell after the agent has gone.
    agent.draws(['~', '~', ':']);
    expect(agent.refusal).toBe('unconfirmed');
    agent.draws(['you: do it', '>']);
    expect(agent.refusal).toBeUndefined();
  });

  it('BUF-3: half a line refuses, an empty composer on the screen proves it empty', () => {
    const agent = new ScriptedAgent().settles().types('half').shows('half');
    expect(agent).toMatchObject({ refusal: 'composer_not_empty' });
    expect(agent.evidence.composer).toBe('partial');
    agent.pass(200).types('\x15').shows('').pass(DEADLINES.echoWindow);
    expect(agent.refusal).toBeUndefined();
  });

  it('BUF-3: what the screen shows counts against the keys, once the echo is over', () => {
    const agent = new ScriptedAgent()
      .settles()
      .types('\x1b[A')
      .pass(50)
      .shows('from the history')
      .pass(DEADLINES.echoWindow);
    expect(agent.refusal).toBe('composer_not_empty');
  });

  it('BUF-3, STM-50: after a restart the composer is unknown until the screen or a submission tells', () => {
    const first = new ScriptedAgent().settles().begins().says('state=working').says('state=done:app=claude').rests();
    const agent = new ScriptedAgent();
    agent.evidence.restore(JSON.parse(JSON.stringify(first.evidence.checkpoint())));
    expect(agent.evidence.epoch).toBe(1);
    expect(agent).toMatchObject({ by: 'program_status', refusal: 'composer_not_empty' });
    agent.paint();
    expect(agent.refusal).toBeUndefined();
  });

  it('STM-50: what a checkpoint does not hold is not assumed to be idle', () => {
    const agent = new ScriptedAgent();
    agent.evidence.restore({ version: 7 });
    expect(agent).toMatchObject({ state: 'starting', refusal: 'not_idle' });
  });

  it('MSG-65: a claim makes it busy in one step, and only one is given', () => {
    const { evidence, agent } = scripted();
    const claim = evidence.claim();
    if (typeof claim === 'string') throw new Error(claim);
    expect(evidence.claim()).toBe('not_idle');
    expect(agent.shell).toBe('busy');
    claim.settle('untouched');
    expect(agent.refusal).toBeUndefined();
    expect(evidence.epoch).toBe(0);
  });

  it('SUB-5: the epoch moves once, whether or not the Enter was seen', () => {
    for (const isSeen of [true, false]) {
      const { evidence, agent } = scripted();
      const claim = evidence.claim();
      if (typeof claim === 'string') throw new Error(claim);
      if (isSeen) agent.types('\x15').types('hello').types('\r');
      claim.settle('submitted');
      claim.settle('uncertain');
      expect(evidence.epoch).toBe(1);
      expect(evidence.composer).toBe('cleared');
      expect(agent.by).toBe('submission');
    }
  });

  it('MSG-67: an uncertain line keeps it busy until the program shows where it stands', () => {
    const { evidence, agent } = scripted();
    const claim = evidence.claim();
    if (typeof claim === 'string') throw new Error(claim);
    claim.settle('uncertain');
    expect(evidence.composer).toBe('unknown');
    agent.pass(100).writes('something').pass(2_000);
    expect(agent.refusal).toBe('not_idle');
    agent.works().pass(100).rests().pass(DEADLINES.readyConfirmation);
    expect(agent.refusal).toBeUndefined();
  });
});

function scripted() {
  const agent = new ScriptedAgent().settles();
  return { agent, evidence: agent.evidence };
}
