/**
 * Owns the IPC socket: one server an instance. Promises: a live holder is never displaced, a dead socket is removed only after
 * a real connect to it failed, the socket is 0600 from its first moment, and it comes back when the accept loop ends.
 *
 * Ordering of a take-over: connect fails → claim that very inode by a hard link named after it → remove it → bind, which fails
 * when somebody else bound meanwhile. Only the one claimer of an inode removes it, so nobody ever removes a socket that another
 * server has just bound: of servers that start together one wins and the others meet a live socket.
 */
import { chmod, link, lstat, rm } from 'node:fs/promises';
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
  isNamed?: boolean;
  place?: IpcPlace;
}

export interface IpcListener {
  readonly path: string;
  /** Stops accepting and removes the socket. Open connections are their owner's to end. */
  close(): Promise<void>;
}

type Occupant = { state: 'absent' | 'live' } | { state: 'dead'; inode: bigint };

async function probe(path: string, clock: Clock): Promise<Occupant> {
  let inode = 0n;
  if (!isWindows) {
    try {
      const found = await lstat(path, { bigint: true });
      inode = found.ino;
      if (!found.isSocket()) {
        throw new AppError('storage_failed', { detail: `${path} exists and is no socket. Move it away` });
      }
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return { state: 'absent' };
      if (error instanceof AppError) throw error;
      throw new AppError('storage_failed', { detail: describeError(error) }, { cause: error });
    }
  }
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // A holder that is stopped or has a full backlog does not accept, but it lives.
    const timer = clock.after(DEADLINES.ipcProbe, () => finish({ state: 'live' }));
    const finish = (occupant: Occupant) => {
      timer.dispose();
      socket.destroy();
      resolve(occupant);
    };
    socket.once('connect', () => finish({ state: 'live' }));
    socket.once('error', (error) => {
      const code = systemCode(error);
      if (code === 'ENOENT') finish({ state: 'absent' });
      else if (code === 'ECONNREFUSED') finish({ state: 'dead', inode });
      else if (code === 'EAGAIN') finish({ state: 'live' });
      else {
        timer.dispose();
        socket.destroy();
        reject(new AppError('storage_failed', { detail: describeError(error) }, { cause: error }));
      }
    });
  });
}

/** A real connect: a socket file that is left over says nothing about who listens. */
export async function acceptsConnections(path: string, clock: Clock): Promise<boolean> {
  try {
    return (await probe(path, clock)).state === 'live';
  } catch (error) {
    // No socket, or one that we may not open: whoever wants to come in by it meets the same.
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Removes the socket that was found dead, unless somebody else is about to, or it is another one by now. */
async function removeDead(path: string, inode: bigint, clock: Clock): Promise<void> {
  const claim = `${path}.${inode}.dead`;
  try {
    await link(path, claim);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return;
    if (code === 'EEXIST') return dropStaleClaim(claim, clock);
    // No hard links here: removing it by name is the best there is.
    if (code === 'EPERM' || code === 'ENOTSUP') return rm(path, { force: true });
    throw new AppError('storage_failed', { detail: describeError(error) }, { cause: error });
  }
  try {
    if ((await lstat(claim, { bigint: true })).ino === inode) await rm(path, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

/** A claimer that was killed in between would block the way for ever. */
async function dropStaleClaim(claim: string, clock: Clock): Promise<void> {
  try {
    const { ctimeMs } = await lstat(claim);
    if (clock.now() - ctimeMs > DEADLINES.ipcClaim) await rm(claim, { force: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
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
    const occupant = await probe(path, clock);
    if (occupant.state === 'dead' && !isWindows) await removeDead(path, occupant.inode, clock);
    if (occupant.state === 'live') {
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

/**
 * A server that was started with another name, or with none, on the same directory would share its database. What it left when it
 * died is removed: clients look there first.
 */
async function refuseNeighbour({ other }: IpcPlace, { clock, configDirectory }: IpcListenerOptions): Promise<void> {
  if (other === undefined || isWindows) return;
  const occupant = await probe(other, clock);
  if (occupant.state === 'dead') await removeDead(other, occupant.inode, clock);
  if (occupant.state !== 'live') return;
  throw new AppError('server_running', { holder: await describeHolder(other, configDirectory, clock) });
}

export async function listenIpc(options: IpcListenerOptions): Promise<IpcListener> {
  const { clock, log } = options;
  const { configDirectory, isNamed = false } = options;
  const place = options.place ?? resolveIpcPlace({ configDirectory, isNamed });
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

  await refuseNeighbour(place, options);
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
