/** The recordings of real agents: whole, with their truth, and of nobody. What is read from them is tried where it is read. */
import { describe, expect, it } from 'vitest';
import { replayCapture } from '../../src/domain/capture/index.ts';
import { createScrubber, personalWords } from '../agents/scrub.ts';
import { listRecordings, readRecording } from '../kit/captures.ts';

const names = await listRecordings();

it('there are recordings of each proven agent, and of no other', () => {
  const agents = new Set(names.map((name) => name.split('/')[0]));
  expect([...agents].sort()).toEqual(['claude', 'codex', 'gemini', 'opencode']);
});

describe.each(names)('%s', (name) => {
  it('FIX-1: is whole, plays, and its truth covers it without a hole', async () => {
    const { capture, truth } = await readRecording(name);
    expect(capture.trailing).toBe(0);
    expect(`${truth.agent}/${truth.scenario}`).toBe(name);
    const { lines, screen } = replayCapture(capture, truth);
    expect([...lines, ...screen].join('').trim().length).toBeGreaterThan(20);
    const starts = truth.states.map(({ from_us }) => from_us);
    expect(truth.states.map(({ until_us }) => until_us).slice(0, -1)).toEqual(starts.slice(1));
    expect([...starts].sort((one, other) => one - other)).toEqual(starts);
    const submits = capture.records.filter(({ direction }) => direction === 'input').length;
    expect(submits > 0).toBe(truth.marks.some(({ what }) => what === 'submit' || what === 'keys'));
  });

  it('names no person, no machine and no conversation', async () => {
    const { capture, truth } = await readRecording(name);
    const text = capture.records.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('');
    expect(personalWords(text)).toEqual([]);
    const whole = `${text}${JSON.stringify(truth)}`;
    expect(createScrubber()(whole)).toBe(whole);
  });
});
