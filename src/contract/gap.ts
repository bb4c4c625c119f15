/** What a reader is told instead of data that is gone (P1). */
export const GAP_REASONS = ['evicted', 'slow viewer', 'host overrun', 'cleared by program'] as const;
export type GapReason = (typeof GAP_REASONS)[number];

export interface Gap {
  /** First missing unit: byte for raw and bytes, line for text and log. */
  from: number;
  /** First unit that is there again. */
  to: number;
  reason: GapReason;
}
