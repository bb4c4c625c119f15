/** The recordings of real agents: whole, with their truth, and of nobody. What is read from them is tried where it is read. */
import { describe, expect, it } from 'vitest';
import { replayCapture } from '../../src/domain/capture/index.ts';
import { AGENT_NAMES } from '../agents/agent-home.ts';
import { createScrubber, personalWords } from '../agents/scrub.ts';
import { listRecordings, readRecording } from '../kit/captures.ts';

const names = await listRecordings();

it('there are recordings of each agent that is proven, and of no other', () => {
  const agents = [...new Set(names.map((name) => name.split('/')[0]))];
  expect(agents).toEqual([...AGENT_NAMES].sort());
});

describe.each(names)('%s', (name) => {
  it('FIX-1: is whole, plays, and its truth covers it without a hole', async () => {
    const { capture, truth } = await readRecording(name);
    expect(capture.trailing).toBe(0);
    expect(`${truth.agent}/${truth.scenario}`).toBe(name);
    const { lines, screen } = replayCapture(capture, truth);
    // Whoever has ended may have left nothing on the screen.
    if (truth.scenario !== 'exit') expect([...lines, ...screen].join('').trim().length).toBeGreaterThan(20);
    const starts = truth.states.map(({ from_us }) => from_us);
    expect(truth.states.map(({ until_us }) => until_us).slice(0, -1)).toEqual(starts.slice(1));
    expect([...starts].sort((one, other) => one - other)).toEqual(starts);
    // Both clocks: what was sent stands in the capture at the time that the truth tells.
    const inputs = capture.records.filter(({ direction }) => direction === 'input');
    for (const { at_us } of truth.marks.filter(({ what }) => what === 'submit' || what === 'keys')) {
      const nearest = Math.min(...inputs.map(({ microseconds }) => Math.abs(microseconds - at_us)));
      expect(nearest).toBeLessThan(250_000);
    }
  });

  it('names no person, no machine and no conversation', async () => {
    const { capture, truth } = await readRecording(name);
    const text = capture.records.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('');
    expect(personalWords(text)).toEqual([]);
    const whole = `${text}${JSON.stringify(truth)}`;
    expect(createScrubber()(whole)).toBe(whole);
  });
});
