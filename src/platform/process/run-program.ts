/**
 * Runs a small program to its end and gives what it wrote. It never outlasts its deadline: it leads a group of its own, and the group
 * is killed, so that a helper it started does not stay either.
 */
import { spawn } from 'node:child_process';
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';

export interface ProgramRun {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  clock: Clock;
  deadline: number;
  /** Bytes of its output that are kept; it is ended when it writes more. */
  outputLimit: number;
  /** Ends it early. */
  signal?: AbortSignal;
}

export interface ProgramEnd {
  /** `ended`: by itself; `stopped`: by us, at its deadline or before; `failed`: it could not be started. */
  outcome: 'ended' | 'stopped' | 'failed';
  /** Undefined unless it ended by `exit`. */
  code: number | undefined;
  /** Standard output, then standard error. */
  output: string;
}

export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    if (run.signal?.aborted === true) return resolve({ outcome: 'stopped', code: undefined, output: '' });
    const child = spawn(run.file, run.args, {
      cwd: run.cwd,
      env: run.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: [Buffer[], Buffer[]] = [[], []];
    let length = 0;
    let isStopped = false;
    // Somebody who left the group may hold them open.
    const closePipes = () => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const stop = () => {
      isStopped = true;
      killGroup(child.pid);
      closePipes();
    };
    const timer = run.clock.after(run.deadline, stop);
    let linger: Disposable | undefined;
    run.signal?.addEventListener('abort', stop);
    for (const [at, stream] of [child.stdout, child.stderr].entries()) {
      stream.on('data', (piece: Buffer) => {
        const rest = run.outputLimit - length;
        length += piece.length;
        output[at as 0 | 1].push(piece.subarray(0, Math.max(0, rest)));
        if (piece.length > rest) stop();
      });
      // What was read before counts; the end comes with `close`.
      stream.on('error', () => {});
    }
    const finish = (end: Pick<ProgramEnd, 'outcome' | 'code'>) => {
      timer.dispose();
      linger?.dispose();
      run.signal?.removeEventListener('abort', stop);
      resolve({ ...end, output: Buffer.concat(output.flat()).toString('utf8') });
    };
    child.once('error', () => finish({ outcome: 'failed', code: undefined }));
    child.once('exit', () => {
      // Whoever it leaves behind in its group.
      killGroup(child.pid);
      linger = run.clock.after(DEADLINES.programPipes, closePipes);
    });
    child.once('close', (code) =>
      finish({ outcome: isStopped ? 'stopped' : 'ended', code: isStopped ? undefined : (code ?? undefined) }),
    );
  });
}

function killGroup(pid: number | undefined): void {
  signalGroup(pid, 'SIGKILL');
}

/** To the whole group that this process leads. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nobody is left, or nobody whom this user may end.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
  }
}
