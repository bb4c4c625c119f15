import { spawn } from 'node:child_process';

/** A child that ended with something else than 0. `output` is what it printed, when it was captured. */
export class CommandFailed extends Error {
  constructor(command, status, output) {
    super(`${command} failed (${status})`);
    this.name = 'CommandFailed';
    this.output = output;
  }
}

/**
 * Runs a program to its end and resolves to its exit code. `capture` collects the output instead of showing it; it is
 * handed over with the result. Rejects only when the program cannot be started.
 */
export function run(file, args, { cwd, env = process.env, capture = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? 1, status: signal ?? `exit code ${code}`, output }));
  });
}

/** Like `run` with captured output, but rejects with CommandFailed unless the program ends with 0. */
export async function runQuietly(name, file, args, options = {}) {
  const { code, status, output } = await run(file, args, { ...options, capture: true });
  if (code !== 0) throw new CommandFailed(name, status, output);
  return output;
}
