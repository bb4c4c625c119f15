import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import { PendingConfirms } from './confirms.ts';

const QUESTION = { kind: 'confirm', title: 'Delete it?', message: null } as const;
const someone = () => new AbortController();

function setUp() {
  const clock = new ManualClock();
  const events: { name: string; request_id: string; confirmed?: boolean; reason?: string }[] = [];
  let number = 0;
  const confirms = new PendingConfirms({
    clock,
    ids: { uuid: () => `q${++number}` },
    publish: (name, data) => void events.push({ name, ...data }),
  });
  return { clock, confirms, events, resolved: () => events.filter(({ name }) => name === 'mcp-confirm-resolved') };
}

describe('a question', () => {
  it('UI-4, UI-6: is listed until it is answered, and whoever asked has the answer', async () => {
    const { clock, confirms, resolved } = setUp();
    const asked = confirms.ask({ ...QUESTION, origin_session_id: 's1' }, someone().signal);
    const now = clock.now();
    expect(confirms.list()).toEqual([
      {
        request_id: 'q1',
        ...QUESTION,
        origin_session_id: 's1',
        created_at: now,
        expires_at: now + DEADLINES.confirm,
      },
    ]);
    confirms.answer('q1', true);
    expect(await asked).toEqual({ confirmed: true });
    expect([confirms.list(), clock.pendingTimers]).toEqual([[], 0]);
    expect(resolved()).toEqual([{ name: 'mcp-confirm-resolved', request_id: 'q1', confirmed: true }]);
  });

  it('W08: without an answer it ends by itself, says so, and tells everybody', async () => {
    const { clock, confirms, resolved } = setUp();
    const asked = confirms.ask(QUESTION, someone().signal);
    clock.advance(DEADLINES.confirm - 1);
    expect(confirms.list()).toHaveLength(1);
    clock.advance(1);
    expect(await asked).toEqual({ confirmed: false, reason: 'no answer within 300s' });
    expect(confirms.list()).toEqual([]);
    expect(resolved()).toMatchObject([{ confirmed: false, reason: 'no answer within 300s' }]);
    expect(() => confirms.answer('q1', true)).toThrow('Not found');
  });

  it('ends with a caller that leaves, also with one that has left before', async () => {
    const { clock, confirms, events } = setUp();
    const caller = someone();
    const asked = confirms.ask(QUESTION, caller.signal);
    caller.abort();
    expect(await asked).toEqual({ confirmed: false, reason: 'the caller left' });
    expect(await confirms.ask(QUESTION, caller.signal)).toMatchObject({ confirmed: false });
    expect(events.map(({ name }) => name)).toEqual(['mcp-confirm', 'mcp-confirm-resolved']);
    expect([confirms.list(), clock.pendingTimers]).toEqual([[], 0]);
  });

  it('ends with the server, all of them', async () => {
    const { clock, confirms } = setUp();
    const asked = [1, 2, 3].map(() => confirms.ask(QUESTION, someone().signal));
    confirms.dispose();
    for (const outcome of await Promise.all(asked))
      expect(outcome).toEqual({ confirmed: false, reason: 'the server ended' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is refused when too many wait; one that was answered makes room', async () => {
    const { confirms } = setUp();
    const ask = () => confirms.ask(QUESTION, someone().signal);
    const asked = Array.from({ length: LIMITS.confirms }, ask);
    expect(ask).toThrow('100 questions wait');
    confirms.answer('q1', false);
    expect(await asked[0]).toEqual({ confirmed: false });
    void ask();
    expect(confirms.list()).toHaveLength(LIMITS.confirms);
  });

  it('UI-6: settles exactly once, whatever comes together and in whichever order', async () => {
    const ending = fc.constantFrom('yes', 'no', 'leave', 'time', 'end');
    await fc.assert(
      fc.asyncProperty(fc.array(ending, { minLength: 1, maxLength: 6 }), async (endings) => {
        const { clock, confirms, resolved } = setUp();
        const caller = someone();
        const asked = confirms.ask(QUESTION, caller.signal);
        const accepted: boolean[] = [];
        for (const each of endings) {
          if (each === 'leave') caller.abort();
          else if (each === 'time') clock.advance(DEADLINES.confirm);
          else if (each === 'end') confirms.dispose();
          else {
            try {
              confirms.answer('q1', each === 'yes');
              accepted.push(each === 'yes');
            } catch {
              // Too late; only the first ending counts.
            }
          }
        }
        const outcome = await asked;
        expect(resolved()).toEqual([{ name: 'mcp-confirm-resolved', request_id: 'q1', ...outcome }]);
        expect(accepted).toEqual(outcome.reason === undefined ? [outcome.confirmed] : []);
        expect(clock.pendingTimers).toBe(0);
      }),
    );
  });
});
