/** Processes of the server and its terminals (http.md 7). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** server: this server; host: the terminal host; session: first process of a session; process: any other of a session. */
export type ProcessKind = 'server' | 'host' | 'session' | 'process';

export interface ProcessStats {
  session_id: string | null;
  /** The product, the session's name (else the first 8 characters of its id), or the program. Untrusted text. */
  name: string;
  pid: number;
  /** Resident memory; pages that processes share count in each of them. */
  rss_kb: number;
  /** Of one processor, since the sample before: 200 is two of them. */
  cpu_pct: number;
  kind: ProcessKind;
  /** 0: unknown. */
  parent_pid: number;
  /** Name of the program as the kernel has it. Untrusted text. */
  program: string;
  /** Program and arguments, cut after LIMITS.processCommand bytes. Untrusted text, without control characters. */
  command: string;
  /** Clock ticks from boot to its start: with the pid it names one process for good. 0: unknown. */
  start_ticks: number;
  age_secs: number;
  /** The kernel's letter: R runs, S sleeps, D waits for a device, T is stopped, Z has ended, ? unknown. */
  state: string;
  /** It leads the foreground group of its terminal. */
  is_foreground: boolean;
}

export interface ProcessLoad {
  cpu_pct: number;
  rss_kb: number;
}

export interface MachineLoad {
  /** Processors. */
  cores: number;
  memory_kb: number;
  memory_used_kb: number;
  /** Of one processor, as everywhere here: all of them busy is 100 times `cores`. */
  cpu_pct: number;
}

export interface ProcessSample {
  /** Grows by one a sample, for the life of the server. */
  id: number;
  /** How long ago it was taken, by a clock that nobody sets. */
  ago_ms: number;
  /** Processes of server, host and sessions, also those that do not fit into the list of `/process/stats`. */
  process_count: number;
  total: ProcessLoad;
  server: ProcessLoad;
  host: ProcessLoad;
  /** Per session id. */
  sessions: Record<string, ProcessLoad>;
}

export interface ProcessHistory {
  /** Between two samples; a longer time means that nobody looked. */
  interval_ms: number;
  /** Null where the kernel cannot be asked. */
  machine: MachineLoad | null;
  /** Names of the sessions in `samples`. Untrusted text. */
  names: Record<string, string>;
  newest_id: number;
  /** Oldest first, at most LIMITS.processHistory. */
  samples: ProcessSample[];
}

export const processHistoryQuerySchema = z.object({
  /** Only samples with a higher id: for a reader that follows. */
  after: z.coerce.number().int().min(0).default(0),
});

export const killProcessSchema = z.object({
  pid: z.number().int().min(2).max(LIMITS.processId),
  /** From `/process/stats`, so that nobody else who got the number is hit. */
  start_ticks: z.number().int().min(1),
  /** end: it is asked (SIGTERM); kill: it is not (SIGKILL). */
  mode: z.enum(['end', 'kill']).default('end'),
});
export type KillProcess = z.infer<typeof killProcessSchema>;

export interface KilledProcess {
  ok: true;
  session_id: string;
  program: string;
}
