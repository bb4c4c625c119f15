/** One terminal over a scripted host and a fake screen, without table and files: for tests of streams. */
import { LIMITS } from '../../src/contract/index.ts';
import { SessionEvidence } from '../../src/domain/agents/index.ts';
import type { OpenViewer, Viewer } from '../../src/domain/sessions/index.ts';
import { createParseScheduler } from '../../src/domain/sessions/parse-scheduler.ts';
import type { CreateScreen } from '../../src/domain/sessions/screen/model.ts';
import { Terminal } from '../../src/domain/sessions/terminal.ts';
import type { SessionFiles } from '../../src/platform/fs/index.ts';
import { FakeHostProcess, type FakeProgram, FakePtyHost } from './fake-pty-host.ts';
import { createFakeScreen } from './fake-screen.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordingViewer } from './session-harness.ts';

export interface TerminalRig {
  readonly clock: ManualClock;
  readonly host: FakePtyHost;
  readonly program: FakeProgram;
  readonly terminal: Terminal;
  readonly logged: string[];
  /** Prints as a real program: as much as the host has room for, in pieces. Returns what was printed. */
  flood(bytes: Uint8Array): Promise<number>;
  open(options: OpenViewer, sink?: RecordingViewer): { viewer: Viewer; sink: RecordingViewer };
  turns(count?: number): Promise<void>;
  dispose(): void;
}

const noFiles: SessionFiles = {
  appendLog: async () => undefined,
  trimLog: async () => undefined,
  dropLogBefore: async () => undefined,
  writeScreen: async () => undefined,
  writeRing: async () => undefined,
  readRing: async () => undefined,
  read: async () => ({ screen: undefined, log: [] }),
  remove: async () => undefined,
  list: async () => [],
};

export interface RigOptions {
  files?: Partial<SessionFiles>;
  budget?: number;
  logLines?: number;
  /** Instead of the fake screen. */
  createScreen?: CreateScreen;
}

export async function createTerminalRig(options: RigOptions = {}): Promise<TerminalRig> {
  const clock = new ManualClock();
  const process = new FakeHostProcess(clock);
  const host = new FakePtyHost(process);
  const program = process.start({ id: 's', file: 'sh', args: [], env: {}, cwd: '/', cols: 80, rows: 24 });
  const logged: string[] = [];
  const note = (_fields: object, message: string) => {
    logged.push(message);
  };
  const create = options.createScreen ?? createFakeScreen({ isBlind: options.logLines === undefined, ...options });
  const engine = create({ cols: 80, rows: 24 });
  const terminal: Terminal = new Terminal({
    id: 's',
    engine,
    clock,
    scheduler: createParseScheduler(() => clock.monotonic()),
    files: { ...noFiles, ...options.files },
    log: { info: note, warn: note, error: note },
    reader: new SessionEvidence(),
    onActivity: () => undefined,
    onAgentSession: () => undefined,
    onTitle: () => undefined,
    onOutput: () => undefined,
    onResized: () => undefined,
    onEnd: (status) => {
      terminal.finish({
        reason: 'process_exit',
        hasExited: true,
        ...(status === undefined ? {} : { exitCode: status.code }),
      });
    },
  });
  await terminal.attach(host);
  const turns = async (count = 4) => {
    for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  await turns();
  return {
    clock,
    host,
    program,
    terminal,
    logged,
    turns,
    flood: async (bytes) => {
      let at = 0;
      for (let idle = 0; at < bytes.length && idle < 8; ) {
        const piece = bytes.subarray(at, at + LIMITS.ringChunk);
        if (program.hasRoom(piece.length)) {
          program.print(piece);
          at += piece.length;
          idle = 0;
        } else {
          idle++;
        }
        clock.advance(2);
        await turns(2);
      }
      return at;
    },
    open: (viewerOptions, sink = new RecordingViewer()) => ({
      viewer: terminal.openViewer(viewerOptions, sink),
      sink,
    }),
    dispose: () => terminal.dispose(),
  };
}
