/**
 * Types the lines of the mail room at programs in terminals (mcp.md MSG-63, MSG-65, MSG-67, SUB-3, SUB-4).
 *
 * Promises: whether a line may be typed is asked of the terminal itself, again in the turn of its first byte; what got no byte out is
 * `untouched`, what may have got some is `uncertain`. Order: change → listeners, in a turn of their own and once for all changes of a
 * session in one, since a change is told in the middle of a claim. A terminal that could not be written to rests before it is tried
 * again: a try is a change too, and would otherwise be followed by the next one at once.
 */
import { type Clock, type Disposable, Emitter, toDisposable } from '../../base/index.ts';
import { AppError, DEADLINES, type ErrorCode } from '../../contract/index.ts';
import type { LineTyper, TypingOutcome } from './ports.ts';

/** The terminals, as far as lines are typed at them. */
export interface TerminalLines {
  typingRefusal(sessionId: string): string | undefined;
  typeLine(
    sessionId: string,
    text: string,
  ): Promise<{ write_state: 'complete' | 'not_started' | 'uncertain'; failure?: AppError }>;
  onTypingChange(listener: (sessionId: string) => void): Disposable;
}

/** Nothing was written: the terminal is over, or nobody holds it now. */
const NOT_BEGUN: readonly ErrorCode[] = ['session_not_live', 'session_not_found', 'host_unavailable'];

export function createSessionTyper(
  lines: TerminalLines,
  clock: Clock,
): Required<Omit<LineTyper, 'isOff'>> & Disposable {
  const changed = new Emitter<string>();
  const resting = new Map<string, Disposable>();
  /** Sessions whose change has not been told yet. */
  const pending = new Set<string>();
  let isOver = false;

  function tell(sessionId: string): void {
    if (pending.has(sessionId)) return;
    pending.add(sessionId);
    queueMicrotask(() => {
      pending.delete(sessionId);
      if (!isOver) changed.emit(sessionId);
    });
  }

  function rest(sessionId: string): void {
    if (isOver || resting.has(sessionId)) return;
    const timer = clock.after(DEADLINES.typingRest, () => {
      resting.delete(sessionId);
      tell(sessionId);
    });
    resting.set(sessionId, timer);
  }

  async function type(sessionId: string, line: string): Promise<TypingOutcome> {
    let written: Awaited<ReturnType<TerminalLines['typeLine']>>;
    try {
      written = await lines.typeLine(sessionId, line);
    } catch (error) {
      if (!(error instanceof AppError) || !NOT_BEGUN.includes(error.code)) throw error;
      rest(sessionId);
      return 'untouched';
    }
    if (written.write_state === 'complete') return 'typed';
    if (written.write_state === 'uncertain') return 'uncertain';
    if (written.failure !== undefined) rest(sessionId);
    return 'untouched';
  }

  const following = lines.onTypingChange(tell);
  return {
    refusal: (sessionId) => (resting.has(sessionId) ? 'resting' : lines.typingRefusal(sessionId)),
    type,
    onChange: (listener) => changed.on(listener),
    ...toDisposable(() => {
      isOver = true;
      following.dispose();
      for (const timer of resting.values()) timer.dispose();
      resting.clear();
    }),
  };
}
