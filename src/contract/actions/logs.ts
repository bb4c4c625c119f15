/** Application log and access log (http.md 19). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { LOG_AUDIENCES, LOG_LEVELS } from '../log-names.ts';

export const logEntrySchema = z
  .object({
    id: z.number().describe('Grows by one an entry, for the life of the server.'),
    timestamp_ms: z.number(),
    level: z.enum(LOG_LEVELS),
    source: z.string(),
    message: z.string(),
    data_json: z.string().exactOptional().describe('JSON text with the particulars.'),
    audience: z.enum(LOG_AUDIENCES),
    repeat_count: z.number().exactOptional().describe('How often the same came again, right after it.'),
  })
  .meta({ id: 'LogEntry' });
export type LogEntry = z.infer<typeof logEntrySchema>;

const count = z.coerce.number().int().min(0);

export const logQuerySchema = z.object({
  limit: count.default(0).describe('The newest so many, before the filters; 0: all.'),
  level: z.enum(LOG_LEVELS).optional(),
  source: z.string().max(LIMITS.logSource).optional(),
  audience: z.enum(LOG_AUDIENCES).optional(),
  after: count.optional().describe('Only entries with a higher id: for a reader that follows.'),
});
export type LogQuery = z.infer<typeof logQuerySchema>;

export const logInputSchema = z.object({
  level: z.enum(LOG_LEVELS),
  source: z.string().min(1).max(LIMITS.logSource),
  message: z.string().max(LIMITS.logMessage),
  data_json: z.string().max(LIMITS.logData).nullish().describe('JSON text with the particulars.'),
  audience: z.enum(LOG_AUDIENCES).default('diagnostic'),
});
export type LogInput = z.infer<typeof logInputSchema>;

export const LISTENER_KINDS = ['ipc', 'local', 'remote'] as const;

/** One write. Never content: neither bodies nor queries nor what was typed. */
export const accessEntrySchema = z
  .object({
    time_ms: z.number().describe('When it was answered.'),
    listener: z.enum(LISTENER_KINDS),
    client: z
      .string()
      .describe('The client id that the caller gave, else the address on the remote listener, else the credential.'),
    credential: z.string(),
    method: z.string().describe('`WS`: input over a stream, once a stream.'),
    route: z.string().describe('Pattern of the route; `unknown` for a path that is none.'),
    status: z.number(),
    session_id: z.string().optional(),
    duration_ms: z.number(),
  })
  .meta({ id: 'AccessEntry' });
export type AccessEntry = z.infer<typeof accessEntrySchema>;

export const accessQuerySchema = z.object({
  limit: count.min(1).max(LIMITS.accessEntries).default(200),
  since: count.optional().describe('Epoch milliseconds, inclusive.'),
  session_id: z.string().max(LIMITS.logSource).optional().describe('Any address of a session.'),
});
export type AccessQuery = z.infer<typeof accessQuerySchema>;
