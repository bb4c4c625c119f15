/** A session service over real SQLite and real files, a scripted host, a fake screen and a clock that the test moves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppEvent, StreamFrame } from '../../src/contract/index.ts';
import { SessionEvidence } from '../../src/domain/agents/index.ts';
import {
  createSessionService,
  type RunningSessionService,
  type SessionDependencies,
  sessionMigrations,
  type ViewerSink,
} from '../../src/domain/sessions/index.ts';
import type { CreateScreen } from '../../src/domain/sessions/screen/model.ts';
import { openDatabase } from '../../src/platform/database/index.ts';
import { createSessionFiles } from '../../src/platform/fs/index.ts';
import { createProcessTable } from '../../src/platform/process/index.ts';
import { FakeHostProcess, FakeSupervisor } from './fake-pty-host.ts';
import { createFakeScreen } from './fake-screen.ts';
import { ManualClock, settle } from './manual-clock.ts';

export interface LogEntry {
  level: 'info' | 'warn' | 'error';
  message: string;
  fields: object;
}

export interface SessionHarness {
  readonly directory: string;
  readonly clock: ManualClock;
  supervisor: FakeSupervisor;
  readonly events: AppEvent[];
  readonly logged: LogEntry[];
  service: RunningSessionService;
  process: FakeHostProcess;
  maxSessions: number;
  /** A new server over the same folder and the same host; the old one is simply dropped, as kill -9 does. */
  restart(): Promise<void>;
  /** Lets promises, sockets and the parser run until nothing moves, without moving time. */
  settle(): Promise<void>;
  dispose(): Promise<void>;
}

export interface HarnessOptions {
  createScreen?: CreateScreen;
  /** `life` is aborted when this service is dropped. */
  change?: (dependencies: SessionDependencies, life: AbortSignal) => SessionDependencies;
}

/** Without those of the other rooms in between. */
export const OWN_MIGRATIONS = sessionMigrations.map((migration, index) => ({ ...migration, version: index + 1 }));

let counter = 0;

/** Files are real here, and a slow disk decides nothing: what was begun on them is waited for. */
function isUsingFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}

/** The same object until `life` ends; then its methods never answer. */
export function mortal<T extends object>(object: T, life: AbortSignal): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]): unknown =>
        life.aborted ? new Promise(() => undefined) : Reflect.apply(value, target, values);
    },
  });
}

/** Of the whole table of versions these are only some; numbered as if they were all. */
export const ownMigrations = sessionMigrations.map((migration, index) => ({ ...migration, version: index + 1 }));

export async function createSessionHarness(options: HarnessOptions = {}): Promise<SessionHarness> {
  const directory = await mkdtemp(join(tmpdir(), 'sessions-'));
  const clock = new ManualClock();
  const events: AppEvent[] = [];
  const logged: LogEntry[] = [];
  const note = (level: LogEntry['level']) => (fields: object, message: string) => {
    logged.push({ level, message, fields });
  };
  let database = open();

  function open() {
    return openDatabase(join(directory, 'state.db'), { migrations: ownMigrations, clock });
  }

  /** Ends with the life of one service: what is left of a dead one must not write beside its successor. */
  let life = new AbortController();

  function build(): RunningSessionService {
    life = new AbortController();
    const dependencies: SessionDependencies = {
      hosts: harness.supervisor,
      database,
      checkpoints: mortal(createSessionFiles(join(directory, 'sessions')), life.signal),
      publish: (name, data) => {
        events.push({ name, data } as AppEvent);
      },
      clock,
      ids: { uuid: () => `00000000-0000-4000-8000-${String(++counter).padStart(12, '0')}` },
      createScreen: options.createScreen ?? createFakeScreen(),
      processes: createProcessTable(),
      log: { info: note('info'), warn: note('warn'), error: note('error') },
      environment: { PATH: process.env.PATH, HOME: directory, SHELL: '/bin/sh' },
      settings: { maxSessions: () => harness.maxSessions },
      version: '1.2.3',
      configDirectory: directory,
      createActivityReader: (agentType, hookNonce) =>
        new SessionEvidence(agentType ?? undefined, { hookNonce: hookNonce ?? undefined }),
    };
    return createSessionService(options.change?.(dependencies, life.signal) ?? dependencies);
  }

  const hostProcess = new FakeHostProcess(clock);
  const harness = {
    directory,
    clock,
    supervisor: new FakeSupervisor(hostProcess),
    events,
    logged,
    process: hostProcess,
    maxSessions: 50,
  } as SessionHarness;
  harness.settle = async () => {
    // Counted from the last file on: what goes on behind it takes its turns then.
    for (let quiet = 0; quiet < 12; quiet = isUsingFiles() ? 0 : quiet + 1) {
      await settle();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  harness.restart = async () => {
    harness.supervisor.disconnect();
    life.abort();
    database.close();
    database = open();
    harness.supervisor = new FakeSupervisor(harness.process);
    harness.service = build();
    await harness.service.start();
  };
  harness.dispose = async () => {
    await harness.service.stop();
    database.close();
    await rm(directory, { recursive: true, force: true });
  };
  harness.service = build();
  return harness;
}

/** Records what a viewer gets; `stall()` keeps everything as untaken by the network. */
export class RecordingViewer implements ViewerSink {
  readonly calls: ({ kind: 'bytes'; offset: number; bytes: Uint8Array } | { kind: 'frame'; frame: StreamFrame })[] = [];
  ended: string | undefined;
  waiting = 0;
  isStalled = false;

  bytes(offset: number, bytes: Uint8Array): void {
    if (this.ended !== undefined) throw new Error('bytes after the end');
    this.calls.push({ kind: 'bytes', offset, bytes });
    if (this.isStalled) this.waiting += bytes.length + 8;
  }

  frame(frame: StreamFrame): void {
    if (this.ended !== undefined) throw new Error(`${frame.type} after the end`);
    this.calls.push({ kind: 'frame', frame });
    if (this.isStalled) this.waiting += JSON.stringify(frame).length;
  }

  backlog(): number {
    return this.waiting;
  }

  end(reason: string): void {
    this.ended = reason;
  }

  frames<T extends StreamFrame['type']>(type: T): Extract<StreamFrame, { type: T }>[] {
    return this.calls.flatMap((call) =>
      call.kind === 'frame' && call.frame.type === type ? [call.frame as Extract<StreamFrame, { type: T }>] : [],
    );
  }

  /** Kinds of all calls, in order. */
  get kinds(): string[] {
    return this.calls.map((call) => (call.kind === 'bytes' ? 'bytes' : call.frame.type));
  }

  get text(): string {
    return Buffer.concat(this.calls.flatMap((call) => (call.kind === 'bytes' ? [call.bytes] : []))).toString();
  }

  /** Text of raw output frames. */
  get output(): string {
    return this.frames('output')
      .map((frame) => frame.data)
      .join('');
  }
}
