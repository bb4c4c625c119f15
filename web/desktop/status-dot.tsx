import { describeStatus, statusOf } from '../shared/session-status.ts';
import type { SessionEntry } from '../shared/workspace-state.ts';

/** Form and colour both tell the state, so that neither is needed alone. */
export function StatusDot({ session }: { session: SessionEntry }) {
  return <span className={`dot dot-${statusOf(session)}`} role="img" aria-label={describeStatus(session)} />;
}
