/** The journal of what agents did in a repository (mcp.md 12, http.md 6.1). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** An agent reports `done` and `blocked`; `intent` is read from its terminal (PRJ-5). */
export const PROGRESS_KINDS = ['intent', 'done', 'blocked'] as const;
export type ProgressKind = (typeof PROGRESS_KINDS)[number];
/** What an agent may report itself. */
export const REPORTED_KINDS = ['done', 'blocked'] as const;

const text = z.string().trim().min(1).max(LIMITS.progressText);
const step = z.string().trim().min(1).max(LIMITS.progressStep);
const path = z.string().min(1).max(4_096).describe('Of the repository, or of a folder in it. Absolute, or from `~`.');
const kind = z.enum(PROGRESS_KINDS);

export const progressEntrySchema = z
  .object({
    id: z.string(),
    kind,
    text: z.string().describe('Untrusted text.'),
    step: z.string().exactOptional().describe('Untrusted text.'),
    agent: z.string().exactOptional().describe('Type of the agent, else the name of the peer. Untrusted text.'),
    session_id: z.string().exactOptional(),
    created_at: z.number().describe('Epoch milliseconds; grows within a repository, so it is a cursor.'),
    corrected_at: z.number().exactOptional().describe('When the person changed it last.'),
  })
  .meta({ id: 'ProgressEntry' });
export type ProgressEntry = z.infer<typeof progressEntrySchema>;

/** Also as text, from a query. */
const wholeNumber = z.coerce.number().int().min(0);
export const progressQuerySchema = z.object({
  path,
  limit: wholeNumber.min(1).max(500).default(50),
  since: wholeNumber
    .optional()
    .describe('`created_at` of the last entry that is known. Without it the newest are meant.'),
  kind: kind.optional(),
});
export type ProgressQuery = z.output<typeof progressQuerySchema>;

export const progressListSchema = z
  .object({
    entries: progressEntrySchema.array().describe('Oldest first.'),
    next_since: z.number().describe('`since` of the next question.'),
    paused: z.literal(true).exactOptional().describe('Nothing is added now.'),
  })
  .meta({ id: 'ProgressList' });
export type ProgressList = z.infer<typeof progressListSchema>;

/** PRJ-2: where the caller works, strongest first; it names none of it itself. */
export const recordProgressSchema = z.object({
  type: z.enum(REPORTED_KINDS),
  text,
  step: step.optional(),
  project: z.string().optional(),
  folder: z.string().optional(),
  root: z.string().optional(),
  agent_type: z.string().optional(),
  peer_name: z.string().optional(),
  session_id: z.string().optional(),
});
export type RecordProgress = z.output<typeof recordProgressSchema>;

export interface ProgressReceipt {
  ok: true;
  id?: string;
  recorded?: false;
  reason?: 'paused';
}

export const pauseProgressSchema = z.object({ path, paused: z.boolean() });
export const clearProgressSchema = z.object({
  path,
  before: z.number().int().min(0).optional().describe('Epoch milliseconds; only older entries go.'),
});
export const clearedProgressSchema = z.object({ removed: z.number() }).meta({ id: 'ClearedProgress' });
export const correctProgressSchema = z
  .object({
    text: text.optional(),
    step: step.nullable().optional().describe('null takes it away.'),
    kind: kind.optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'give text, step or kind');
export type CorrectProgress = z.output<typeof correctProgressSchema>;
export const exportProgressSchema = z.object({ path, format: z.enum(['md', 'json']).default('md') });
