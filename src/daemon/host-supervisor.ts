/**
 * Keeps the server connected to its pty host (port: HostSupervisor of domain/sessions).
 *
 * Owns the one connection. Promises: `onConnected` for each new connection, before `ensure` resolves; `onLost` once for a
 * host whose process is gone, before a successor is announced; neither after `stop`. A connection that breaks while its host
 * lives is made again. One that another server took over is not taken back unasked: two servers would throw each other out
 * for ever.
 * Ordering rule: attempts to connect run one after another (mutex), and each looks first whether it is still needed.
 */
import { type Clock, delay, Emitter, KeyedMutex, systemClock } from '../base/index.ts';
import { AppError, DEADLINES, type PtyHost } from '../contract/index.ts';
import type { HostSupervisor } from '../domain/sessions/index.ts';
import {
  connectPtyHost,
  type HostConnection,
  launchHost,
  NoHostError,
  readStartTime,
} from '../platform/pty-host/index.ts';

export interface HostSupervisorOptions {
  configDirectory: string;
  /** Build of this server, told to the host. */
  build: string;
  /** Path of the bundled host. */
  hostProgram: string;
  env: Readonly<Record<string, string | undefined>>;
  clock?: Clock;
  log?: (message: string) => void;
}

interface KnownHost {
  bootId: string;
  pid: number;
  startTime: string | undefined;
}

const RETRY_MIN = 20;
const RETRY_MAX = 2_000;
const ONLY = 'connection';

export function createHostSupervisor(options: HostSupervisorOptions): HostSupervisor & { stop(): void } {
  const { configDirectory, build } = options;
  const clock = options.clock ?? systemClock;
  const log = options.log ?? (() => {});
  const connected = new Emitter<PtyHost>();
  const lost = new Emitter<string>();
  const attempts = new KeyedMutex();
  const stopping = new AbortController();
  let connection: HostConnection | undefined;
  /** The host last connected to, until it is known to be gone. */
  let known: KnownHost | undefined;

  function forgetKnown(): void {
    if (known === undefined) return;
    const { bootId, pid } = known;
    known = undefined;
    log(`the terminal host ${bootId} (process ${pid}) is gone`);
    lost.emit(bootId);
  }

  async function connect(): Promise<HostConnection> {
    const fresh = await connectPtyHost({ directory: configDirectory, build, clock });
    const startTime = await readStartTime(fresh.hello.pid);
    if (stopping.signal.aborted) {
      fresh.close();
      throw stopped();
    }
    if (known !== undefined && known.bootId !== fresh.hello.bootId) forgetKnown();
    known = { bootId: fresh.hello.bootId, pid: fresh.hello.pid, startTime };
    connection = fresh;
    fresh.onDisconnect(() => onDisconnect(fresh));
    // It may have broken while its process was looked up.
    if (fresh.closeCause !== undefined) onDisconnect(fresh);
    if (connection !== fresh) throw new AppError('host_unavailable', { detail: 'the connection broke at once' });
    connected.emit(fresh);
    return fresh;
  }

  function onDisconnect(broken: HostConnection): void {
    if (connection !== broken) return;
    connection = undefined;
    if (stopping.signal.aborted) return;
    log(`the connection to the terminal host ended: ${broken.closeCause}`);
    if (broken.closeCause === 'replaced') return;
    recover().catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
  }

  /** Until there is a connection again, or the host is gone. */
  async function recover(): Promise<void> {
    for (let wait = RETRY_MIN; ; wait = Math.min(wait * 2, RETRY_MAX)) {
      const isDone = await attempts.run(ONLY, async () => {
        if (connection !== undefined || known === undefined) return true;
        const { pid, startTime } = known;
        const now = await readStartTime(pid);
        if (now === undefined || now !== startTime) {
          forgetKnown();
          return true;
        }
        try {
          await connect();
          return true;
        } catch (error) {
          if (!isTemporary(error)) throw error;
          return false;
        }
      });
      if (isDone) return;
      await delay(clock, wait, stopping.signal);
    }
  }

  async function connectOrStart(): Promise<PtyHost> {
    if (connection !== undefined) return connection;
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof NoHostError)) throw error;
    }
    stopping.signal.throwIfAborted();
    const { hostProgram, env } = options;
    await launchHost({ program: hostProgram, directory: configDirectory, build, env });
    // Normally the first attempt succeeds; a host that gave way points to one that is about to listen.
    const end = clock.monotonic() + DEADLINES.hostConnect;
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (!isTemporary(error)) throw error;
        if (clock.monotonic() >= end)
          throw new AppError('host_unavailable', { detail: 'it does not start' }, { cause: error });
      }
      await delay(clock, RETRY_MIN, stopping.signal);
    }
  }

  return {
    get host() {
      return connection;
    },
    async ensure() {
      if (stopping.signal.aborted) throw stopped();
      return connection ?? attempts.run(ONLY, connectOrStart);
    },
    onConnected: (listener) => connected.on(listener),
    onLost: (listener) => lost.on(listener),
    stop() {
      stopping.abort(stopped());
      connection?.close();
    },
  };
}

/** No host yet, not answering, or an old token beside a new socket: the next attempt may succeed. */
function isTemporary(error: unknown): boolean {
  if (error instanceof NoHostError) return true;
  return error instanceof AppError && (error.code === 'host_unavailable' || error.code === 'forbidden');
}

function stopped(): AppError {
  return new AppError('host_unavailable', { detail: 'the server is stopping' });
}
