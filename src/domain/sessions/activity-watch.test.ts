import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES } from '../../contract/index.ts';
import { SessionEvidence } from '../agents/index.ts';
import { ActivityWatch } from './activity-watch.ts';

function setUp() {
  const clock = new ManualClock();
  const changes: string[] = [];
  const watch = new ActivityWatch(new SessionEvidence(), clock, () => {
    changes.push(watch.current.shell_state ?? 'unknown');
  });
  return { clock, changes, watch };
}

it('STM-3: tells busy at once and idle after silence, each once, with one timer', () => {
  const { clock, changes, watch } = setUp();
  for (let time = 0; time < 10; time++) {
    watch.output(false);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(DEADLINES.shellSilence / 2);
  }
  expect(changes).toEqual(['busy']);
  clock.advance(DEADLINES.shellSilence);
  expect(changes).toEqual(['busy', 'idle']);
  expect(clock.pendingTimers).toBe(0);
});

it('what was written while no server was there is read, and is no activity', () => {
  const { clock, changes, watch } = setUp();
  watch.command(7501, 'state=blocked');
  watch.output(true);
  expect(watch.current).toMatchObject({ awaiting_input: true });
  expect(watch.lastOutput).toBe(0);
  expect(clock.pendingTimers).toBe(0);
  expect(changes).toHaveLength(1);
});

it('STM-10: a wall clock that jumps ends no silence', () => {
  const { clock, changes, watch } = setUp();
  watch.output(false);
  clock.jump(3_600_000);
  clock.advance(DEADLINES.shellSilence - 1);
  expect(changes).toEqual(['busy']);
});

it('the end stops the timer', () => {
  const { clock, watch } = setUp();
  watch.output(false);
  watch.end();
  expect(clock.pendingTimers).toBe(0);
});

it('a limit is over at a time that was set when it was told first, whatever is told again', () => {
  const clock = new ManualClock();
  let told: number | undefined;
  let words = 'one';
  const evidence = new SessionEvidence();
  const read = evidence.read.bind(evidence);
  evidence.read = () => ({
    ...read(),
    rate_limited: told !== undefined,
    last_error: words,
    ...(told === undefined ? {} : { retry_after_ms: told }),
  });
  const watch = new ActivityWatch(evidence, clock, () => undefined);
  const tell = (limit: number | undefined, error: string) => {
    told = limit;
    words = error;
    watch.output(true);
    return watch.limitedUntil;
  };
  const start = clock.now();
  expect(tell(undefined, 'one')).toBeUndefined();
  expect(tell(60_000, 'two')).toBe(start + 60_000);
  clock.advance(5_000);
  expect(tell(60_000, 'three')).toBe(start + 60_000);
  expect(tell(30_000, 'four')).toBe(start + 35_000);
  expect(tell(undefined, 'five')).toBeUndefined();
});
