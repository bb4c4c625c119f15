/** What is read from the output of a program. A room above brings the reader; sessions only asks it. */
import type { SessionState } from '../../contract/index.ts';

/** What a program is doing, as far as its output tells. */
export type ProgramActivity = Omit<
  SessionState,
  'last_activity_ms' | 'terminal_mode' | 'application_cursor_keys' | 'bracketed_paste'
>;

/** From which evidence the activity was read, for a person who wonders why. */
export interface ActivityEvidence {
  agent_type_by?: 'program_status' | 'declared';
  shell_state_by?: 'exit' | 'program_status' | 'shell_marks' | 'output' | 'silence';
  /** What the program says of itself and of its children, as it stands. Untrusted text. */
  program_status: readonly object[];
  /** Reports of it that were none, or one too many. */
  dropped_reports: number;
}

/**
 * Reads what the program of one terminal is doing. A pure function of what it is given: it knows no timers, its caller asks
 * when the time has come. Times are those of the monotonic clock.
 */
export interface ActivityReader {
  /** Something was written. Returns when silence would count. */
  output(at: number): number;
  /** A command of the program (OSC); `data` follows the number. Untrusted. */
  command(code: number, data: string): void;
  /** True when the silence until now changed something. */
  tick(at: number): boolean;
  /** The program has ended. */
  end(): void;
  read(): ProgramActivity;
  explain(): ActivityEvidence;
}
