/** The port through which sessions reach the pty host; the daemon implements it (start, connect, reconnect). */
import type { Disposable } from '../../base/index.ts';
import type { PtyHost } from '../../contract/index.ts';

export interface HostSupervisor {
  /** The connected host, if any. */
  readonly host: PtyHost | undefined;
  /** Connects, or starts a host and connects. Rejects with AppError host_unavailable. */
  ensure(): Promise<PtyHost>;
  /** A host is connected (first time, or again after a broken connection to the same process). */
  onConnected(listener: (host: PtyHost) => void): Disposable;
  /** The host process is gone for good: its sessions are lost. Not fired for a broken connection to a living host. */
  onLost(listener: (bootId: string) => void): Disposable;
}
