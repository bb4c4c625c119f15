import type { SessionInfo } from '../../src/contract/index.ts';

type Look = 'asks' | 'live' | 'done' | 'failed' | 'lost';

function lookOf({ lifecycle, exit_code, state }: SessionInfo): Look {
  if (lifecycle === 'lost') return 'lost';
  if (lifecycle === 'live') return state?.awaiting_input === true ? 'asks' : 'live';
  return exit_code === 0 || exit_code === undefined ? 'done' : 'failed';
}

const TEXTS: Readonly<Record<Look, string>> = {
  asks: 'waits for you',
  live: 'running',
  done: 'ended',
  failed: 'failed',
  lost: 'lost',
};

/** Form and colour both tell the state, so that neither is needed alone. */
export function StatusDot({ session }: { session: SessionInfo }) {
  const look = lookOf(session);
  return <span className={`dot dot-${look}`} role="img" aria-label={TEXTS[look]} />;
}
