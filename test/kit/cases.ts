/** Small things many integration tests need. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateSession } from '../../src/contract/index.ts';
import type { Cleanup } from './cleanup.ts';

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** How a terminal turns out text that a program writes: LF becomes CR LF. */
export function turnedOut(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

/** Printable text of exactly this many bytes, the same for the same seed, in lines of at most 79 characters. */
export function makeText(bytes: number, seed = 1): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:';
  let state = seed >>> 0 || 1;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  let text = '';
  let column = 0;
  while (text.length < bytes - 1) {
    if (column >= 20 + (random() % 59)) {
      text += '\n';
      column = 0;
    } else {
      text += alphabet[random() % alphabet.length];
      column++;
    }
  }
  return `${text}\n`;
}

/** An interactive bash without anybody's start files, with a prompt that cannot be mistaken. */
export const BASH = {
  shell: '/bin/bash',
  args: ['--noprofile', '--norc', '-i'],
  env: { PS1: 'ready> ', HISTFILE: '/dev/null', INPUTRC: '/dev/null' },
} satisfies CreateSession;

export async function writeTemporary(cleanup: Cleanup, name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await cleanup.temporaryDirectory('tuic-f-'), name);
  await writeFile(path, content);
  return path;
}

/** Runs `work` for each item, at most `width` at the same time. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
