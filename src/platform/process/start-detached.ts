/** Starts a program and lets it go: it has no pipe to the server and outlives it. Rejects when it could not be started. */
import { spawn } from 'node:child_process';

export interface DetachedProgram {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export type StartDetached = (program: DetachedProgram) => Promise<void>;

export const startDetached: StartDetached = ({ file, args, cwd, env }) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: 'ignore' });
    child.once('error', reject);
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
