/**
 * wetty, the terminal server most people install from npm. Installed once, outside of the project, in the version named
 * here; its node-pty is replaced by the prebuilt fork with the same code, so that no compiler is needed. It reaches its
 * shell through `ssh`: a script of that name runs the command itself, so no network login is measured.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Cleanup } from '../../test/kit/cleanup-steps.ts';
import { findFreePort } from '../../test/kit/server.ts';
import { sharedCache } from '../kit/machine.ts';
import { startChild } from './child.ts';
import type { Contestant, Line } from './line.ts';

const VERSION = '3.2.0';
const MANIFEST = {
  private: true,
  dependencies: { wetty: VERSION, 'socket.io-client': '4.8.1' },
  overrides: { 'node-pty': 'npm:@lydell/node-pty@1.1.0' },
};
const COMMIT_EVERY = 65_536;

/** The parts of socket.io's client that are used. */
interface SocketIo {
  on(event: string, listener: (data: string) => void): void;
  emit(event: string, ...values: unknown[]): void;
  disconnect(): void;
}

/** Throws when npm cannot install it. */
async function install(cleanup: Cleanup, progress: (text: string) => void): Promise<string> {
  const folder = join(sharedCache(), `wetty-${VERSION}`);
  if (existsSync(folder)) return folder;
  progress(`installing wetty ${VERSION}`);
  const draft = `${folder}.${process.pid}`;
  cleanup.defer(() => rm(draft, { recursive: true, force: true }));
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, 'package.json'), JSON.stringify(MANIFEST));
  const npm = startChild(cleanup, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft });
  const code = await new Promise<number | null>((resolve) => npm.process.on('close', resolve));
  if (code !== 0) throw new Error(`npm install wetty@${VERSION} ended with ${code}`);
  await rename(draft, folder);
  return folder;
}

export async function startWetty(
  cleanup: Cleanup,
  script: string,
  progress: (text: string) => void,
): Promise<Contestant> {
  const folder = await install(cleanup, progress);
  const place = await cleanup.temporaryDirectory('tuic-w-');
  await writeFile(join(place, 'program'), `#!/bin/sh\n${script}\n`);
  await writeFile(join(place, 'ssh'), `#!/bin/sh\nexec /bin/sh ${join(place, 'program')}\n`);
  await Promise.all(['program', 'ssh'].map((name) => chmod(join(place, name), 0o755)));
  const port = await findFreePort();
  const args = [
    '--force-ssh',
    '--ssh-user',
    'bench',
    '--base',
    '/wetty',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
  ];
  const child = startChild(cleanup, process.execPath, [join(folder, 'node_modules/wetty/build/main.js'), ...args], {
    cwd: place,
    env: { ...process.env, NODE_ENV: 'production', PATH: `${place}:${process.env.PATH}` },
  });
  await child.until(/Server started/);
  const { io } = createRequire(join(folder, 'package.json'))('socket.io-client') as {
    io(origin: string, options: object): SocketIo;
  };
  const open = async (): Promise<Line> => {
    const socket = io(`http://127.0.0.1:${port}`, {
      path: '/wetty/socket.io',
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    });
    let received = 0;
    let uncommitted = 0;
    let listener: (text: string) => void = () => {};
    socket.on('data', (text) => {
      received += text.length;
      uncommitted += text.length;
      if (uncommitted >= COMMIT_EVERY) {
        socket.emit('commit', uncommitted);
        uncommitted = 0;
      }
      listener(text);
    });
    await new Promise<void>((resolve, reject) => {
      socket.on('login', () => resolve());
      socket.on('connect_error', (error) => reject(new Error(`wetty: ${String(error)}`)));
    });
    return {
      get received() {
        return received;
      },
      send: (text) => socket.emit('input', text),
      onData(next) {
        listener = next;
      },
      async close() {
        socket.disconnect();
      },
    };
  };
  return { name: 'wetty', open, pids: () => [child.pid] };
}
