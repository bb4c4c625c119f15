/** Application log and access log (http.md 19). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `user`: a person should see it; `diagnostic`: for whoever looks into a problem. */
export const LOG_AUDIENCES = ['user', 'diagnostic'] as const;
export type LogAudience = (typeof LOG_AUDIENCES)[number];

export interface LogEntry {
  /** Grows by one an entry, for the life of the server. */
  id: number;
  timestamp_ms: number;
  level: LogLevel;
  source: string;
  message: string;
  /** JSON text with the particulars. */
  data_json?: string;
  audience: LogAudience;
  /** How often the same came again, right after it. */
  repeat_count?: number;
}

const count = z.coerce.number().int().min(0);

export const logQuerySchema = z.object({
  /** The newest so many, before the filters; 0: all. */
  limit: count.default(0),
  level: z.enum(LOG_LEVELS).optional(),
  source: z.string().max(LIMITS.logSource).optional(),
  audience: z.enum(LOG_AUDIENCES).optional(),
  /** Only entries with a higher id: for a reader that follows. */
  after: count.optional(),
});
export type LogQuery = z.infer<typeof logQuerySchema>;

export const logInputSchema = z.object({
  level: z.enum(LOG_LEVELS),
  source: z.string().min(1).max(LIMITS.logSource),
  message: z.string().max(LIMITS.logMessage),
  data_json: z.string().max(LIMITS.logData).nullish(),
  audience: z.enum(LOG_AUDIENCES).default('diagnostic'),
});
export type LogInput = z.infer<typeof logInputSchema>;

export const LISTENER_KINDS = ['ipc', 'local', 'remote'] as const;

/** One write. Never content: neither bodies nor queries nor what was typed. */
export const accessEntrySchema = z.object({
  /** When it was answered. */
  time_ms: z.number(),
  listener: z.enum(LISTENER_KINDS),
  /** The client id that the caller gave, else the address on the remote listener, else the credential. */
  client: z.string(),
  credential: z.string(),
  /** `WS`: input over a stream, once a stream. */
  method: z.string(),
  /** Pattern of the route; `unknown` for a path that is none. */
  route: z.string(),
  status: z.number(),
  session_id: z.string().optional(),
  duration_ms: z.number(),
});
export type AccessEntry = z.infer<typeof accessEntrySchema>;

export const accessQuerySchema = z.object({
  limit: count.min(1).max(LIMITS.accessEntries).default(200),
  /** Epoch milliseconds, inclusive. */
  since: count.optional(),
  session_id: z.string().max(LIMITS.logSource).optional(),
});
export type AccessQuery = z.infer<typeof accessQuerySchema>;
