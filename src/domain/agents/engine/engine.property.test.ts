import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ScriptedAgent } from '../../../../test/kit/scripted-agent.ts';

type Step = (agent: ScriptedAgent) => void;

const settleClaim =
  (outcome: 'submitted' | 'untouched' | 'uncertain'): Step =>
  (agent) => {
    agent.evidence.tick(agent.now);
    const claim = agent.evidence.claim();
    if (typeof claim === 'object') claim.settle(outcome);
  };

/** What may happen to an agent, named for the report of a failure. */
const STEPS: Readonly<Record<string, Step>> = {
  'writes a line': (agent) => agent.writes(`line ${agent.now}`),
  'paints again': (agent) => agent.paint(),
  works: (agent) => agent.works(`✽ Working ${agent.now}`),
  'keeps a working row': (agent) => agent.works('✽ Working'),
  rests: (agent) => agent.rests(),
  asks: (agent) => agent.draws(['? Run it', '>']),
  'is interrupted': (agent) => agent.draws(['# stopped', '>']),
  'something else draws': (agent) => agent.draws(['~', '~']),
  'says working': (agent) => agent.says('state=working'),
  'says idle': (agent) => agent.says('state=idle'),
  'says blocked': (agent) => agent.says('state=blocked'),
  'says clear': (agent) => agent.says('state=clear'),
  'hook busy': (agent) => agent.hook('busy'),
  'hook idle': (agent) => agent.hook('idle'),
  'hook awaiting': (agent) => agent.hook('awaiting'),
  'a forged hook': (agent) => agent.hook('idle', 'forged'),
  'a child works': (agent) => agent.says('state=working:id=a'),
  'a command begins': (agent) => agent.says('C', 133),
  'a command ends': (agent) => agent.says('D;0', 133),
  'a prompt': (agent) => agent.says('A', 133),
  'a key': (agent) => agent.types('x'),
  Enter: (agent) => agent.types('\r'),
  'a submission': (agent) => agent.types('do it\r'),
  'Ctrl-U': (agent) => agent.types('\x15'),
  Escape: (agent) => agent.types('\x1b'),
  'shows half a line': (agent) => agent.shows('half'),
  'shows no line': (agent) => agent.shows(''),
  resized: (agent) => agent.evidence.resized(agent.now),
  'input is lost': (agent) => agent.evidence.inputLost(),
  slept: (agent) => agent.evidence.woke(agent.now),
  'a line is typed': settleClaim('submitted'),
  'no line is typed': settleClaim('untouched'),
  'a line may be typed': settleClaim('uncertain'),
  'a moment': (agent) => agent.pass(200),
  'a while': (agent) => agent.pass(1_600),
  'a long while': (agent) => agent.pass(31_000),
};

const steps = fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 60 });

function expectSound(agent: ScriptedAgent, before: { epoch: number }): void {
  const { evidence } = agent;
  const own = evidence.status.own?.state;
  const { agent_state, shell_state, awaiting_input } = evidence.read();
  const told = evidence.explain();
  expect(agent_state).not.toBe('completed');
  expect(evidence.epoch).toBeGreaterThanOrEqual(before.epoch);
  if (own === 'working') expect(shell_state).toBe('busy');
  if (own !== undefined && own !== 'working') expect(shell_state).toBe('idle');
  if (own === 'blocked') expect(awaiting_input).toBe(true);
  // A new turn: nothing of the one before is left that says it has ended.
  if (evidence.epoch > before.epoch) {
    expect(own === undefined || own === 'working').toBe(true);
    expect(shell_state).toBe('busy');
  }
  expect(told.typing_refusal).toBe(evidence.typingRefusal());
  if (evidence.typingRefusal() !== undefined) return;
  // S01: what is called ready is so by every sign there is.
  expect(shell_state).toBe('idle');
  expect(awaiting_input).toBe(false);
  expect(told.is_confirmed).toBe(true);
  expect(['empty', 'cleared']).toContain(evidence.composer);
  expect(['ready', 'interrupted', 'unknown']).toContain(told.screen);
}

it('STM-9, STM-25, STM-30, S01: whatever the order of inputs, the state is sound after each', () => {
  fc.assert(
    fc.property(steps, (names) => {
      const agent = new ScriptedAgent();
      for (const name of names) {
        const { epoch } = agent.evidence;
        STEPS[name]?.(agent);
        expectSound(agent, { epoch });
      }
    }),
    { numRuns: 400 },
  );
});

it('STM-50: a server that comes after takes the turn over and never takes a line for granted', () => {
  fc.assert(
    fc.property(steps, (names) => {
      const before = new ScriptedAgent();
      for (const name of names) STEPS[name]?.(before);
      const agent = new ScriptedAgent();
      agent.evidence.restore(JSON.parse(JSON.stringify(before.evidence.checkpoint())));
      expect(agent.evidence.epoch).toBe(before.evidence.epoch);
      expect(agent.evidence.composer).toBe('unknown');
      expect(agent.refusal).not.toBeUndefined();
      expect(agent.evidence.status.state()).toEqual(before.evidence.status.state());
    }),
    { numRuns: 100 },
  );
});
