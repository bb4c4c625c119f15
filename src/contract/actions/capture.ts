/** Raw capture of terminals (http.md 19). */
import { z } from 'zod';

export const captureSchema = z.object({
  enabled: z.boolean(),
  session_id: z.string().min(1).max(128).optional().describe('Any address of a session; absent: all sessions.'),
});
export type CaptureInput = z.infer<typeof captureSchema>;

/**
 * Why a recording ended by itself. full: the next record does not fit into the file; gap: output was lost before it came here;
 * write_failed: the disk took no more; too_many: as many sessions as one capture records are recorded already.
 */
const captureEndSchema = z.enum(['full', 'gap', 'write_failed', 'too_many']);
export type CaptureEnd = z.infer<typeof captureEndSchema>;

export const captureStatusSchema = z
  .object({
    enabled: z.boolean(),
    session_id: z.string().nullable().describe('The one session that is recorded; null: all.'),
    directory: z.string(),
    sessions: z
      .record(z.string(), z.number())
      .describe('Bytes in the file of each session that was recorded since the last start.'),
    ended: z
      .record(z.string(), captureEndSchema)
      .describe('Those whose recording has ended by itself: what came later is not in their file.'),
  })
  .meta({ id: 'CaptureStatus' });
export type CaptureStatus = z.infer<typeof captureStatusSchema>;
