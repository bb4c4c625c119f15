import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { AppError, LIMITS } from '../../contract/index.ts';
import { WindowRequests } from './window-requests.ts';

const DEADLINE = 15_000;
const someone = () => new AbortController();

function setUp(windows: string[] = ['w1']) {
  const clock = new ManualClock();
  const told: { requestId: string; clientId: string; asked: string }[] = [];
  let number = 0;
  const requests = new WindowRequests<string, string>({
    clock,
    ids: { uuid: () => `r${++number}` },
    deadline: DEADLINE,
    focusedWorkspace: () => windows[0],
    announce: (requestId, clientId, asked) => void told.push({ requestId, clientId, asked }),
  });
  return { clock, requests, told, windows };
}

const refusalOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? { code: error.code, message: error.message } : error;
};

describe('a request to a window', () => {
  it('UI-5, DBG-1: goes to the window that was looked at last, and has its answer', async () => {
    const { clock, requests, told } = setUp(['w2', 'w1']);
    const asked = requests.ask('what', someone().signal);
    expect(told).toEqual([{ requestId: 'r1', clientId: 'w2', asked: 'what' }]);
    requests.answer('r1', 'w2', 'that');
    expect(await asked).toEqual({ requestId: 'r1', clientId: 'w2', answer: 'that' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is refused at once when no workspace is open, and leaves nothing', async () => {
    const { clock, requests, told } = setUp([]);
    expect(await refusalOf(requests.ask('what', someone().signal))).toMatchObject({ code: 'window_missing' });
    expect([told, clock.pendingTimers]).toEqual([[], 0]);
  });

  it('only the window that was asked may answer; the others learn nothing', async () => {
    const { requests } = setUp();
    const asked = requests.ask('what', someone().signal);
    for (const other of ['w2', undefined]) expect(() => requests.answer('r1', other, 'forged')).toThrow('Not found');
    requests.answer('r1', 'w1', 'true');
    expect(await asked).toMatchObject({ answer: 'true' });
    expect(() => requests.answer('r1', 'w1', 'again')).toThrow('Not found');
  });

  it('gives what was asked while it waits, and no longer', async () => {
    const { requests } = setUp();
    const asked = requests.ask('what', someone().signal);
    expect(requests.asked('r1')).toBe('what');
    expect(() => requests.asked('r2')).toThrow('Not found');
    requests.answer('r1', 'w1', 'that');
    await asked;
    expect(() => requests.asked('r1')).toThrow('Not found');
  });

  it('ends by itself when the window is silent', async () => {
    const { clock, requests } = setUp();
    const asked = refusalOf(requests.ask('what', someone().signal));
    clock.advance(DEADLINE - 1);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(1);
    expect(await asked).toEqual({
      code: 'window_unanswered',
      message: 'The workspace gave no answer: none within 15 s; its page may be busy or asleep',
    });
    expect(() => requests.answer('r1', 'w1', 'late')).toThrow('Not found');
  });

  it('ends with its window, and no other one does', async () => {
    const { requests, windows } = setUp(['w1']);
    const first = refusalOf(requests.ask('a', someone().signal));
    windows[0] = 'w2';
    const second = requests.ask('b', someone().signal);
    requests.leave('w1');
    expect(await first).toMatchObject({ code: 'window_unanswered', message: expect.stringContaining('was closed') });
    requests.answer('r2', 'w2', 'still here');
    expect(await second).toMatchObject({ answer: 'still here' });
  });

  it('ends with a caller that leaves, also with one that has left before', async () => {
    const { clock, requests, told } = setUp();
    const caller = someone();
    const asked = refusalOf(requests.ask('what', caller.signal));
    caller.abort();
    expect(await asked).toMatchObject({ message: expect.stringContaining('the caller left') });
    expect(await refusalOf(requests.ask('what', caller.signal))).toMatchObject({ code: 'window_unanswered' });
    expect([told.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('is refused when too many wait; one that was answered makes room', async () => {
    const { requests } = setUp();
    const ask = () => requests.ask('what', someone().signal);
    const asked = Array.from({ length: LIMITS.windowRequests }, ask);
    expect(await refusalOf(ask())).toMatchObject({ code: 'window_limit' });
    requests.answer('r1', 'w1', 'that');
    await asked[0];
    const more = ask();
    requests.dispose();
    expect(await refusalOf(more)).toMatchObject({ message: expect.stringContaining('the server ended') });
    for (const one of asked.slice(1)) expect(await refusalOf(one)).toMatchObject({ code: 'window_unanswered' });
  });

  it('settles exactly once, whatever comes together and in whichever order', async () => {
    const ending = fc.constantFrom('answer', 'caller', 'window', 'time', 'server');
    await fc.assert(
      fc.asyncProperty(fc.array(ending, { minLength: 1, maxLength: 6 }), async (endings) => {
        const { clock, requests } = setUp();
        const caller = someone();
        let accepted = 0;
        const asked = requests.ask('what', caller.signal).then(
          () => 'answered',
          () => 'refused',
        );
        for (const each of endings) {
          if (each === 'caller') caller.abort();
          else if (each === 'window') requests.leave('w1');
          else if (each === 'time') clock.advance(DEADLINE);
          else if (each === 'server') requests.dispose();
          else {
            try {
              requests.answer('r1', 'w1', 'that');
              accepted++;
            } catch (error) {
              // Too late; only the first ending counts.
              expect(error).toBeInstanceOf(AppError);
            }
          }
        }
        const isAnswered = endings[0] === 'answer';
        expect([await asked, accepted]).toEqual(isAnswered ? ['answered', 1] : ['refused', 0]);
        expect(clock.pendingTimers).toBe(0);
      }),
    );
  });
});
