/**
 * The delivery machine against its promises, under random interleavings, and planted faults that must be found. 2,000 runs here, 20,000
 * in npm run test:long; npm run test:mail takes their number and the first seed.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runInterleaving } from '../../../test/kit/mail-interleavings.ts';
import type { MailRig } from '../../../test/kit/mail-rig.ts';
import { Delivery } from './delivery.ts';
import { Mailbox } from './mailbox.ts';
import { TypingQueue } from './typing-queue.ts';
import { Waits } from './waits.ts';

const RUNS = Number(process.env.TUIC_MAIL_RUNS ?? (process.env.TUIC_LONG === '1' ? 20_000 : 2_000));
const FIRST = Number(process.env.TUIC_MAIL_SEED ?? 1);
const RUNS_FOR_A_FAULT = 2_000;

afterEach(() => void vi.restoreAllMocks());

it(
  `P1, G01, G04: ${RUNS} runs: announced once at most and never not at all, always in the inbox, never over a draft`,
  async () => {
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) await runInterleaving(seed);
  },
  RUNS * 100,
);

/** Each takes away one thing that the promises need. */
const FAULTS: Record<string, (rig: MailRig) => void> = {
  'how a typed line ended is not noted': () => void vi.spyOn(Delivery.prototype, 'lineSettled').mockReturnValue(),
  'what was read is typed all the same': () => void vi.spyOn(TypingQueue.prototype, 'removeMessages').mockReturnValue(),
  'a message is queued beside itself': () => void vi.spyOn(TypingQueue.prototype, 'hasMessage').mockReturnValue(false),
  'what a wait took is announced once more': () => {
    vi.spyOn(Waits.prototype, 'offer').mockImplementation(function (this: Waits, letter, fresh) {
      offer.call(this, letter, fresh);
      return undefined;
    });
  },
  'a wait that nobody opened takes the mail': () =>
    void vi.spyOn(Waits.prototype, 'offer').mockImplementation((_letter, fresh) => fresh),
  'the terminal is not asked whether it takes a line': (rig) =>
    void vi.spyOn(rig.refusing, 'get').mockReturnValue(undefined),
  'no line is ever begun': () => void vi.spyOn(TypingQueue.prototype, 'pump').mockReturnValue(),
  'what was read is not noted': () => void vi.spyOn(Mailbox.prototype, 'observe').mockReturnValue(),
  'a line that a kill caught is not settled': () =>
    void vi.spyOn(TypingQueue.prototype, 'settleBegun').mockReturnValue(),
  'a notice is not remembered': () => {
    vi.spyOn(Mailbox.prototype, 'saveGate').mockImplementation(function (
      this: Mailbox,
      identity,
      { isPending: _, ...rest },
    ) {
      saveGate.call(this, identity, rest);
    });
  },
  'an idle edge wakes nobody': () => void vi.spyOn(Delivery.prototype, 'terminalChanged').mockReturnValue(),
};
const { offer } = Waits.prototype;
const { saveGate } = Mailbox.prototype;

describe('planted faults', () => {
  it.each(Object.entries(FAULTS))('%s: found', async (_name, plant) => {
    const find = async () => {
      for (let seed = 1; seed <= RUNS_FOR_A_FAULT; seed++) await runInterleaving(seed, plant);
    };
    await expect(find()).rejects.toThrow(/^seed \d+: /);
  });
});
