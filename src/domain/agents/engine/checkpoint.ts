/** The state of the engine as plain data (STM-50). What another version wrote is read as far as it fits, or not at all. */
import { z } from 'zod';
import { PROGRAM_STATES, QUESTION_KINDS } from '../program-status.ts';

const optional = <S extends z.ZodType>(schema: S) =>
  schema.optional().transform((value) => value as z.infer<S> | undefined);

const recordSchema = z.object({
  id: z.string(),
  state: z.enum(PROGRAM_STATES),
  kind: optional(z.enum(QUESTION_KINDS)),
  app: optional(z.string()),
  progress: optional(z.number()),
  title: optional(z.string()),
  message: optional(z.string()),
});

const checkpointSchema = z.object({
  version: z.literal(1),
  epoch: z.number().int().min(0),
  hasActivity: z.boolean(),
  named: optional(z.string()),
  conversation: optional(z.string()),
  explicit: z.object({
    records: z.array(recordSchema),
    hook: optional(z.enum(['busy', 'idle', 'awaiting'])),
    shell: optional(z.enum(['busy', 'idle'])),
    hasHookSpoken: z.boolean(),
  }),
  printed: z
    .object({
      intent: optional(z.string()),
      completed: optional(z.object({ items: z.array(z.string()), epoch: z.number().int().min(0) })),
    })
    .default({ intent: undefined, completed: undefined }),
  background: z.object({ helpers: z.array(z.string()), work: z.array(z.string()) }),
});

export type EngineCheckpoint = z.infer<typeof checkpointSchema>;

export function parseCheckpoint(state: unknown): EngineCheckpoint | undefined {
  const parsed = checkpointSchema.safeParse(state);
  return parsed.success ? parsed.data : undefined;
}
