import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { AppError, DEADLINES, LIMITS } from '../../contract/index.ts';
import { type LineClaim, TerminalWriter, type WrittenLine } from './writer.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

class Claim implements LineClaim {
  readonly outcomes: string[] = [];
  settle(outcome: string): void {
    this.outcomes.push(outcome);
  }
}

function setUp() {
  const clock = new ManualClock();
  const handed: string[] = [];
  let connection: object | undefined = {};
  let failure: AppError | undefined;
  let output = 0;
  const writer = new TerminalWriter({
    clock,
    connection: () => connection,
    hand: async (given) => {
      if (failure !== undefined) throw failure;
      handed.push(new TextDecoder().decode(given));
    },
    offset: () => output,
  });
  const line = (text: string, claim?: LineClaim): Promise<WrittenLine<string>> =>
    writer.typeLine(() => ({ frame: bytes(text), ...(claim === undefined ? {} : { claim }) }));
  return {
    clock,
    writer,
    handed,
    line,
    print: (count: number) => {
      output += count;
    },
    fail: (error: AppError | undefined) => {
      failure = error;
    },
    reconnect: (other: object | undefined) => {
      connection = other;
    },
    gap: () => clock.advanceAsync(DEADLINES.typingGap),
  };
}

describe('the writer of a terminal', () => {
  it('hands bytes over in the turn in which they come', () => {
    const { writer, handed } = setUp();
    void writer.write(bytes('a'));
    void writer.write(bytes('b'));
    expect(handed).toEqual(['a', 'b']);
  });

  it('SUB-4: the Enter of a line follows after the gap, and not before', async () => {
    const { clock, handed, line, print } = setUp();
    const claim = new Claim();
    const typed = line('text', claim);
    print(7);
    await clock.advanceAsync(DEADLINES.typingGap - 1);
    expect([handed, claim.outcomes]).toEqual([['text'], []]);
    await clock.advanceAsync(1);
    print(5);
    expect(await typed).toEqual({ write_state: 'complete', offset: 7 });
    expect([handed, claim.outcomes, clock.pendingTimers]).toEqual([['text', '\r'], ['submitted'], 0]);
  });

  it('SUB-4: behind a long text, which is read in pieces, the Enter waits longer', async () => {
    const { clock, handed, line } = setUp();
    const typed = line('x'.repeat(LIMITS.writeSlice * 3));
    await clock.advanceAsync(DEADLINES.typingGap * 4 - 1);
    expect(handed).toHaveLength(1);
    await clock.advanceAsync(1);
    expect((await typed).write_state).toBe('complete');
    void line('x'.repeat(4_000_000));
    await clock.advanceAsync(DEADLINES.typingGapLongest);
    expect(handed).toHaveLength(4);
  });

  it('SUB-3: keystrokes during a line wait for its Enter and keep their order', async () => {
    const { writer, handed, line, gap } = setUp();
    const typed = line('text');
    const keys = Promise.all(['x', 'y', '\x03'].map((key) => writer.write(bytes(key))));
    await gap();
    await Promise.all([typed, keys]);
    expect(handed).toEqual(['text', '\r', 'x', 'y', '\x03']);
  });

  it('SUB-3: a second line waits as a whole, between the keystrokes where it came', async () => {
    const { writer, handed, line, gap } = setUp();
    const all = [line('one'), writer.write(bytes('x')), line('two'), writer.write(bytes('y'))];
    await gap();
    expect(handed).toEqual(['one', '\r', 'x', 'two']);
    await gap();
    await Promise.all(all);
    expect(handed).toEqual(['one', '\r', 'x', 'two', '\r', 'y']);
  });

  it('a line that is refused in its turn writes nothing and holds nothing up', async () => {
    const { writer, handed, line, gap } = setUp();
    const first = line('one');
    const second = writer.typeLine(() => ({ refusal: 'not_idle' }));
    const key = writer.write(bytes('x'));
    await gap();
    expect((await first).write_state).toBe('complete');
    expect(await second).toEqual({ write_state: 'not_started', offset: 0, refusal: 'not_idle' });
    await key;
    expect(handed).toEqual(['one', '\r', 'x']);
  });

  it.each(['session_not_live', 'write_queue_full', 'write_failed'] as const)(
    'a text that the host refuses (%s) was not begun',
    async (code) => {
      const { line, fail, handed, writer } = setUp();
      const claim = new Claim();
      fail(new AppError(code));
      expect(await line('text', claim)).toMatchObject({ write_state: 'not_started', failure: { code } });
      fail(undefined);
      await writer.write(bytes('x'));
      expect([claim.outcomes, handed]).toEqual([['untouched'], ['x']]);
    },
  );

  it('without a connection nothing is begun', async () => {
    const { line, reconnect, handed } = setUp();
    const claim = new Claim();
    reconnect(undefined);
    expect(await line('text', claim)).toMatchObject({
      write_state: 'not_started',
      failure: { code: 'host_unavailable' },
    });
    expect([claim.outcomes, handed]).toEqual([['untouched'], []]);
  });

  it('D15: a connection that breaks while the text is handed over leaves the line uncertain', async () => {
    const { line, fail } = setUp();
    const claim = new Claim();
    fail(new AppError('host_unavailable', { detail: 'it broke' }));
    expect(await line('text', claim)).toEqual({ write_state: 'uncertain', offset: 0 });
    expect(claim.outcomes).toEqual(['uncertain']);
  });

  it.each([
    ['is gone', undefined],
    ['is another one', {}],
  ])('D15: no Enter goes out when the connection %s after the gap; keystrokes go on', async (_, other) => {
    const { writer, line, reconnect, handed, gap } = setUp();
    const claim = new Claim();
    const typed = line('text', claim);
    const key = writer.write(bytes('x'));
    reconnect(other);
    await gap();
    expect(await typed).toEqual({ write_state: 'uncertain', offset: 0 });
    await key;
    expect([claim.outcomes, handed]).toEqual([['uncertain'], ['text', 'x']]);
  });

  it('an Enter that the host refuses leaves the line uncertain: its text is there', async () => {
    const { clock, line, fail, gap } = setUp();
    const claim = new Claim();
    const typed = line('text', claim);
    await clock.advanceAsync(1);
    fail(new AppError('session_not_live', { lifecycle: 'exited' }));
    await gap();
    expect(await typed).toMatchObject({ write_state: 'uncertain' });
    expect(claim.outcomes).toEqual(['uncertain']);
  });

  it('idle: at once without a line, else after the last one', async () => {
    const { writer, line, gap } = setUp();
    await writer.idle();
    let isIdle = false;
    const lines = [line('one'), line('two')];
    void writer.idle().then(() => {
      isIdle = true;
    });
    await gap();
    expect(isIdle).toBe(false);
    await gap();
    await Promise.all(lines);
    expect(isIdle).toBe(true);
  });

  it('SUB-3: whatever comes when, lines are whole, order is kept and nothing is lost', async () => {
    const event = fc.constantFrom('key', 'line', 'time');
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
        const { writer, handed, line, clock, gap } = setUp();
        const expected: string[] = [];
        const work: Promise<unknown>[] = [];
        for (const [number, each] of events.entries()) {
          if (each === 'time') await clock.advanceAsync(DEADLINES.typingGap / 2);
          else if (each === 'key') {
            expected.push(`k${number}`);
            work.push(writer.write(bytes(`k${number}`)));
          } else {
            expected.push(`l${number}`, '\r');
            work.push(line(`l${number}`));
          }
        }
        for (const _ of events) await gap();
        await Promise.all(work);
        expect(handed).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});
