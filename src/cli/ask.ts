/** Questions to the person at the terminal. They go to standard error: standard output may be a pipe. */
import { createInterface } from 'node:readline/promises';

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
