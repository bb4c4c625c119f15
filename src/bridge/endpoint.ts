/** Where the server may be, and a connection to the first place where somebody really answers (BRG-2, BRG-2a). */
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { type ConfigDirectoryInput, DEADLINES, INSTANCE_FILES, resolveConfigDirectory } from '../contract/index.ts';

/** Nobody listens at any of the places: no byte of the request has left. */
export class ServerUnreachable extends Error {
  override name = 'ServerUnreachable';
}

const DEFAULT_PIPE = '\\\\.\\pipe\\tuicommander-mcp';

/**
 * Socket paths in the order in which they are tried. `TUIC_SOCKET` names the one; `TUIC_CONFIG_DIR` or `TUIC_INSTANCE` an
 * instance, and only that; with none of them the default instance comes first, then the named ones by name.
 */
export async function findSocketPaths(input: ConfigDirectoryInput): Promise<string[]> {
  const { TUIC_SOCKET, TUIC_CONFIG_DIR, TUIC_INSTANCE } = input.env;
  if (TUIC_SOCKET) return [TUIC_SOCKET];
  const directory = resolveConfigDirectory(input);
  const directories = [directory];
  if (!TUIC_CONFIG_DIR && !TUIC_INSTANCE) directories.push(...(await namedInstances(directory)));
  const paths: string[] = [];
  for (const each of directories) {
    const pointed = await readIfThere(join(each, INSTANCE_FILES.socketPointer));
    if (input.platform !== 'win32') paths.push(join(each, INSTANCE_FILES.socket));
    if (pointed !== undefined && pointed.trim() !== '') paths.push(pointed.trim());
  }
  if (input.platform === 'win32' && paths.length === 0) paths.push(DEFAULT_PIPE);
  return paths;
}

async function namedInstances(directory: string): Promise<string[]> {
  try {
    const names = await readdir(dirname(directory));
    return names
      .filter((name) => name.startsWith(`${basename(directory)}-`))
      .sort()
      .map((name) => join(dirname(directory), name));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Connects to the first path that accepts; a socket file without a listener is passed over. Throws ServerUnreachable. */
export async function connectToServer(paths: readonly string[], signal?: AbortSignal): Promise<Socket> {
  let reason = 'no socket is known';
  for (const path of paths) {
    signal?.throwIfAborted();
    try {
      return await connectTo(path, signal);
    } catch (error) {
      signal?.throwIfAborted();
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  throw new ServerUnreachable(reason);
}

function connectTo(path: string, signal?: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const finish = (act: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      socket.removeAllListeners();
      act();
    };
    const fail = (error: Error) =>
      finish(() => {
        socket.on('error', () => {});
        socket.destroy();
        reject(error);
      });
    const abort = () => fail(new Error('given up'));
    const timer = setTimeout(() => fail(new Error(`${path} does not accept connections`)), DEADLINES.bridgeConnect);
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => finish(() => resolve(socket)));
  });
}
