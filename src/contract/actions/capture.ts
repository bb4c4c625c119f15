/** Raw capture of terminals (http.md 19). */
import { z } from 'zod';

export const captureSchema = z.object({
  enabled: z.boolean(),
  /** Any address of a session; absent: all sessions. */
  session_id: z.string().min(1).max(128).optional(),
});
export type CaptureInput = z.infer<typeof captureSchema>;

/**
 * Why a recording ended by itself. full: the next record does not fit into the file; gap: output was lost before it came here;
 * write_failed: the disk took no more; too_many: as many sessions as one capture records are recorded already.
 */
export type CaptureEnd = 'full' | 'gap' | 'write_failed' | 'too_many';

export interface CaptureStatus {
  enabled: boolean;
  /** The one session that is recorded; null: all. */
  session_id: string | null;
  directory: string;
  /** Bytes in the file of each session that was recorded since the last start. */
  sessions: Record<string, number>;
  /** Those whose recording has ended by itself: what came later is not in their file. */
  ended: Record<string, CaptureEnd>;
}
