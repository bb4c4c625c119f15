/** What the sessions room offers to the fronts. `ref` is a PTY id, a tuic_session or an alias (ADR-1..9). */
import type { Disposable } from '../../base/index.ts';
import type {
  CloseReason,
  CreatedSession,
  CreateSession,
  EventName,
  Output,
  OutputQuery,
  PlainOutput,
  PlainOutputQuery,
  SessionInfo,
  SessionMetrics,
  ShellFamily,
  StreamFormat,
  StreamFrame,
  Submit,
  SubmitReceipt,
  WaitFor,
  WaitOutcome,
} from '../../contract/index.ts';
import type { ActivityEvidence, TypingRefusal } from './activity.ts';
import type { TypedLine } from './writer.ts';

/**
 * A viewer's receiving end, implemented by a WebSocket front. Calls come in stream order. `backlog` is how many bytes the
 * front has accepted but the network has not taken (for format=bytes the session also counts what is not acknowledged).
 */
export interface ViewerSink {
  bytes(offset: number, bytes: Uint8Array): void;
  frame(frame: StreamFrame): void;
  backlog(): number;
  /** The session ended for good; nothing follows. */
  end(reason: CloseReason): void;
}

export interface Viewer extends Disposable {
  /** format=bytes: all before `offset` is consumed. */
  acknowledge(offset: number): void;
  /** The network took data: the session may send on. */
  drained(): void;
  /** Typed by the person. Reply-shaped input is dropped while a matching query is open (D10). */
  input(bytes: Uint8Array): Promise<void>;
  /** This viewer's size; the size rule decides (last active viewer). */
  resize(rows: number, cols: number): void;
  visible(visible: boolean): void;
}

export interface OpenViewer {
  format: StreamFormat;
  /** Byte cursor (raw, bytes) or line cursor (text, log). */
  offset?: number;
  /** Adds this session's lifecycle events as frames. */
  events?: boolean;
}

/** Where the processes of a session hang in the kernel's table. */
export interface ProcessRoot {
  sessionId: string;
  /** Value of TUIC_SESSION in its processes. */
  mark: string;
  /** Its name, else the first 8 characters of its id. */
  name: string;
  /** As a person knows it: its name, else its alias. */
  label: string;
  /** Its first process, which may have ended while others of the session run. */
  pid: number;
}

export interface SessionAgent {
  agent_type: string | null;
  agent_session: string | null;
}

export interface SessionService {
  create(input: CreateSession, origin: { isRemote: boolean }): Promise<CreatedSession>;
  /** Resolves when the table was compared with the host after a start: a list before would miss what has just begun. */
  readonly settled: Promise<void>;
  list(options?: { includeExited?: boolean }): SessionInfo[];
  get(ref: string): SessionInfo;
  /** As which agent it was started, and which conversation the agent told of (STM-51). */
  agentOf(ref: string): SessionAgent;
  /** The PTY id behind any of the three addresses; an unknown reference comes back unchanged (ADR-2). */
  resolve(ref: string): string;
  write(ref: string, data: Uint8Array): Promise<void>;
  /** A prompt for an idle agent, in one step; the receipt tells refusals too (SUB-1 to SUB-10). */
  submit(ref: string, prompt: Submit, signal: AbortSignal): Promise<SubmitReceipt>;
  /** Text and Enter as one line, whatever the program is doing (SES-5). */
  enterLine(ref: string, text: string): Promise<void>;
  /** What it works on, for whoever looks at it; null or "" takes it away (SES-16). */
  describe(ref: string, description: string | null): void;
  /** Resolves in every ending but that of the server; `signal` tells that whoever asked has gone. */
  wait(ref: string, wanted: WaitFor, signal: AbortSignal): Promise<WaitOutcome>;
  resize(ref: string, rows: number, cols: number): Promise<void>;
  output(ref: string, query: OutputQuery): Promise<Output>;
  /** Plain text with a line cursor, also of an ended or lost session. */
  plainOutput(ref: string, query: PlainOutputQuery): Promise<PlainOutput>;
  /** Epoch milliseconds of the newest output, else of the creation. */
  lastActivity(ref: string): number;
  /** Why the activity is what it is told to be; undefined while this server has not seen the output. */
  evidence(ref: string): ActivityEvidence | undefined;
  pause(ref: string): Promise<void>;
  resume(ref: string): Promise<void>;
  rename(ref: string, name: string | null): void;
  close(ref: string): Promise<void>;
  kill(ref: string): Promise<void>;
  shellFamily(ref: string): ShellFamily | null;
  /** Foreground process name, null when it is the shell itself. */
  foregroundProcess(ref: string): Promise<string | null>;
  /** Pid of the foreground process group. */
  leafPid(ref: string): Promise<number | null>;
  /** The folder its foreground program works in, else the one it began in; null when neither is known or it is not there. */
  workingFolder(ref: string): Promise<string | null>;
  /** Of every session whose processes may run. */
  processRoots(): ProcessRoot[];
  /** Last <= 1 MiB of raw output. */
  rawRing(ref: string): Promise<Uint8Array>;
  /** Throws session_not_found before anything is sent when the session is neither live nor lost. */
  openViewer(ref: string, options: OpenViewer, sink: ViewerSink): Promise<Viewer>;
  metrics(): SessionMetrics;
  readonly liveCount: number;
  readonly maxSessions: number;
}

/** Typing at programs in somebody's place: mail, queued commands, prompts that had to wait. */
export interface TypedLines {
  /** Why no line may be typed now; undefined: it may. `not_managed` too while its terminal is not in memory. */
  typingRefusal(ref: string): TypingRefusal | undefined;
  /** One line, when its turn has come and the program takes it then; refused otherwise, never queued. */
  typeLine(ref: string, text: string, options?: { onStart?: () => void }): Promise<TypedLine>;
  /** Told with the session's id after each change of its state, of what may be typed, or of its turn. */
  onTypingChange(listener: (sessionId: string) => void): Disposable;
  /** Names who knows what waits to be typed, so that a submission does not overtake it. */
  setQueue(hasQueued: (sessionId: string) => boolean): void;
}

export type PublishEvent = <N extends EventName>(name: N, data: import('../../contract/index.ts').EventData[N]) => void;
