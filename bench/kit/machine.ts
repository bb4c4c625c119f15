/** Where things lie, and on what they were measured. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { cpus, homedir, platform, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Machine } from '../model.ts';

/** This file is bundled to .cache/bench: two steps up, as from its source. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const OWN_CACHE = join(PROJECT, '.cache/bench');

/** A bundled program of bench/programs. */
export function program(name: string): string {
  return join(OWN_CACHE, `${name}.mjs`);
}

/** What the benchmarks install lies outside of the project, and is kept between runs. */
export function sharedCache(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const path = join(base, 'tuicommander', 'bench');
  mkdirSync(path, { recursive: true });
  return path;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${platform()} ${release().split('-')[0]}`,
    node: process.versions.node,
  };
}

export function commitAtHand(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: PROJECT, encoding: 'utf8' }).trim();
  } catch {
    // An unpacked archive has no commit.
    return 'unknown';
  }
}

/** Plain text of about 80 columns a line, so many bytes in all; written once and kept. */
export function textFile(bytes: number): string {
  const path = join(sharedCache(), `text-${bytes}`);
  if (statSync(path, { throwIfNoEntry: false })?.size === bytes) return path;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, makeText(bytes));
  return path;
}

const LETTERS = 'the quick brown fox jumps over the lazy dog and runs through the wide green field again ';

export function makeText(bytes: number): Buffer {
  const text = Buffer.alloc(bytes);
  let at = 0;
  for (let number = 0; at < bytes; number++) {
    const line = `${String(number).padStart(8)} ${LETTERS.slice(0, 60 + (number % 20))}\n`;
    at += text.write(line, at);
  }
  text[bytes - 1] = 10;
  return text;
}

/** Bytes a terminal makes of the text: a carriage return comes before each newline. */
export function turnedLength(text: Buffer): number {
  let count = text.length;
  for (const byte of text) if (byte === 10) count++;
  return count;
}
