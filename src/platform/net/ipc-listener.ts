/**
 * Owns the IPC socket: one server an instance. Promises: a live holder is never displaced, a dead socket is removed only after
 * a real connect to it failed, the socket is 0600 from its first moment, and it comes back when the accept loop ends.
 *
 * Ordering of a take-over: connect fails → rename aside → connect to the renamed one again → only then delete it → bind, which
 * fails when somebody else bound meanwhile. So of two servers that start together the second meets a live socket.
 */
import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, rename, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { type Clock, type Disposable, delay } from '../../base/index.ts';
import { AppError, DEADLINES } from '../../contract/index.ts';
import { describeError, systemCode } from './errors.ts';
import { describeHolder } from './holder.ts';
import { type IpcPlace, preparePrivateDirectory, resolveIpcPlace, writePointer } from './ipc-path.ts';
import { listen } from './listen.ts';

const BIND_ATTEMPTS = 3;
const isWindows = process.platform === 'win32';

export interface NetLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface IpcListenerOptions {
  configDirectory: string;
  /** A fresh server for each bind. */
  createServer: () => Server;
  clock: Clock;
  log: NetLog;
  place?: IpcPlace;
}

export interface IpcListener {
  readonly path: string;
  /** Stops accepting and removes the socket. Open connections are their owner's to end. */
  close(): Promise<void>;
}

type Occupant = 'absent' | 'dead' | 'live';

async function probe(path: string, clock: Clock): Promise<Occupant> {
  if (!isWindows) {
    try {
      if (!(await lstat(path)).isSocket()) {
        throw new AppError('storage_failed', { detail: `${path} exists and is no socket. Move it away` });
      }
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return 'absent';
      if (error instanceof AppError) throw error;
      throw new AppError('storage_failed', { detail: describeError(error) }, { cause: error });
    }
  }
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // A holder that is stopped or has a full backlog does not accept, but it lives.
    const timer = clock.after(DEADLINES.ipcProbe, () => finish('live'));
    const finish = (occupant: Occupant) => {
      timer.dispose();
      socket.destroy();
      resolve(occupant);
    };
    socket.once('connect', () => finish('live'));
    socket.once('error', (error) => {
      const code = systemCode(error);
      if (code === 'ENOENT') finish('absent');
      else if (code === 'ECONNREFUSED') finish('dead');
      else if (code === 'EAGAIN') finish('live');
      else {
        timer.dispose();
        socket.destroy();
        reject(new AppError('storage_failed', { detail: describeError(error) }, { cause: error }));
      }
    });
  });
}

/** Removes a socket that was found dead; answers "live" when it turned out to be somebody's after all. */
async function removeDead(path: string, clock: Clock): Promise<Occupant> {
  const aside = `${path}.${randomBytes(4).toString('hex')}.dead`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'absent';
    throw new AppError('storage_failed', { detail: describeError(error) }, { cause: error });
  }
  const occupant = await probe(aside, clock);
  if (occupant === 'live') {
    try {
      await link(aside, path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
  await rm(aside, { force: true });
  return occupant === 'live' ? 'live' : 'absent';
}

/** The bind happens inside `listen`, before it returns, so the mask covers exactly that. */
function listenPrivately(server: Server, path: string): Promise<void> {
  if (isWindows) return listen(server, { path });
  const before = process.umask(0o177);
  try {
    return listen(server, { path });
  } finally {
    process.umask(before);
  }
}

async function bind(place: IpcPlace, options: IpcListenerOptions): Promise<Server> {
  const { path } = place;
  const { clock, configDirectory } = options;
  let last: unknown;
  for (let attempt = 1; attempt <= BIND_ATTEMPTS; attempt++) {
    if (attempt > 1) await delay(clock, DEADLINES.ipcBindRetry);
    let occupant = await probe(path, clock);
    if (occupant === 'dead' && !isWindows) occupant = await removeDead(path, clock);
    if (occupant === 'live') {
      throw new AppError('server_running', { holder: await describeHolder(path, configDirectory, clock) });
    }
    const server = options.createServer();
    try {
      await listenPrivately(server, path);
      if (!isWindows) await chmod(path, 0o600);
      return server;
    } catch (error) {
      server.close();
      last = error;
    }
  }
  throw new AppError('storage_failed', { detail: `${path}: ${describeError(last)}` }, { cause: last });
}

export async function listenIpc(options: IpcListenerOptions): Promise<IpcListener> {
  const { clock, log } = options;
  const place = options.place ?? resolveIpcPlace({ configDirectory: options.configDirectory });
  if (place.directory !== undefined) await preparePrivateDirectory(place.directory);

  let isClosed = false;
  let current: Server;
  let retry: Disposable | undefined;
  let rebinding: Promise<void> = Promise.resolve();

  function adopt(server: Server): void {
    current = server;
    server.on('error', (error) => log.error({ err: error, path: place.path }, 'the IPC listener reports an error'));
    server.once('close', () => {
      if (!isClosed) scheduleRebind();
    });
  }

  function scheduleRebind(): void {
    log.warn({ path: place.path }, 'the IPC listener ended; it is bound again');
    retry = clock.after(DEADLINES.ipcRebind, () => {
      rebinding = rebind();
    });
  }

  async function rebind(): Promise<void> {
    try {
      const server = await bind(place, options);
      if (isClosed) server.close();
      else adopt(server);
    } catch (error) {
      log.error({ err: error, path: place.path }, 'the IPC listener could not be bound again');
      if (!isClosed) scheduleRebind();
    }
  }

  adopt(await bind(place, options));
  if (place.pointer !== undefined) {
    try {
      await writePointer(place.pointer, place.path);
    } catch (error) {
      isClosed = true;
      retry?.dispose();
      await closeServer();
      throw error;
    }
  }

  async function closeServer(): Promise<void> {
    // Closing the server removes its socket file.
    if (current.listening) current.close();
  }

  return {
    path: place.path,
    async close() {
      if (isClosed) return;
      isClosed = true;
      retry?.dispose();
      await rebinding;
      await closeServer();
      if (place.pointer !== undefined) await rm(place.pointer, { force: true });
    },
  };
}
