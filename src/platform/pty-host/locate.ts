/** Finds the socket and the token of a configuration directory's host. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, HOST_FILES } from '../../contract/index.ts';

/** There is no host here (yet): nothing to connect to. Every other failure is an AppError. */
export class NoHostError extends Error {
  constructor(options?: { cause?: unknown }) {
    super('no terminal host runs here', options);
    this.name = 'NoHostError';
  }
}

export interface HostLocation {
  socket: string;
  token: string;
}

export async function locateHost(directory: string): Promise<HostLocation> {
  const token = await readIfThere(join(directory, HOST_FILES.token));
  if (token === undefined) throw new NoHostError();
  const pointer = await readIfThere(join(directory, HOST_FILES.pointer));
  return { socket: pointer ?? join(directory, HOST_FILES.socket), token };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new AppError(
      'host_unavailable',
      { detail: `${path} cannot be read (${code ?? 'unknown'})` },
      { cause: error },
    );
  }
}

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
