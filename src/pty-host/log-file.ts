/** The host's log. Nothing depends on it: a full disk costs the line, never a terminal. Kept below LIMIT by starting anew. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import type { Clock } from '../base/index.ts';
import { errorCode } from './error-code.ts';

const LIMIT = 1_048_576;
const EXPECTED = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO', 'ENOENT', 'EFBIG']);

export function createLogFile(path: string, clock: Clock): (message: string) => void {
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!EXPECTED.has(errorCode(error) ?? '')) throw error;
    }
  };
  return (message) =>
    attempt(() => {
      attempt(() => {
        if (statSync(path).size > LIMIT) renameSync(path, `${path}.1`);
      });
      const line = `${new Date(clock.now()).toISOString()} ${process.pid} ${message}\n`;
      appendFileSync(path, line, { mode: 0o600 });
    });
}
