/** The delivery machine against its promises, under random interleavings; a failure names its seed. */
import { expect, it } from 'vitest';
import { MailRig, settled, uuid } from '../../../test/kit/mail-rig.ts';
import { LIMITS } from '../../contract/index.ts';

const [SENDER, TARGET] = [uuid(1), uuid(2)];
const RUNS = 40;
const STEPS = 30;
const AGENT = 's';

/** Repeatable numbers (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

async function run(seed: number): Promise<void> {
  const random = randomOf(seed);
  const rig = new MailRig();
  try {
    rig.join('a', SENDER);
    rig.join('b', TARGET);
    rig.addTerminal(AGENT, TARGET);
    rig.answer = undefined;
    const isOrchestrator = random(3) === 0;
    if (isOrchestrator) rig.register('b', { orchestrator: true });
    /** How often each message was announced for certain: by a wait, or by a line that was typed. */
    const announced = new Map<string, number>();
    const sent: string[] = [];
    const waits: { leave: () => void }[] = [];
    let isDraft = false;
    let settledLines = 0;
    const announce = (text: string) => announced.set(text, (announced.get(text) ?? 0) + 1);
    const settleLine = async (outcome: 'typed' | 'untouched' | 'uncertain') => {
      const typed = rig.typed[settledLines];
      if (typed === undefined) return;
      settledLines++;
      const text = /^\[TUIC message from agent\] (.*)$/.exec(typed.line)?.[1];
      if (text !== undefined && outcome === 'typed') announce(text);
      await typed.settle(outcome);
    };
    const becomeIdle = async () => {
      await rig.change(
        AGENT,
        { shell_state: 'idle', agent_state: 'idle' },
        !isDraft && settledLines === rig.typed.length,
      );
    };
    const steps: (() => Promise<void>)[] = [
      async () => {
        const text = `m${sent.length}`;
        sent.push(text);
        void rig.send(SENDER, TARGET, text);
        await settled();
      },
      async () => {
        const { outcome, leave } = rig.wait(TARGET, { timeout_ms: 1_000 });
        waits.push({ leave });
        void outcome.then(({ messages = [] }) => {
          for (const { content } of messages) announce(content);
        });
        await settled();
        rig.flush();
      },
      async () => waits[random(Math.max(1, waits.length))]?.leave(),
      async () => rig.clock.advance(1_000),
      async () => void rig.inbox(TARGET, { limit: 1 + random(3) }),
      becomeIdle,
      async () => {
        if (settledLines === rig.typed.length) await rig.work(AGENT);
      },
      async () => {
        isDraft = !isDraft;
        if (isDraft && !rig.refusing.has(AGENT)) rig.refusing.set(AGENT, 'composer_not_empty');
      },
      () => settleLine('typed'),
      () => settleLine('typed'),
      () => settleLine('untouched'),
      () => settleLine('uncertain'),
      async () => {
        rig.flush();
        await rig.restart();
        // What was being typed belongs to a server that is no more.
        settledLines = rig.typed.length;
        rig.join('a', SENDER);
        rig.join('b', TARGET);
      },
    ];
    for (let step = 0; step < STEPS; step++) {
      const before = rig.typed.length;
      const wasRefusing = rig.refusing.get(AGENT);
      await steps[random(steps.length)]?.();
      await settled();
      // Never into a composer with a draft: nothing was typed while one stood.
      if (wasRefusing === 'composer_not_empty' && isDraft) expect(rig.typed.length, `seed ${seed}`).toBe(before);
      if (isOrchestrator) for (const { line } of rig.typed) expect(line, `seed ${seed}`).not.toMatch(/m\d/);
    }
    for (const { leave } of waits) leave();
    // With idle edges that go on, what has a way to its agent is announced.
    isDraft = false;
    for (let turn = 0; turn < sent.length + 3; turn++) {
      await settleLine('typed');
      await rig.work(AGENT);
      await becomeIdle();
    }
    await settleLine('typed');
    for (const [text, count] of announced) expect(count, `seed ${seed}: ${text}`).toBeLessThanOrEqual(1);
    const retained = rig.mail.inbox({ identity: TARGET, since: 0, limit: LIMITS.inboxMessages }).messages;
    expect(
      retained.map(({ content }) => content),
      `seed ${seed}`,
    ).toEqual(sent);
    for (const { id, content } of retained) {
      const { shown, observed } = rig.mail.status(SENDER, id);
      expect(observed || shown !== 'no', `seed ${seed}: ${content} was announced or read`).toBe(true);
    }
    expect(rig.failures, `seed ${seed}`).toEqual([]);
  } finally {
    rig.dispose();
  }
}

it('P1, G01, G04: announced once at most and never not at all, always in the inbox, never over a draft', async () => {
  for (let seed = 1; seed <= RUNS; seed++) await run(seed);
});
