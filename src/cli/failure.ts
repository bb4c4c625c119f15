/** How a command fails: a message that says the next step, and an exit code of the contract. */
import { RequestRefused, ServerUnreachable } from '../client/index.ts';
import { EXIT_CODES } from '../contract/index.ts';

export class CliFailure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CliFailure';
    this.exitCode = exitCode;
  }
}

export function serverNotRunning(configDirectory: string, next = 'Start it with "tuic start"'): CliFailure {
  return new CliFailure(EXIT_CODES.serverNotRunning, `No server is running for ${configDirectory}. ${next}`);
}

/** Turns what the client throws into a CliFailure; anything else is a fault of ours and passes through. */
export function toCliFailure(error: unknown, configDirectory: string): unknown {
  if (error instanceof ServerUnreachable) return serverNotRunning(configDirectory);
  if (error instanceof RequestRefused) {
    const exitCode = error.status === 404 ? EXIT_CODES.notFound : EXIT_CODES.failure;
    return new CliFailure(exitCode, error.message, { cause: error });
  }
  return error;
}
