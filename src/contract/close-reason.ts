/** Why a session is over, in streams, events and the list. A closed set. */
export const CLOSE_REASONS = ['process_exit', 'explicit_close', 'killed', 'host_lost'] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];
