import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEADLINES } from '../../contract/index.ts';
import { SessionEvidence } from './evidence.ts';

/** With what is absent as undefined. */
const read = (evidence: SessionEvidence) => ({
  shell_state: undefined,
  agent_state: undefined,
  agent_type: undefined,
  question_text: undefined,
  progress: undefined,
  ...evidence.read(),
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a plain shell', () => {
  it('STM-1: nothing is known before the first observation', () => {
    expect(read(new SessionEvidence())).toMatchObject({
      shell_state: undefined,
      agent_state: undefined,
      awaiting_input: false,
    });
  });

  it('STM-3: output is busy, silence is idle, and only after its time', () => {
    const evidence = new SessionEvidence();
    evidence.output(1_000);
    expect(evidence.dueAt()).toBe(1_000 + DEADLINES.shellSilence);
    expect(evidence.read().shell_state).toBe('busy');
    expect(evidence.tick(1_000 + DEADLINES.shellSilence - 1)).toBe(false);
    expect(evidence.tick(1_000 + DEADLINES.shellSilence)).toBe(true);
    expect(evidence.read().shell_state).toBe('idle');
    expect(evidence.tick(99_999)).toBe(false);
  });

  it('STM-8: a command that the shell marked is busy through its silence, and its prompt ends it at once', () => {
    const evidence = new SessionEvidence();
    evidence.output(0);
    evidence.command(133, 'C');
    evidence.tick(60_000);
    expect(evidence.read().shell_state).toBe('busy');
    evidence.output(61_000);
    evidence.command(133, 'D;0');
    expect(evidence.read().shell_state).toBe('idle');
  });

  it('progress is shown while the program says so', () => {
    const evidence = new SessionEvidence();
    evidence.command(9, '4;1;42');
    expect(evidence.read().progress).toBe(42);
    evidence.command(9, '4;1;999');
    evidence.command(9, 'a notice');
    expect(evidence.read().progress).toBe(42);
    evidence.command(9, '4;0;');
    expect(evidence.read().progress).toBeUndefined();
  });
});

describe('a program that speaks OSC 7501', () => {
  it('STM-54, STM-55: working, blocked, done', () => {
    const evidence = new SessionEvidence();
    evidence.command(7501, '?');
    expect(evidence.read().agent_state).toBeUndefined();
    evidence.command(7501, 'state=working:app=claude');
    expect(read(evidence)).toMatchObject({ agent_type: 'claude', agent_state: 'working', shell_state: 'busy' });
    evidence.command(7501, `state=blocked:app=claude:kind=permission:msg=${base64('Run it?')}`);
    expect(read(evidence)).toMatchObject({
      agent_state: 'awaiting_input',
      awaiting_input: true,
      question_text: 'Run it?',
      question_kind: 'permission',
    });
    evidence.command(7501, 'state=done:app=claude');
    expect(read(evidence)).toMatchObject({ agent_state: 'idle', awaiting_input: false, question_text: undefined });
  });

  it('STM-9: output, silence and shell marks do not override what stands', () => {
    const evidence = new SessionEvidence();
    evidence.command(7501, 'state=working:app=codex');
    evidence.output(0);
    evidence.tick(1_000_000);
    expect(evidence.read().shell_state).toBe('busy');
    evidence.command(7501, 'state=idle:app=codex');
    evidence.output(2_000_000);
    expect(read(evidence)).toMatchObject({ shell_state: 'idle', agent_state: 'idle' });
  });

  it('STM-55: an error is told with its text, the next work takes it away', () => {
    const evidence = new SessionEvidence();
    evidence.command(7501, `state=error:app=codex:msg=${base64('no credit')}`);
    expect(read(evidence)).toMatchObject({ last_error: 'no credit', agent_state: 'idle' });
    evidence.command(7501, 'state=working:app=codex');
    expect(evidence.read().last_error).toBeUndefined();
  });

  it('STM-32: a child that works keeps the agent working', () => {
    const evidence = new SessionEvidence('claude');
    evidence.command(7501, 'state=working:id=task');
    evidence.command(7501, 'state=idle');
    expect(read(evidence)).toMatchObject({ background_work: true, agent_state: 'working' });
    evidence.command(7501, 'state=clear:id=task');
    expect(read(evidence)).toMatchObject({ agent_state: 'idle' });
  });

  it('STM-56: a prompt of the shell ends a question that nobody will answer any more', () => {
    const evidence = new SessionEvidence();
    evidence.command(7501, 'state=blocked:app=claude');
    evidence.command(133, 'A');
    expect(read(evidence)).toMatchObject({ awaiting_input: false, shell_state: 'idle', agent_type: undefined });
  });

  it('an agent is given longer than a shell before silence counts', () => {
    const evidence = new SessionEvidence('aider');
    evidence.output(0);
    expect(evidence.dueAt()).toBe(DEADLINES.agentSilence);
  });

  it('the end of the program ends all it said', () => {
    const evidence = new SessionEvidence();
    evidence.output(0);
    evidence.command(7501, 'state=blocked:app=claude');
    evidence.end();
    expect(read(evidence)).toMatchObject({ awaiting_input: false, shell_state: 'idle', progress: undefined });
  });
});

it('STM-9: whatever the order of inputs, a standing record decides and a question is never left over', () => {
  const input = fc.oneof(
    fc.record({
      code: fc.constant(7501),
      data: fc.constantFrom('state=working', 'state=blocked', 'state=idle', 'state=clear', 'x'),
    }),
    fc.record({ code: fc.constant(133), data: fc.constantFrom('A', 'B', 'C', 'D;1') }),
    fc.record({ code: fc.constant(0), data: fc.constantFrom('output', 'tick') }),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 40 }), (inputs) => {
      const evidence = new SessionEvidence();
      let at = 0;
      for (const { code, data } of inputs) {
        at += 400;
        if (data === 'output') evidence.output(at);
        else if (data === 'tick') evidence.tick(at);
        else evidence.command(code, data);
        const { awaiting_input, shell_state } = evidence.read();
        const own = evidence.status.own?.state;
        expect(awaiting_input).toBe(own === 'blocked');
        if (own !== undefined) expect(shell_state).toBe(own === 'working' ? 'busy' : 'idle');
      }
    }),
  );
});

describe('why it is told so (DBG-1)', () => {
  it('each kind of evidence names itself, the strongest that stands first', () => {
    const evidence = new SessionEvidence('claude');
    const by = () => evidence.explain().shell_state_by;
    expect(evidence.explain()).toMatchObject({ agent_type_by: 'declared', turn_epoch: 0, typing_refusal: 'not_idle' });
    evidence.output(0);
    expect(by()).toBe('output');
    evidence.tick(60_000);
    expect(by()).toBe('silence');
    evidence.command(133, 'C');
    expect(by()).toBe('shell_marks');
    evidence.command(7501, 'state=working:app=codex');
    evidence.command(7501, 'state=dancing');
    expect(evidence.explain()).toMatchObject({
      agent_type_by: 'program_status',
      shell_state_by: 'program_status',
      program_status: [{ id: '', state: 'working', app: 'codex' }],
      dropped_reports: 1,
    });
    evidence.end();
    expect(by()).toBe('exit');
    expect(new SessionEvidence().explain()).toEqual({ program_status: [], dropped_reports: 0 });
  });
});
