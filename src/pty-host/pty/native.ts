/**
 * The two prebuilt addons. Only the native parts are used: the fork and resize of the one, close-on-exec of the other.
 * Without close-on-exec (other systems than Linux x64) programs inherit the masters of terminals opened before them.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { errorCode } from '../error-code.ts';

export interface NativeTerminal {
  fork(
    file: string,
    args: string[],
    environment: string[],
    directory: string,
    cols: number,
    rows: number,
    user: number,
    group: number,
    utf8: boolean,
    helper: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

interface Native extends NativeTerminal {
  setCloseOnExec(fd: number): void;
}

let loaded: Native | undefined;

export function loadNative(): Native {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  const fromPackage = createRequire(require.resolve('@lydell/node-pty/package.json'));
  const terminal: NativeTerminal = fromPackage(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`);
  const setCloseOnExec = loadCloseOnExec(require);
  loaded = {
    fork: (...args) => terminal.fork(...args),
    resize: (fd, cols, rows) => terminal.resize(fd, cols, rows),
    setCloseOnExec: (fd) => setCloseOnExec?.(fd, true),
  };
  if (setCloseOnExec !== undefined) sealInherited(setCloseOnExec);
  return loaded;
}

/** Descriptors that this process was started with unasked (a shell's, a test runner's) are not handed on to programs. */
function sealInherited(setCloseOnExec: (fd: number, on: boolean) => void): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd <= 2) continue;
    try {
      setCloseOnExec(fd, true);
    } catch (error) {
      // The listing's own descriptor is closed by now; the addon throws without a system code.
      if (errorCode(error) !== 'GenericFailure') throw error;
    }
  }
}

function loadCloseOnExec(require: NodeJS.Require): ((fd: number, on: boolean) => void) | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    const addon: { setCloseOnExec(fd: number, on: boolean): void } = require('@replit/ruspty-linux-x64-gnu');
    return addon.setCloseOnExec;
  } catch (error) {
    // Optional: not installed, or built for another libc.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_DLOPEN_FAILED') return undefined;
    throw error;
  }
}
