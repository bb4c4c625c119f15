/** Processes of the server and its terminals (http.md 7). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** server: this server; host: the terminal host; session: first process of a session; process: any other of a session. */
const processKindSchema = z.enum(['server', 'host', 'session', 'process']);
export type ProcessKind = z.infer<typeof processKindSchema>;

export const processStatsSchema = z
  .object({
    session_id: z.string().nullable(),
    name: z
      .string()
      .describe(
        "The product, the session's name (else the first 8 characters of its id), or the program. Untrusted text.",
      ),
    pid: z.number(),
    rss_kb: z.number().describe('Resident memory; pages that processes share count in each of them.'),
    cpu_pct: z.number().describe('Of one processor, since the sample before: 200 is two of them.'),
    kind: processKindSchema.describe(
      'server: this server; host: the terminal host; session: first process of a session; process: any other of a session.',
    ),
    parent_pid: z.number().describe('0: unknown.'),
    program: z.string().describe('Name of the program as the kernel has it. Untrusted text.'),
    command: z
      .string()
      .describe(
        `Program and arguments, cut after ${LIMITS.processCommand} bytes. Untrusted text, without control characters.`,
      ),
    start_ticks: z
      .number()
      .describe('Clock ticks from boot to its start: with the pid it names one process for good. 0: unknown.'),
    age_secs: z.number(),
    state: z
      .string()
      .describe("The kernel's letter: R runs, S sleeps, D waits for a device, T is stopped, Z has ended, ? unknown."),
    is_foreground: z.boolean().describe('It leads the foreground group of its terminal.'),
  })
  .meta({ id: 'ProcessStats' });
export type ProcessStats = z.infer<typeof processStatsSchema>;

const processLoadSchema = z.object({ cpu_pct: z.number(), rss_kb: z.number() }).meta({ id: 'ProcessLoad' });
export type ProcessLoad = z.infer<typeof processLoadSchema>;

const machineLoadSchema = z
  .object({
    cores: z.number().describe('Processors.'),
    memory_kb: z.number(),
    memory_used_kb: z.number(),
    cpu_pct: z.number().describe('Of one processor, as everywhere here: all of them busy is 100 times `cores`.'),
  })
  .meta({ id: 'MachineLoad' });
export type MachineLoad = z.infer<typeof machineLoadSchema>;

const processSampleSchema = z
  .object({
    id: z.number().describe('Grows by one a sample, for the life of the server.'),
    ago_ms: z.number().describe('How long ago it was taken, by a clock that nobody sets.'),
    process_count: z
      .number()
      .describe(
        'Processes of server, host and sessions, also those that do not fit into the list of `/process/stats`.',
      ),
    total: processLoadSchema,
    server: processLoadSchema,
    host: processLoadSchema,
    sessions: z.record(z.string(), processLoadSchema).describe('Per session id.'),
  })
  .meta({ id: 'ProcessSample' });
export type ProcessSample = z.infer<typeof processSampleSchema>;

export const processHistorySchema = z
  .object({
    interval_ms: z.number().describe('Between two samples; a longer time means that nobody looked.'),
    machine: machineLoadSchema.nullable().describe('Null where the kernel cannot be asked.'),
    names: z
      .record(z.string(), z.string())
      .describe('Names of the sessions in `samples`, the alias where there is none. Untrusted text.'),
    newest_id: z.number(),
    samples: z.array(processSampleSchema).describe(`Oldest first, at most ${LIMITS.processHistory}.`),
  })
  .meta({ id: 'ProcessHistory' });
export type ProcessHistory = z.infer<typeof processHistorySchema>;

export const processHistoryQuerySchema = z.object({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Only samples with a higher id: for a reader that follows.'),
});

export const killProcessSchema = z.object({
  pid: z.number().int().min(2).max(LIMITS.processId),
  start_ticks: z
    .number()
    .int()
    .min(1)
    .describe('From `/process/stats`, so that nobody else who got the number is hit.'),
  mode: z.enum(['end', 'kill']).default('end').describe('end: it is asked (SIGTERM); kill: it is not (SIGKILL).'),
});
export type KillProcess = z.infer<typeof killProcessSchema>;

export const killedProcessSchema = z.object({ ok: z.literal(true), session_id: z.string(), program: z.string() });
export type KilledProcess = z.infer<typeof killedProcessSchema>;
