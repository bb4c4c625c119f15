import { afterEach, describe, expect, it } from 'vitest';
import { ServerUnreachable } from '../../src/client/index.ts';
import { ManualClock, settle } from '../../test/kit/manual-clock.ts';
import { Liveness, type Reach } from './liveness.ts';

const opened: Liveness[] = [];
afterEach(() => {
  for (const liveness of opened.splice(0)) liveness.dispose();
});

function open() {
  const clock = new ManualClock();
  const questions: { answer(): void; fail(): void; signal: AbortSignal }[] = [];
  const reaches: Reach[] = [];
  let reopened = 0;
  const liveness = new Liveness({
    clock,
    ask: (signal) =>
      new Promise((resolve, reject) => {
        questions.push({ answer: resolve, fail: () => reject(new ServerUnreachable(undefined)), signal });
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    reopen: () => {
      reopened++;
    },
    changed: ({ reach }) => {
      if (reaches.at(-1) !== reach) reaches.push(reach);
    },
  });
  opened.push(liveness);
  return {
    clock,
    liveness,
    questions,
    reaches,
    reopened: () => reopened,
    /** Answers the newest question. */
    async answer() {
      questions.at(-1)?.answer();
      await settle();
    },
    async fail() {
      questions.at(-1)?.fail();
      await settle();
    },
  };
}

async function connected() {
  const rig = open();
  rig.liveness.start();
  await rig.answer();
  return rig;
}

describe('liveness', () => {
  it('asks at the start, then each 3 s while the page is seen, and not while it is hidden', async () => {
    const { clock, liveness, questions, answer } = await connected();
    expect(liveness.state).toEqual({ reach: 'connected', asOf: clock.now() });
    await clock.advanceAsync(4_000);
    expect(questions).toHaveLength(2);
    await answer();
    liveness.hide();
    await clock.advanceAsync(60_000);
    expect(questions).toHaveLength(2);
  });

  it('W05: a page that wakes believes nothing: it asks at once, opens its streams anew and is true after the answer', async () => {
    const { clock, liveness, questions, reaches, answer, reopened } = await connected();
    liveness.hide();
    clock.jump(3_600_000);
    liveness.wake('visible');
    expect(reaches.at(-1)).toBe('checking');
    expect(reopened()).toBe(1);
    expect(questions).toHaveLength(2);
    await answer();
    expect(liveness.state).toEqual({ reach: 'connected', asOf: clock.now() });
  });

  it('W05: without an answer the page says so within a second, and how old it is', async () => {
    const { clock, liveness } = await connected();
    const { asOf } = liveness.state;
    liveness.hide();
    clock.jump(3_600_000);
    liveness.wake('visible');
    await clock.advanceAsync(1_000);
    expect(liveness.state).toEqual({ reach: 'late', asOf });
    await clock.advanceAsync(8_000);
    expect(liveness.state).toEqual({ reach: 'unreachable', asOf });
  });

  it('frozen timers wake it too, when nothing else told', async () => {
    const { clock, reaches, questions } = await connected();
    clock.jump(120_000);
    await clock.advanceAsync(1_000);
    expect(reaches).toContain('checking');
    expect(questions.length).toBeGreaterThan(1);
  });

  it('several signs of one waking ask once; a network that comes asks again, and the old answer counts for nothing', async () => {
    const { clock, liveness, questions, reopened } = await connected();
    liveness.hide();
    clock.jump(60_000);
    liveness.wake('visible');
    liveness.wake('thawed');
    liveness.wake('shown');
    expect([questions.length, reopened()]).toEqual([2, 1]);
    liveness.wake('online');
    expect([questions.length, reopened()]).toEqual([3, 2]);
    expect(questions[1]?.signal.aborted).toBe(true);
    questions[1]?.answer();
    await settle();
    expect(liveness.state.reach).toBe('checking');
    questions[2]?.answer();
    await settle();
    expect(liveness.state.reach).toBe('connected');
  });

  it('a glance at another page is no sleep: asked again, nothing is reopened', async () => {
    const { clock, liveness, reaches, questions, reopened, answer } = await connected();
    liveness.hide();
    clock.advance(1_000);
    liveness.wake('visible');
    await answer();
    expect(reaches).toEqual(['connected']);
    expect([questions.length, reopened()]).toEqual([2, 0]);
  });

  it('an outage: told at once, asked each 3 s, and the streams are opened again after it', async () => {
    const { clock, liveness, reaches, fail, answer, reopened } = await connected();
    liveness.suspect();
    await fail();
    expect(liveness.state.reach).toBe('unreachable');
    await clock.advanceAsync(4_000);
    await fail();
    await clock.advanceAsync(4_000);
    await answer();
    expect(reaches).toEqual(['connected', 'unreachable', 'connected']);
    expect(reopened()).toBe(1);
  });

  it('a stalled network is told before anything breaks', async () => {
    const { clock, liveness, reaches, answer } = await connected();
    await clock.advanceAsync(3_600);
    await clock.advanceAsync(1_000);
    expect(liveness.state.reach).toBe('late');
    await answer();
    expect(reaches).toEqual(['connected', 'late', 'connected']);
  });

  it('a device without network says so until something answers', async () => {
    const { clock, liveness, fail, answer } = await connected();
    liveness.goOffline();
    expect(liveness.state.reach).toBe('offline');
    await clock.advanceAsync(4_000);
    await fail();
    expect(liveness.state.reach).toBe('offline');
    await clock.advanceAsync(4_000);
    await answer();
    expect(liveness.state.reach).toBe('connected');
  });

  it('what changes while a question is under way is asked once more', async () => {
    const { liveness, questions, answer } = await connected();
    liveness.refresh();
    liveness.refresh();
    liveness.refresh();
    expect(questions).toHaveLength(2);
    await answer();
    expect(questions).toHaveLength(3);
    await answer();
    expect(questions).toHaveLength(3);
  });
});
