/** Starts a detached host, and tells whether a host's process is still that one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError, HOST_FILES, HOST_READY } from '../../contract/index.ts';
import { systemCode } from './locate.ts';

export interface LaunchOptions {
  /** The bundled host. */
  program: string;
  directory: string;
  build: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** What the host itself needs; programs get the environment of their request. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
const READY_FD = 3;
/**
 * Its heap is small, so threads that help to collect it and to compile cost more memory (about 10 MB) than they save time. And it
 * optimizes only what stays hot for long, ten times the usual: a host that copies now and then saves 5 MB.
 */
const NODE_FLAGS = ['--v8-pool-size=0', '--interrupt-budget=675840'];

/**
 * Resolves when the new host listens, or has given way to another one. Rejects with AppError host_unavailable and what the
 * host said. The host survives this process: own session, no terminal, no pipe of ours once it listens.
 */
export async function launchHost(options: LaunchOptions): Promise<void> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unavailable(error);
  });
  const log = await openLog(join(options.directory, HOST_FILES.log));
  try {
    const args = [...NODE_FLAGS, options.program, '--config-dir', options.directory, '--build', options.build];
    const child = spawn(process.execPath, [...args, '--ready-fd', String(READY_FD)], {
      detached: true,
      cwd: '/',
      env: minimalEnvironment(options.env),
      stdio: ['ignore', log?.fd ?? 'ignore', log?.fd ?? 'ignore', 'pipe'],
    });
    child.unref();
    const failed = once(child, 'error').then(([error]: unknown[]) => {
      throw unavailable(error);
    });
    const word = await Promise.race([readAll(child.stdio[READY_FD] as Readable), failed]);
    failed.catch(() => undefined);
    if (word === HOST_READY.listening || word === HOST_READY.gaveWay) return;
    throw new AppError('host_unavailable', { detail: word.trim() || `it ended while starting; see ${HOST_FILES.log}` });
  } finally {
    await log?.close();
  }
}

async function readAll(stream: Readable): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const part of stream) text += part;
  return text;
}

/** A full disk must not keep terminals from opening: then there is no log. */
async function openLog(path: string) {
  try {
    return await open(path, 'a', 0o600);
  } catch (error) {
    if (systemCode(error) === 'ENOSPC' || systemCode(error) === 'EDQUOT') return undefined;
    throw unavailable(error);
  }
}

function minimalEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  // TUIC_PTY_HOST: closing a terminal in which somebody runs another server does not end that server's host.
  const kept: Record<string, string> = { TUIC_PTY_HOST: '1' };
  for (const name of KEPT) if (env[name] !== undefined) kept[name] = env[name];
  return kept;
}

function unavailable(error: unknown): AppError {
  const detail = error instanceof Error ? error.message : String(error);
  return new AppError('host_unavailable', { detail }, { cause: error });
}

/** Names one process for good, together with its pid; undefined when there is none (a zombie counts as none). */
export async function readStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return isThere(pid) ? '' : undefined;
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ESRCH') return undefined;
    throw error;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false;
    if (systemCode(error) === 'EPERM') return true;
    throw error;
  }
}
