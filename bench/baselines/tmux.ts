/** tmux in a server of its own: a pane with as much history as our log has lines, and no client that draws it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LIMITS } from '../../src/contract/index.ts';
import type { Cleanup } from '../../test/kit/cleanup-steps.ts';

const run = promisify(execFile);
let nextName = 1;

export interface TmuxPane {
  /** Milliseconds until the pane has read all of it. */
  show(file: string): Promise<number>;
  serverPid: number;
}

/** Throws when tmux is not installed. */
export async function startTmux(cleanup: Cleanup): Promise<TmuxPane> {
  const folder = await cleanup.temporaryDirectory('tuic-t-');
  const name = `bench-${process.pid}-${nextName++}`;
  const environment = { ...process.env, TMUX_TMPDIR: folder, TMUX: '', LANG: 'C.UTF-8' };
  const tmux = async (...args: string[]) => {
    const { stdout } = await run('tmux', ['-f', '/dev/null', '-L', name, ...args], { env: environment });
    return stdout.trim();
  };
  try {
    await tmux('new-session', '-d', '-x', '120', '-y', '40', 'sleep 100000');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('tmux is not installed (Debian: apt-get install tmux, macOS: brew install tmux)');
  }
  cleanup.defer(() => tmux('kill-server'));
  await tmux('set-option', '-g', 'history-limit', String(LIMITS.logLines));
  const serverPid = Number(await tmux('display-message', '-p', '#{pid}'));
  let nextPane = 1;
  return {
    serverPid,
    async show(file) {
      const pane = nextPane++;
      const script = `tmux wait-for -S ready-${pane}; read go; cat ${file}; tmux wait-for -S done-${pane}; read go`;
      await tmux('new-window', '-d', '-n', `pane-${pane}`, `sh -c '${script}'`);
      await tmux('wait-for', `ready-${pane}`);
      const since = performance.now();
      const done = tmux('wait-for', `done-${pane}`);
      await tmux('send-keys', '-t', `pane-${pane}`, 'Enter');
      await done;
      const took = performance.now() - since;
      await tmux('kill-window', '-t', `pane-${pane}`);
      return took;
    },
  };
}
