/** Waiting for a session, and giving it a line to work on (mcp.md 2.1, 7.6). */
import { z } from 'zod';
import { DEADLINES } from '../deadlines.ts';
import { descriptionSchema } from './session.ts';

export const WAIT_TARGETS = ['idle', 'exited'] as const;

const milliseconds = z.coerce.number().int().min(0).optional();

export const waitSchema = z.object({
  until: z
    .enum(WAIT_TARGETS)
    .default('idle')
    .describe(
      '`idle`: a shell is quiet, an agent has said or shown that it is ready. `exited`: the program has ended.',
    ),
  timeout_ms: milliseconds.describe(
    `Absent or 0: ${DEADLINES.waitDefault}. At most ${DEADLINES.wait}; a longer one ends then.`,
  ),
});
export type WaitFor = z.infer<typeof waitSchema>;

export const waitOutcomeSchema = z
  .object({
    met: z.boolean(),
    timed_out: z.boolean(),
    until: z.enum(WAIT_TARGETS),
    shell_state: z.enum(['busy', 'idle']).exactOptional(),
    exit_code: z.number().exactOptional().describe('Once known.'),
    lost: z.literal(true).exactOptional().describe('Its terminal host died, so there is no exit code.'),
  })
  .meta({ id: 'WaitOutcome' });
export type WaitOutcome = z.infer<typeof waitOutcomeSchema>;

export const WRITE_STATES = ['not_started', 'complete', 'uncertain'] as const;
/** Closed (mcp.md 2.1). */
export const SUBMIT_REASONS = [
  'unknown_session',
  'not_managed',
  'not_idle',
  'unconfirmed',
  'composer_not_empty',
  'dialog_open',
  'queue_not_empty',
  'lost_race',
  'bracketed_paste_off',
  'ack_timeout',
  'session_exited',
  'epoch_superseded',
  'write_uncertain',
] as const;
export type SubmitReason = (typeof SUBMIT_REASONS)[number];

export const submitSchema = z.object({
  input: z.string().describe('The prompt. Line ends at its end are left out; several lines go in as one paste.'),
  timeout_ms: milliseconds.describe(
    `How long the terminal is given to move. Default ${DEADLINES.submit}, from ${DEADLINES.submitShortest} to ${DEADLINES.submitLongest}.`,
  ),
  pty_description: descriptionSchema,
});
export type Submit = z.infer<typeof submitSchema>;

export const receiptSchema = z
  .object({
    submission_id: z.string(),
    submitted: z.boolean().describe('Text and Enter were handed to the terminal.'),
    write_state: z.enum(WRITE_STATES),
    acknowledged: z.boolean().describe('The terminal moved afterwards. Not that the task was accepted.'),
    acknowledgement: z.enum(['terminal_output']).exactOptional(),
    reason: z.enum(SUBMIT_REASONS).exactOptional().describe('Why it was not submitted, or not acknowledged.'),
    retry_safe: z.boolean().describe('No byte was written, so that it may be sent again.'),
    turn_epoch: z.number().describe('Counts what was submitted to this program.'),
    composer_state: z.enum(['empty', 'partial', 'cleared', 'unknown']),
  })
  .meta({ id: 'SubmitReceipt' });
export type SubmitReceipt = z.infer<typeof receiptSchema>;

/** Text and Enter as one line (SES-5). */
export const enterLineSchema = submitSchema.pick({ input: true, pty_description: true });
