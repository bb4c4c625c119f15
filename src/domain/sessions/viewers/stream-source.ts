/** What a terminal offers to its viewers. */
import type { Clock } from '../../../base/index.ts';
import type { CloseReason, LogLine, SessionState } from '../../../contract/index.ts';
import type { OutputTail } from '../output-tail.ts';
import type { LogReader, ScreenSnapshot } from '../screen/model.ts';

/** How a stream ends. `exitCode` is set when a process really ended with it. */
export interface StreamEnd {
  reason: CloseReason;
  hasExited: boolean;
  exitCode?: number;
}

export interface ByteSource {
  readonly id: string;
  readonly clock: Clock;
  readonly tail: OutputTail;
  /** Set once no byte will follow `tail.shown`. */
  readonly end: StreamEnd | undefined;
  /** Bytes [from, to) of the host's ring, clipped to what is kept; undefined when there is no host any more. */
  readRing(from: number, to: number): Promise<{ offset: number; bytes: Uint8Array } | undefined>;
  /** Replayed bytes carry no terminal queries (T11). */
  cleanReplay(bytes: Uint8Array): Uint8Array;
  /** Resolves once the engine has parsed what has come so far. */
  parsed(): Promise<void>;
  snapshot(): ScreenSnapshot;
  /** While any viewer holds, the host is not granted more output. */
  hold(viewer: object): void;
  release(viewer: object): void;
}

/** One look at the log's end and the screen, shared by all log viewers of a session. */
export interface ScreenView {
  /** The rows of the screen, after what has scrolled off of the line that goes on in the first of them. */
  lines: LogLine[];
  /** Changes whenever `lines` does. */
  key: string;
}

export interface LogSource {
  readonly id: string;
  readonly log: LogReader;
  readonly end: StreamEnd | undefined;
  /** What is known of the program now. */
  readonly state: SessionState;
  screenView(): ScreenView;
}
