/** Ends a host that nobody needs: neither session nor server for DEADLINES.hostIdleExit. An ended session counts until it is forgotten. */
import type { Clock, Disposable } from '../base/index.ts';
import { DEADLINES } from '../contract/index.ts';

export function watchIdle(
  host: { readonly sessionCount: number; onSessionsChanged(listener: () => void): Disposable },
  server: { readonly hasServer: boolean; onServerChanged(listener: () => void): void },
  clock: Clock,
  onIdle: () => void,
): void {
  let timer: Disposable | undefined;
  const look = () => {
    timer?.dispose();
    timer = undefined;
    if (host.sessionCount === 0 && !server.hasServer) timer = clock.after(DEADLINES.hostIdleExit, onIdle);
  };
  host.onSessionsChanged(look);
  server.onServerChanged(look);
  look();
}
