/**
 * The adapters against recordings of released agents (test/captures), frame by frame. Truth is when things happened outside; a
 * screen tells them a little later, so a frame is judged only once the truth has stood for a while.
 */
import { expect, it } from 'vitest';
import { listRecordings, readRecording, type Truth } from '../../../../test/kit/captures.ts';
import { createScreen } from '../../sessions/index.ts';
import { findAgent } from '../catalogue/index.ts';
import type { ScreenReading } from './model.ts';

interface Frame {
  at: number;
  reading: ScreenReading;
}

/** What is read within this time is one frame, as a parse turn takes it: programs paint in several writes. */
const PAINT = 10_000;

function framesOf({ truth, capture }: Awaited<ReturnType<typeof readRecording>>): Frame[] {
  const adapter = findAgent(truth.agent)?.screen;
  if (adapter === undefined) throw new Error(`no adapter for ${truth.agent}`);
  const engine = createScreen({ rows: truth.rows, cols: truth.cols, answerAfter: Number.POSITIVE_INFINITY });
  const sizes = truth.marks.filter(({ what }) => what === 'resize');
  const output = capture.records.filter(({ direction }) => direction === 'output');
  try {
    return output.flatMap(({ microseconds, bytes }, index) => {
      while (sizes[0] !== undefined && sizes[0].at_us <= microseconds) {
        const [cols = 0, rows = 0] = (sizes.shift()?.detail ?? '').split('x').map(Number);
        engine.ingestResize(engine.ingestedOffset, cols, rows);
      }
      engine.ingest(engine.ingestedOffset, Uint8Array.from(bytes));
      const next = output[index + 1];
      if (next !== undefined && next.microseconds - microseconds < PAINT) return [];
      engine.parseAll();
      const { row, col } = engine.cursor();
      const screen = {
        rows: engine.text(),
        cursorRow: row,
        cursorColumn: col,
        isAlternate: engine.alternateScreen,
      };
      return [{ at: microseconds, reading: adapter.read(screen) }];
    });
  } finally {
    engine.dispose();
  }
}

/** The frames of each time that the agent was in this state, until somebody pressed a key: what follows may be painted already. */
function framesWhile(frames: readonly Frame[], { states, marks }: Truth, state: Truth['states'][number]['state']) {
  return states
    .filter((span) => span.state === state)
    .map(({ from_us: from, until_us: until }) => {
      const key = marks.find(({ what, at_us: at }) => what === 'keys' && at >= from)?.at_us ?? until;
      return frames.filter(({ at }) => at >= from && at < Math.min(key, until)).map(({ reading }) => reading);
    })
    .filter((readings) => readings.length > 0);
}

const recordings = await listRecordings();

it.each(recordings)('STM-20, STM-57: %s: every state is read from the screen as it was', async (name) => {
  const recording = await readRecording(name);
  const { truth } = recording;
  const frames = framesOf(recording);
  // The screen tells what is true a little later, so the last frame of each time is judged.
  for (const readings of framesWhile(frames, truth, 'idle')) {
    const last = readings.at(-1);
    expect(['ready', 'interrupted']).toContain(last?.state);
    expect(last?.composer).not.toBe('unknown');
    expect(last?.inputTop).toBeGreaterThan(0);
  }
  for (const readings of framesWhile(frames, truth, 'awaiting_input')) {
    expect(readings.at(-1)?.state).toBe('dialog');
    expect(readings.at(-1)?.dialog?.choices.length).toBeGreaterThanOrEqual(2);
  }
  for (const readings of framesWhile(frames, truth, 'working')) {
    const states = readings.map(({ state }) => state);
    const first = states.indexOf('working');
    // What was over before it could be painted shows nothing. Codex hides its row of work while text comes: OSC 7501 tells it.
    if (first === -1 || truth.agent === 'codex') continue;
    // Within one turn work never seems to end and to begin again.
    const over = states.findIndex((state, index) => index > first && (state === 'ready' || state === 'interrupted'));
    expect(over === -1 ? [] : states.slice(over)).not.toContain('working');
  }
});

it('STM-20: each agent with recordings is seen ready, at work and in a dialog', async () => {
  const seen = new Map<string, Set<string>>();
  for (const name of recordings.filter((one) => /\/(?:approval-yes|question|slow)$/u.test(one))) {
    const recording = await readRecording(name);
    const states = seen.get(recording.truth.agent) ?? new Set();
    seen.set(recording.truth.agent, states);
    for (const { reading } of framesOf(recording)) states.add(reading.state);
  }
  expect(seen.size).toBeGreaterThanOrEqual(2);
  for (const states of seen.values())
    expect([...states]).toEqual(expect.arrayContaining(['ready', 'working', 'dialog']));
});
