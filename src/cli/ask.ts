/** Questions to the person at the terminal. They go to standard error: standard output may be a pipe. */
import { createInterface } from 'node:readline/promises';
import { StringDecoder } from 'node:string_decoder';
import { CliFailure } from './failure.ts';
import { SecretLine } from './secret-line.ts';

/** Of a program that Ctrl-C ended, as shells count. */
const INTERRUPTED = 130;

export async function askPerson(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D is no answer; it must not leave the question open for ever.
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('n')));
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

/** The terminal has its own mode again when this settles, also after Ctrl-C. */
export function askSecretly(question: string): Promise<string> {
  const { stdin, stderr } = process;
  return new Promise((resolve, reject) => {
    const line = new SecretLine();
    const decoder = new StringDecoder('utf8');
    const wasRaw = stdin.isRaw;
    const leave = () => void stdin.setRawMode(wasRaw);
    const settle = (work: () => void) => {
      stdin.off('data', take).off('end', ended).off('error', ended);
      stdin.pause();
      process.off('exit', leave);
      leave();
      stderr.write('\n');
      work();
    };
    const ended = () => settle(() => reject(new CliFailure(INTERRUPTED, 'Nothing was done')));
    const take = (bytes: Buffer) => {
      const outcome = line.take(decoder.write(bytes));
      if (outcome === 'interrupted') ended();
      else if (outcome === 'done') settle(() => resolve(line.text));
    };
    stderr.write(question);
    stdin.setRawMode(true);
    process.once('exit', leave);
    stdin.on('data', take).on('end', ended).on('error', ended);
    stdin.resume();
  });
}
