/** Runs one command line: the tree parses it, its verb does the work, and what went wrong becomes a message and an exit code. */
import { type Command, CommanderError } from 'commander';
import { AppError, EXIT_CODES } from '../contract/index.ts';
import { type Context, createContext, type Surroundings } from './context.ts';
import { CliFailure, toCliFailure } from './failure.ts';
import { buildTree } from './tree.ts';

/** Each command has its own way out; commander hands none of this down to commands that were added before. */
function redirect(command: Command, output: Pick<Surroundings, 'write' | 'warn'>): void {
  command.exitOverride().configureOutput({ writeOut: output.write, writeErr: output.warn });
  for (const inner of command.commands) redirect(inner, output);
}

/** Runs one command line; resolves to the exit code and never throws for what a person can cause. */
export async function runCommandLine(
  args: readonly string[],
  surroundings: Surroundings,
  version: string,
): Promise<number> {
  let context: Context;
  try {
    context = createContext(surroundings, version);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    surroundings.warn(`${error.message}\n`);
    return EXIT_CODES.usage;
  }
  let exitCode: number = EXIT_CODES.ok;
  const program = buildTree({
    version,
    bind:
      (work) =>
      async (...values) => {
        const code = await work(context, ...values);
        exitCode = typeof code === 'number' ? code : EXIT_CODES.ok;
      },
  });
  redirect(program, surroundings);

  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version were asked for; everything else is wrong usage, which commander has explained already.
      return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
    }
    const failure =
      error instanceof AppError
        ? new CliFailure(EXIT_CODES.failure, error.message)
        : toCliFailure(error, context.configDirectory);
    if (!(failure instanceof CliFailure)) throw failure;
    surroundings.warn(`${failure.message}\n`);
    return failure.exitCode;
  }
}
