/** Session inputs and outputs (http.md 3). */
import { z } from 'zod';
import type { Gap } from '../gap.ts';

export type Lifecycle = 'live' | 'exited' | 'lost';

export const createSessionSchema = z.object({
  rows: z.number().int().optional(),
  cols: z.number().int().optional(),
  shell: z.string().nullish(),
  args: z.array(z.string()).optional(),
  cwd: z.string().nullish(),
  session_id: z.string().optional(),
  tuic_session: z.string().nullish(),
  env: z.record(z.string(), z.string()).optional(),
  agent_type: z.string().nullish(),
  alias: z.string().optional(),
  display_name: z.string().optional(),
  display_name_is_custom: z.boolean().optional(),
});
export type CreateSession = z.infer<typeof createSessionSchema>;

export interface CreatedSession {
  session_id: string;
  alias: string;
}

export interface SessionInfo {
  session_id: string;
  cwd: string | null;
  worktree_path: string | null;
  worktree_branch: string | null;
  display_name?: string;
  display_name_is_custom?: boolean;
  is_remote: boolean;
  lifecycle: Lifecycle;
  alias?: string;
  tuic_session?: string;
  /** Set once known; death by signal is 128 + signal number. Absent on a lost session. */
  exit_code?: number;
  /** Epoch milliseconds. */
  created_at: number;
  rows: number;
  cols: number;
  /** Title set by the program (OSC 0 or 2). Untrusted text. */
  title?: string;
  /** Program and arguments, so that the same can be started again. */
  shell?: string;
  args?: string[];
}

export const writeSchema = z.object({ data: z.string() });
export const resizeSchema = z.object({ rows: z.number().int(), cols: z.number().int() });
export const renameSchema = z.object({ name: z.string().max(200).nullable() });

const count = z.coerce.number().int().min(0);
export const outputQuerySchema = z.object({
  format: z.enum(['raw', 'text', 'log']).default('raw'),
  limit: count.optional(),
  offset: count.optional(),
});
export type OutputQuery = z.infer<typeof outputQuerySchema>;

export type LogColor = { idx: number } | { rgb: [number, number, number] };
export interface LogSpan {
  text: string;
  fg?: LogColor;
  bg?: LogColor;
  bold?: true;
  italic?: true;
  underline?: true;
}
export interface LogLine {
  spans: LogSpan[];
  cols?: number;
}

export interface RawOutput {
  data: string;
  data_length: number;
  total_written: number;
  gap?: Gap;
}
export type TextOutput = RawOutput;
export interface LogOutput {
  lines: LogLine[];
  /** Logical lines ever finalised; only grows. */
  total_lines: number;
  /** Where the returned window starts. */
  offset: number;
  screen: LogLine[];
  input_line?: string;
  gap?: Gap;
}
export type Output = RawOutput | TextOutput | LogOutput;

export type ShellFamily = 'posix' | 'windows-native' | 'unknown';
