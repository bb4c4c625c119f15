/** Plays a capture into a screen, as the session's own engine would have taken it. Input is not played: what it caused is output. */
import type { Capture } from '../../contract/index.ts';
import { createScreen } from '../sessions/index.ts';

export interface ReplayedScreen {
  /** Lines that have scrolled off, oldest first. */
  lines: string[];
  /** Rows of the screen without trailing blanks. */
  screen: string[];
  title: string;
}

/** The format has no sizes: the caller says which one the terminal had. */
export function replayCapture({ records }: Capture, size: { rows: number; cols: number }): ReplayedScreen {
  const engine = createScreen({ ...size, answerAfter: Number.POSITIVE_INFINITY });
  try {
    for (const { direction, bytes } of records) {
      if (direction !== 'output') continue;
      // A copy: the engine changes what it takes.
      engine.ingest(engine.ingestedOffset, Uint8Array.from(bytes));
      engine.parseAll();
    }
    engine.finish();
    const { lines } = engine.log.read(engine.log.oldest, engine.log.total);
    return {
      lines: lines.map(({ spans }) => spans.map(({ text }) => text).join('')),
      screen: engine.text(),
      title: engine.title,
    };
  } finally {
    engine.dispose();
  }
}
