import type { SessionInfo } from '../../src/contract/index.ts';
import { describeStatus, statusOf } from '../shared/session-status.ts';

/** Form and colour both tell the state, so that neither is needed alone. */
export function StatusDot({ session }: { session: SessionInfo }) {
  return <span className={`dot dot-${statusOf(session)}`} role="img" aria-label={describeStatus(session)} />;
}
