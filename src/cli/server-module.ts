/**
 * The one way to the server's code. `tuic start` is the server, and what works without a running server but needs its code (replaying a
 * capture, hashing a password) is taken from the same bundle. Loaded when asked for, so that every other verb starts without it.
 */
import type { Capture } from '../contract/index.ts';

/** The command is one bundled file with its door beside it, dist/cli/main.js. */
export const PROGRAM = new URL('main.js', import.meta.url).href;

export interface ServerReady {
  pid: number;
  configDirectory: string;
  /** Login link; absent when the local server is switched off. */
  workspace?: string;
}

export interface ReplayedScreen {
  lines: string[];
  screen: string[];
  title: string;
}

/** What dist/daemon/main.js offers; declared here because the CLI does not import the server's code. */
export interface ServerModule {
  runServer(options: {
    commandName: string;
    onReady?: (ready: ServerReady) => void;
    onFailed?: (message: string) => void;
    isSilent?: boolean;
  }): Promise<number>;
  replayCapture(capture: Capture, size: { rows: number; cols: number }): ReplayedScreen;
  hashPassword(password: string): Promise<string>;
}

export async function loadServerModule(): Promise<ServerModule> {
  const location = new URL('../daemon/main.js', PROGRAM).href;
  return (await import(location)) as ServerModule;
}
