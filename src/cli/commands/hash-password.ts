/** tuic hash-password: the hash of a password for the remote listener. The password goes nowhere else. */
import { EXIT_CODES, LIMITS } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { readAllInput } from '../standard-input.ts';

/** bcrypt reads 72 bytes and ends at a zero byte: such a password would be another one than was typed. */
function refuseUnusable(password: string): void {
  const problem =
    password === ''
      ? 'must not be empty'
      : Buffer.byteLength(password) > LIMITS.password
        ? `must not be longer than ${LIMITS.password} bytes; it has ${Buffer.byteLength(password)}`
        : password.includes('\0')
          ? 'must not contain a zero byte'
          : undefined;
  if (problem !== undefined) throw new CliFailure(EXIT_CODES.failure, `The password ${problem}`);
}

async function readPassword(context: Context): Promise<string> {
  if (context.input?.isTerminal !== true) return (await readAllInput(context)).replace(/\r?\n$/, '');
  if (context.askSecret === undefined) {
    throw new CliFailure(EXIT_CODES.usage, 'There is no terminal to ask in. Give the password over standard input');
  }
  const password = await context.askSecret('Password: ');
  refuseUnusable(password);
  if ((await context.askSecret('Again: ')) === password) return password;
  throw new CliFailure(EXIT_CODES.failure, 'The two were not the same. Nothing was done');
}

export async function printPasswordHash(context: Context, options: { json?: boolean }): Promise<void> {
  const password = await readPassword(context);
  refuseUnusable(password);
  const { hashPassword } = await context.loadServer();
  const hash = await hashPassword(password);
  if (options.json) context.printJson({ hash });
  else context.print(hash);
}
