/** The real pty host as a process of its own: bundled from the sources at hand, started for one configuration directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type ConnectOptions,
  connectPtyHost,
  type HostConnection,
  NoHostError,
} from '../../src/platform/pty-host/index.ts';
import type { Cleanup } from './cleanup.ts';
import { eventually } from './eventually.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Bundles the host beside node_modules, where it finds its addons, and removes it with the cleanup. */
export async function bundleHost(cleanup: Cleanup): Promise<string> {
  const cache = join(root, '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'pty-host-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const { bundlePtyHost } = (await import(pathToFileURL(join(root, 'scripts/bundle-pty-host.mjs')).href)) as {
    bundlePtyHost(options: { outFile: string }): Promise<void>;
  };
  const program = join(folder, 'pty-host/main.cjs');
  await bundlePtyHost({ outFile: program });
  return program;
}

/** Starts a host; it is killed with the cleanup unless it has ended by itself. */
export function startHost(program: string, directory: string, cleanup: Cleanup): ChildProcess {
  const child = spawn(process.execPath, [program, '--config-dir', directory, '--build', 'test'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: directory },
  });
  const closed = once(child, 'exit');
  cleanup.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await closed;
  });
  return child;
}

/** Connects as soon as a host listens. */
export async function connectWhenReady(options: ConnectOptions, cleanup: Cleanup): Promise<HostConnection> {
  let connection: HostConnection | undefined;
  await eventually('the pty host to listen', async () => {
    try {
      connection = await connectPtyHost(options);
      return true;
    } catch (error) {
      if (error instanceof NoHostError) return false;
      throw error;
    }
  });
  if (connection === undefined) throw new Error('not connected');
  const ready = connection;
  cleanup.defer(() => ready.close());
  return ready;
}
