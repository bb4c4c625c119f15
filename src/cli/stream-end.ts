import type { StreamEnd } from '../client/index.ts';
import { EXIT_CODES } from '../contract/index.ts';

/** Says how a program or its session ended, and tells the exit code that this command ends with. */
export function sayEnded(end: Extract<StreamEnd, { kind: 'exit' | 'closed' }>, say: (text: string) => void): number {
  if (end.kind === 'exit') {
    say(end.exitCode === undefined ? 'ended' : `ended with exit code ${end.exitCode}`);
    return EXIT_CODES.ok;
  }
  say(end.reason === 'host_lost' ? 'lost with its terminal host' : 'closed');
  return end.reason === 'host_lost' ? EXIT_CODES.failure : EXIT_CODES.ok;
}
