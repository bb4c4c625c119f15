/**
 * Talks to the pty host directly, as an observer: it may list, report and be told to end, also while no server runs.
 * One request a connection.
 */
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  AppError,
  DEADLINES,
  encodeFrame,
  FRAME,
  FrameParser,
  type HelloMessage,
  HOST_FILES,
  type HostOperation,
  type HostStatus,
  LIMITS,
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  type RequestMessage,
  type ResponseMessage,
  type WelcomeMessage,
} from '../contract/index.ts';

/** A missing file means that no host was ever started here, or that it ended in order. */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

/** Connects, or resolves to undefined when nobody listens. */
function connectTo(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ECONNREFUSED') resolve(undefined);
      else reject(error);
    });
  });
}

function unavailable(detail: string): AppError {
  return new AppError('host_unavailable', { detail });
}

function exchange(socket: Socket, token: string, operation: HostOperation): Promise<unknown> {
  const toJson = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const fromJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));
  return new Promise((resolve, reject) => {
    socket.setTimeout(DEADLINES.hostConnect, () => reject(unavailable('it gave no answer in time')));
    socket.on('error', (error) => reject(unavailable(error.message)));
    socket.on('close', () => reject(unavailable('it closed the connection')));
    const parser = new FrameParser(LIMITS.hostFrame, (frame) => {
      if (frame.type === FRAME.welcome) {
        const welcome = fromJson(frame.payload) as WelcomeMessage;
        if (welcome.error !== undefined) return reject(new AppError(welcome.error.code, welcome.error.data));
        const request: RequestMessage = { id: 1, ...operation };
        // Ending all terminals takes as long as their programs take to end.
        if (operation.op === 'shutdown') socket.setTimeout(0);
        socket.write(encodeFrame(FRAME.request, toJson(request)));
      } else if (frame.type === FRAME.response) {
        const response = fromJson(frame.payload) as ResponseMessage;
        if (response.error !== undefined) reject(new AppError(response.error.code, response.error.data));
        else resolve(response.result);
      }
    });
    socket.on('data', (chunk) => {
      try {
        parser.push(chunk);
      } catch (error) {
        reject(error instanceof Error ? unavailable(error.message) : error);
      }
    });
    const hello: HelloMessage = {
      protoMin: PROTOCOL_MIN,
      protoMax: PROTOCOL_MAX,
      build: 'tuic',
      bootId: '',
      pid: process.pid,
      token,
      role: 'observer',
    };
    socket.write(encodeFrame(FRAME.hello, toJson(hello)));
  });
}

async function ask(configDirectory: string, operation: HostOperation): Promise<{ answer: unknown } | undefined> {
  const usual = join(configDirectory, HOST_FILES.socket);
  const token = await readIfThere(join(configDirectory, HOST_FILES.token));
  if (token === undefined) return undefined;
  const pointed = await readIfThere(join(configDirectory, HOST_FILES.pointer));
  const socket = (await connectTo(usual)) ?? (pointed === undefined ? undefined : await connectTo(pointed));
  if (socket === undefined) return undefined;
  try {
    return { answer: await exchange(socket, token, operation) };
  } finally {
    socket.destroy();
  }
}

/** Status of the pty host; undefined when none runs. */
export async function readHostStatus(configDirectory: string): Promise<HostStatus | undefined> {
  const asked = await ask(configDirectory, { op: 'status' });
  return asked?.answer as HostStatus | undefined;
}

/** Ends all terminals and the host. Resolves to false when none runs. */
export async function shutDownHost(configDirectory: string): Promise<boolean> {
  return (await ask(configDirectory, { op: 'shutdown' })) !== undefined;
}
