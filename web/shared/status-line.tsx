import type { SessionInfo } from '../../src/contract/index.ts';
import { useSecond } from '../desktop/workspace-context.ts';
import { describeLeft } from './limits.ts';
import { statusOf, statusWord } from './session-status.ts';

/** The word of a session's state, with the time that a limit has left. Draws nothing where nothing is to be told. */
export function StatusWord({ session, limitEnd }: { session: SessionInfo; limitEnd: number | undefined }) {
  const word = statusWord(session);
  if (word === undefined) return null;
  const status = statusOf(session);
  return (
    // The dot beside it has the word as its name.
    <span aria-hidden="true" className={`status-word is-${status}`} data-testid="status-word">
      {word}
      {status === 'limited' && limitEnd !== undefined && <TimeLeft until={limitEnd} />}
    </span>
  );
}

function TimeLeft({ until }: { until: number }) {
  const left = describeLeft(until, useSecond());
  return left === undefined ? null : <time className="status-left"> {left}</time>;
}
