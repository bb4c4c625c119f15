/** Tasks behind agents that were started by others (mcp.md 8). */
import { z } from 'zod';

export const TASK_STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const taskSchema = z.object({
  task_id: z.string(),
  status: z.enum(TASK_STATUSES),
  poll_interval_ms: z.number(),
  status_message: z.string().exactOptional(),
  result: z
    .object({ session_id: z.string(), exit_code: z.number().exactOptional().describe('Absent when unknown.') })
    .exactOptional(),
  error_detail: z.string().exactOptional().describe('Why it failed.'),
});
export type Task = z.infer<typeof taskSchema>;

/** `claims`: every name that the caller may speak under. */
export const taskQuerySchema = z.object({ task_id: z.string().min(1), claims: z.array(z.string()) });
