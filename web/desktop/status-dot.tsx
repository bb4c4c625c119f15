import type { SessionEntry } from '../shared/workspace-state.ts';

type Look = 'asks' | 'busy' | 'live' | 'done' | 'failed' | 'lost' | 'closing';

function lookOf(session: SessionEntry): Look {
  if (session.isClosing) return 'closing';
  if (session.lifecycle === 'lost') return 'lost';
  if (session.lifecycle === 'live') return liveLook(session);
  return session.exit_code === 0 || session.exit_code === undefined ? 'done' : 'failed';
}

function liveLook({ state }: SessionEntry): Look {
  if (state?.awaiting_input === true) return 'asks';
  return state?.agent_state === 'working' ? 'busy' : 'live';
}

export function describeState(session: SessionEntry): string {
  if (session.isClosing) return 'closing';
  if (session.lifecycle === 'lost') return 'lost: its terminal host ended';
  if (session.lifecycle === 'live') {
    const look = liveLook(session);
    return look === 'asks' ? 'waits for you' : look === 'busy' ? 'working' : 'running';
  }
  return session.exit_code === undefined ? 'ended' : `ended with exit code ${session.exit_code}`;
}

/** Form and colour both tell the state, so that neither is needed alone. */
export function StatusDot({ session }: { session: SessionEntry }) {
  return <span className={`dot dot-${lookOf(session)}`} role="img" aria-label={describeState(session)} />;
}
