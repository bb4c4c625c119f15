import { useEffect, useState } from 'react';
import { describeAge } from '../shared/labels.ts';
import type { Reach } from './liveness.ts';
import { usePhone, usePhoneState } from './phone-context.ts';

const TEXTS: Readonly<Record<Reach, string>> = {
  connecting: 'Connecting…',
  connected: 'Connected',
  checking: 'Checking…',
  late: 'No answer yet',
  unreachable: 'The server does not answer',
  offline: 'This device has no network',
};

/** A dot and a word in the header, on every page. */
export function ConnectionState() {
  const reach = usePhoneState((state) => state.liveness.reach);
  return (
    <span className={`connection is-${reach}`} data-testid="connection" data-state={reach} role="status">
      <span className="connection-dot" aria-hidden="true" />
      <span className="connection-text">{reach === 'connected' ? 'Connected' : TEXTS[reach]}</span>
    </span>
  );
}

/** What is shown may not be true: a line across the page says so, how old it is, and offers to try now. */
export function ConnectionStrip() {
  const phone = usePhone();
  const { reach, asOf } = usePhoneState((state) => state.liveness);
  const isShown = reach === 'late' || reach === 'unreachable' || reach === 'offline';
  const now = useSeconds(isShown);
  if (!isShown) return null;
  return (
    <div className={`strip strip-${reach}`} data-testid="not-connected" role="alert">
      <span>
        {TEXTS[reach]}
        {asOf !== undefined && <span className="strip-age"> What you see is from {describeMoment(asOf, now)}.</span>}
      </span>
      <button type="button" className="strip-button" onClick={() => phone.checkNow()}>
        Try now
      </button>
    </div>
  );
}

function describeMoment(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return seconds < 2 ? 'just now' : `${seconds} s ago`;
  return `${describeAge(at, now)} ago`;
}

/** The time, moving on each second while `isNeeded`. */
function useSeconds(isNeeded: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isNeeded) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}
