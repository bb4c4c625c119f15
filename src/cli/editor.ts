/** The editor a person wants, and running it. */
import { spawn } from 'node:child_process';
import { EXIT_CODES } from '../contract/index.ts';
import { CliFailure } from './failure.ts';

/** `VISUAL`, `EDITOR`, else vi where somebody sits at a terminal. The value is a line for the shell, so it may hold options. */
export function chooseEditor(env: Readonly<Record<string, string | undefined>>, hasTerminal: boolean): string {
  const own = [env.VISUAL, env.EDITOR].find((value) => value !== undefined && value.trim() !== '');
  if (own !== undefined) return own;
  if (hasTerminal) return 'vi';
  throw new CliFailure(
    EXIT_CODES.usage,
    'There is no terminal to edit in. Set VISUAL or EDITOR, or use "tuic config set"',
  );
}

/** Resolves to the editor's exit code. Ctrl-C is the editor's own while it runs. */
export function runEditor(command: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const ignore = () => undefined;
    process.on('SIGINT', ignore);
    const child = spawn('/bin/sh', ['-c', `${command} "$@"`, command, path], { stdio: 'inherit' });
    const settle = (work: () => void) => {
      process.off('SIGINT', ignore);
      work();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.once('exit', (code) => settle(() => resolve(code ?? 1)));
  });
}
