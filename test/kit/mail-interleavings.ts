/** The delivery machine of mail under random interleavings of what can happen around it; a broken promise names its seed. */
import { DEADLINES, LIMITS } from '../../src/contract/index.ts';
import { GENERIC_NOTICE } from '../../src/domain/mail/lines.ts';
import { MailRig, settled, uuid } from './mail-rig.ts';

const [SENDER, TARGET] = [uuid(1), uuid(2)];
const STEPS = 30;
const AGENT = 's';

const textOf = (line: string) => /^\[TUIC message from agent\] (.*)$/.exec(line)?.[1];

function ensure(holds: boolean, seed: number, what: string): void {
  if (!holds) throw new Error(`seed ${seed}: ${what}`);
}

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

/** One random interleaving of STEPS steps; throws, with the seed, when a promise is broken. `sabotage` plants a fault first. */
export async function runInterleaving(seed: number, sabotage?: (rig: MailRig) => void): Promise<void> {
  const random = randomOf(seed);
  const rig = new MailRig();
  sabotage?.(rig);
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
    /** Lines that may have reached the agent: none of them is ever typed again. */
    const reached = new Set<string>();
    /** What its agent has read: no line is begun for it any more. */
    const read = new Set<string>();
    /** Notices that nobody knows the end of; two of them are all there are for one group of mail (MSG-76). */
    let lostNotices = 0;
    let seenLines = 0;
    let hasNotice = false;
    const look = () => {
      for (const { line } of rig.typed.slice(seenLines)) {
        if (line === GENERIC_NOTICE) ensure(!hasNotice, seed, 'a second notice for mail that was told of');
        else {
          ensure(!reached.has(line), seed, `typed again: ${line}`);
          ensure(!read.has(textOf(line) ?? ''), seed, `typed after it was read: ${line}`);
        }
      }
      seenLines = rig.typed.length;
    };
    const announce = (text: string) => announced.set(text, (announced.get(text) ?? 0) + 1);
    const settleLine = async (outcome: 'typed' | 'untouched' | 'uncertain') => {
      const typed = rig.typed[settledLines];
      if (typed === undefined) return;
      settledLines++;
      const text = textOf(typed.line);
      if (text !== undefined && outcome === 'typed') announce(text);
      look();
      if (outcome !== 'untouched' && text !== undefined) reached.add(typed.line);
      if (outcome === 'typed' && typed.line === GENERIC_NOTICE) hasNotice = true;
      if (outcome === 'uncertain' && typed.line === GENERIC_NOTICE) lostNotices++;
      await typed.settle(outcome);
      look();
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
          hasNotice = false;
          for (const { content } of messages) {
            announce(content);
            read.add(content);
          }
        });
        await settled();
        rig.flush();
      },
      async () => waits[random(Math.max(1, waits.length))]?.leave(),
      async () => rig.clock.advance(1_000),
      async () => {
        hasNotice = false;
        for (const { content } of rig.inbox(TARGET, { limit: 1 + random(3) }).messages) read.add(content);
      },
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
        hasNotice = false;
        await rig.restart();
        look();
        // What was being typed belongs to a server that is no more, and may have reached its agent.
        for (const { line } of rig.typed.slice(settledLines)) {
          if (line === GENERIC_NOTICE) lostNotices++;
          else reached.add(line);
        }
        settledLines = rig.typed.length;
        rig.join('a', SENDER);
        rig.join('b', TARGET);
      },
    ];
    for (let step = 0; step < STEPS; step++) {
      const before = rig.typed.length;
      const wasRefusing = new Map(rig.refusing).get(AGENT);
      await steps[random(steps.length)]?.();
      await settled();
      // Never into a composer with a draft: nothing was typed while one stood.
      if (wasRefusing === 'composer_not_empty' && isDraft)
        ensure(rig.typed.length === before, seed, 'typed over a draft');
      look();
      if (isOrchestrator)
        ensure(!rig.typed.some(({ line }) => /m\d/.test(line)), seed, 'an orchestrator was typed a message');
    }
    for (const { leave } of waits) leave();
    // With idle edges that go on, what has a way to its agent is announced.
    isDraft = false;
    for (let turn = 0; turn < sent.length + 3; turn++) {
      await settleLine('typed');
      rig.clock.advance(DEADLINES.noticeUncertain);
      await rig.work(AGENT);
      await becomeIdle();
    }
    await settleLine('typed');
    for (const [text, count] of announced) ensure(count <= 1, seed, `${text} was announced ${count} times`);
    // A search moves nothing, so how each message stands is seen before it is read.
    const retained = rig.mail.search({ identity: TARGET, query: 'm', limit: LIMITS.inboxMessages }).messages.reverse();
    const kept = retained.map(({ content }) => content);
    ensure(kept.join() === sent.join(), seed, `the inbox holds ${kept.join()} of ${sent.join()}`);
    for (const { id, content } of retained) {
      const { shown, observed, owner } = rig.mail.status(SENDER, id);
      const isTold = observed || shown !== 'no' || lostNotices >= 2;
      ensure(isTold, seed, `${content} was neither announced nor read`);
      if (owner === 'waiter') ensure(announced.get(content) === 1, seed, `${content} was given to no wait`);
    }
    ensure(rig.failures.length === 0, seed, String(rig.failures[0]));
  } finally {
    rig.dispose();
  }
}
