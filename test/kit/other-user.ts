/** Runs a small script as another user of this machine. Needs root; without it the test fails and says so. */
import { execFile } from 'node:child_process';

const NOBODY = '65534';

/** Runs `script` (Node, CommonJS) as nobody and gives back what it printed. */
export function asOtherUser(script: string, values: readonly string[] = []): Promise<string> {
  if (process.getuid?.() !== 0) throw new Error('this test needs root: it acts as another user through setpriv');
  return new Promise((resolve, reject) => {
    execFile(
      'setpriv',
      ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', process.execPath, '-e', script, ...values],
      { cwd: '/', timeout: 30_000, env: { PATH: process.env.PATH ?? '' } },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else reject(new Error(`as another user: ${error.message} ${stderr}`));
      },
    );
  });
}
