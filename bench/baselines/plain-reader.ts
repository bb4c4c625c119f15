/** The plain reader that the host is held against: C where a compiler is, else Python. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT, sharedCache } from '../kit/machine.ts';

const run = promisify(execFile);

export interface ReadResult {
  bytes: number;
  seconds: number;
}

export interface PlainReader {
  readonly language: string;
  read(file: string): Promise<ReadResult>;
}

export function parseResult(text: string): ReadResult {
  const [bytes, nanoseconds] = text.trim().split(' ').map(Number);
  if (bytes === undefined || nanoseconds === undefined) throw new Error(`not understood: ${text}`);
  return { bytes, seconds: nanoseconds / 1e9 };
}

/** Throws when there is neither. */
export async function findPlainReader(): Promise<PlainReader> {
  const source = join(PROJECT, 'bench/programs/reader.c');
  const binary = join(sharedCache(), 'reader');
  for (const compiler of ['cc', 'gcc', 'clang']) {
    try {
      await run(compiler, ['-O2', '-o', binary, source, '-lutil']);
      return { language: 'C', read: async (file) => parseResult((await run(binary, [file])).stdout) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  const script = join(PROJECT, 'bench/programs/reader.py');
  try {
    await run('python3', ['--version']);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('neither a C compiler nor python3 was found');
  }
  return { language: 'Python', read: async (file) => parseResult((await run('python3', [script, file])).stdout) };
}
