/** Looks at a host, and can stop it, beside the server that uses it (`tuic host status|stop`). */
import { systemClock } from '../../base/index.ts';
import type { HostStatus } from '../../contract/index.ts';
import { HostChannel } from './channel.ts';
import type { ConnectOptions } from './connection.ts';

export interface HostObserver {
  status(): Promise<HostStatus>;
  /** Ends all sessions and the host. */
  shutdown(): Promise<void>;
  close(): void;
}

export async function observePtyHost(options: ConnectOptions): Promise<HostObserver> {
  const channel = await HostChannel.open({
    directory: options.directory,
    build: options.build,
    role: 'observer',
    clock: options.clock ?? systemClock,
    onFrame: () => {},
    onClose: () => {},
  });
  return {
    status: async () => (await channel.request({ op: 'status' })).result as HostStatus,
    shutdown: async () => {
      await channel.request({ op: 'shutdown' });
    },
    close: () => channel.close(),
  };
}
