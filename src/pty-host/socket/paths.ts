/** Where the host's files are. A socket path that the system could not take is replaced by a short one with a pointer to it. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOST_FILES } from '../../contract/index.ts';
import { errorCode } from '../error-code.ts';

const LONGEST_SOCKET_PATH = 100;

export interface HostPaths {
  socket: string;
  /** Written only when the socket is not in the directory itself. */
  pointer: string;
  token: string;
  lock: string;
  log: string;
}

export function resolveHostPaths(directory: string): HostPaths {
  const inside = join(directory, HOST_FILES.socket);
  return {
    socket: Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH ? inside : shortSocketPath(directory),
    pointer: join(directory, HOST_FILES.pointer),
    token: join(directory, HOST_FILES.token),
    lock: join(directory, HOST_FILES.lock),
    log: join(directory, HOST_FILES.log),
  };
}

function shortSocketPath(directory: string): string {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 8);
  return join(shortDirectory(), `${hash}-host.sock`);
}

function shortDirectory(): string {
  return join(tmpdir(), `tuic-${process.getuid?.() ?? 0}`);
}

/** Makes the place of the socket, and the pointer when it is needed. The caller holds the lock. */
export function prepareSocketPlace(directory: string, paths: HostPaths): void {
  if (paths.socket === join(directory, HOST_FILES.socket)) {
    rmSync(paths.pointer, { force: true });
    return;
  }
  const place = shortDirectory();
  try {
    mkdirSync(place, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = lstatSync(place);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid) || (found.mode & 0o077) !== 0) {
    throw new Error(`${place} is not a folder that only its owner may enter`);
  }
  writeFileSync(paths.pointer, paths.socket, { mode: 0o600 });
}
