/** Reading what is piped into a verb, whole and with a bound. */
import { EXIT_CODES, LIMITS } from '../contract/index.ts';
import type { Context } from './context.ts';
import { CliFailure } from './failure.ts';

/** Everything that comes, as text; refuses more than 4 MiB and what is no UTF-8. */
export async function readAllInput(context: Context): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of context.input?.read() ?? []) {
    size += piece.length;
    if (size > LIMITS.writeQueue) {
      throw new CliFailure(EXIT_CODES.failure, 'More than 4 MiB came over standard input. Nothing was done');
    }
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new CliFailure(EXIT_CODES.failure, 'What came over standard input is not valid UTF-8. Nothing was done');
  }
}
