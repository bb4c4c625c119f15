/** Session inputs and outputs (http.md 3). */
import { z } from 'zod';
import { CLOSE_REASONS } from '../close-reason.ts';
import { GAP_REASONS, type Gap } from '../gap.ts';
import { LIMITS } from '../limits.ts';

export const lifecycleSchema = z.enum(['live', 'exited', 'lost']);
export type Lifecycle = z.infer<typeof lifecycleSchema>;

const rows = z.number().int().describe(`Rows, 1 to ${LIMITS.rowsMax}.`);
const cols = z.number().int().describe(`Columns, 1 to ${LIMITS.colsMax}.`);

export const listQuerySchema = z.object({
  lifecycle: z.enum(['all']).optional().describe('`all` adds the exited sessions that can still be read.'),
});

export const createSessionSchema = z.object({
  rows: rows.optional(),
  cols: cols.optional(),
  shell: z
    .string()
    .nullish()
    .describe('Program, by path or by name on PATH. Default: the configured shell, else the login shell.'),
  args: z.array(z.string()).optional().describe('Arguments of the program.'),
  cwd: z.string().nullish().describe('Folder to start in; `~/` is the home folder. Default: the home folder.'),
  session_id: z
    .string()
    .optional()
    .describe('Wanted id, 1 to 64 of A-Z a-z 0-9 _ -. Default, and when it is taken: a fresh one.'),
  tuic_session: z.string().nullish().describe('Stable identity over restarts, a UUID.'),
  env: z.record(z.string(), z.string()).optional().describe('Variables added to the environment.'),
  agent_type: z.string().nullish().describe('Agent that the program is.'),
  alias: z.string().optional().describe('Short address, such as `pr-1`. Default: made from the name of the folder.'),
  display_name: z.string().optional(),
  display_name_is_custom: z.boolean().optional().describe('The name was chosen by a person.'),
});
export type CreateSession = z.infer<typeof createSessionSchema>;

export const createdSessionSchema = z
  .object({ session_id: z.string(), alias: z.string().describe('Short address; every route takes it like the id.') })
  .meta({ id: 'CreatedSession' });
export type CreatedSession = z.infer<typeof createdSessionSchema>;

const choiceOptionSchema = z.object({
  key: z.string().describe('What is typed to choose it.'),
  label: z.string().describe('Untrusted text.'),
  highlighted: z.boolean().describe('Enter would choose it.'),
  destructive: z.boolean(),
  hint: z.string().exactOptional().describe('Untrusted text.'),
});

export const choicePromptSchema = z
  .object({
    title: z.string().describe('Untrusted text.'),
    options: z.array(choiceOptionSchema),
    dismiss_key: z.string().exactOptional().describe('Closes it without a choice.'),
    amend_key: z.string().exactOptional().describe('Lets a person say something else instead.'),
  })
  .meta({ id: 'ChoicePrompt', description: 'A choice that an agent offers on its screen.' });
export type ChoicePrompt = z.infer<typeof choicePromptSchema>;

/**
 * What is known of a session's program from evidence (http.md 4), as far as the server reads it today. The two modes are
 * there while the program asks for them: a front without a terminal of its own needs them to send keys and pasted text.
 */
export const sessionStateSchema = z
  .object({
    awaiting_input: z.boolean().describe('A question is open.'),
    question_text: z.string().exactOptional().describe('Untrusted text.'),
    question_kind: z.enum(['permission', 'question', 'auth']).exactOptional().describe('When the program said it.'),
    question_confident: z.literal(true).exactOptional(),
    choice_prompt: choicePromptSchema.exactOptional(),
    rate_limited: z.boolean(),
    retry_after_ms: z.number().exactOptional().describe('From when it was told, while `rate_limited`.'),
    limited_until_ms: z
      .number()
      .exactOptional()
      .describe('Epoch milliseconds at which the limit is over, while `rate_limited` and known.'),
    usage_limit_pct: z.number().exactOptional().describe('0 to 100, as the agent prints it.'),
    shell_state: z
      .enum(['busy', 'idle'])
      .exactOptional()
      .describe('Activity of the terminal, not the end of a task; absent before the first observation.'),
    agent_state: z
      .enum(['starting', 'working', 'awaiting_input', 'idle', 'completed'])
      .exactOptional()
      .describe('Only with a known agent.'),
    agent_type: z.string().exactOptional().describe('Such as claude, codex, gemini, opencode.'),
    background_work: z.literal(true).exactOptional().describe('The agent has work beside its turn.'),
    last_error: z.string().exactOptional().describe('Untrusted text.'),
    progress: z.number().exactOptional().describe('0 to 100, while the program shows it.'),
    agent_intent: z.string().exactOptional().describe('What it says it is about to do. Untrusted text.'),
    current_task: z.string().exactOptional().describe('From its status line. Untrusted text.'),
    last_prompt: z.string().exactOptional().describe('The last one of ten words or more.'),
    active_sub_tasks: z.number().exactOptional(),
    suggested_actions: z.array(z.string()).exactOptional().describe('What it offers to do next. Untrusted text.'),
    last_activity_ms: z.number().describe('Epoch milliseconds of the last output; changes without a word.'),
    terminal_mode: z
      .union([
        z.object({ mode: z.literal('Shell') }),
        z.object({ mode: z.literal('FullscreenTui'), depth: z.number() }),
      ])
      .exactOptional()
      .describe('`FullscreenTui`: the program draws on the alternate screen.'),
    application_cursor_keys: z
      .literal(true)
      .exactOptional()
      .describe('Arrow keys go out in their application form (DECCKM).'),
    bracketed_paste: z.literal(true).exactOptional().describe('Pasted text is wrapped in its marks (mode 2004).'),
  })
  .meta({ id: 'SessionState' });
export type SessionState = z.infer<typeof sessionStateSchema>;

export const sessionInfoSchema = z
  .object({
    session_id: z.string(),
    cwd: z.string().nullable(),
    worktree_path: z.string().nullable(),
    worktree_branch: z.string().nullable(),
    display_name: z.string().exactOptional(),
    display_name_is_custom: z.boolean().exactOptional(),
    is_remote: z.boolean().describe('Not made at the workspace.'),
    lifecycle: lifecycleSchema.describe('`lost`: its terminal host died with it; what it showed can still be read.'),
    alias: z.string().exactOptional(),
    tuic_session: z.string().exactOptional(),
    exit_code: z
      .number()
      .exactOptional()
      .describe('Once known; death by a signal is 128 + its number. Absent on a lost session.'),
    close_reason: z
      .enum(CLOSE_REASONS)
      .exactOptional()
      .describe('Why it ended, of an exited one: by itself, or because somebody closed or killed it.'),
    created_at: z.number().describe('Epoch milliseconds.'),
    rows: z.number(),
    cols: z.number(),
    title: z.string().exactOptional().describe('Set by the program (OSC 0 or 2). Untrusted text.'),
    pty_description: z.string().exactOptional().describe('What it works on, as whoever gave it the work says.'),
    shell: z.string().exactOptional().describe('Program, so that the same can be started again.'),
    args: z.array(z.string()).exactOptional(),
    agent_type: z.string().exactOptional().describe('As which agent it was started.'),
    state: sessionStateSchema.exactOptional().describe('Absent while this server has not seen its output.'),
  })
  .meta({ id: 'Session' });
export type SessionInfo = z.infer<typeof sessionInfoSchema>;

/** Absent keeps what there is; null or an empty text takes it away (SES-16). */
export const descriptionSchema = z
  .string()
  .max(1_000)
  .nullable()
  .optional()
  .describe('What the session works on, for whoever looks at it. null or "" takes it away; absent keeps it.');

export const writeSchema = z.object({
  data: z.string().describe('Typed as it is; Enter is `\\r`.'),
  pty_description: descriptionSchema,
});
export const resizeSchema = z.object({ rows, cols });
export const renameSchema = z.object({ name: z.string().max(200).nullable().describe('null takes the name away.') });
export const closeQuerySchema = z.object({
  mode: z.enum(['close', 'kill']).default('close').describe('`kill`: without time to end in order.'),
});

const count = z.coerce.number().int().min(0);
export const outputQuerySchema = z.object({
  format: z.enum(['raw', 'text', 'log']).default('raw').describe('`raw` and `text` count bytes, `log` counts lines.'),
  limit: count.optional().describe('At most so many bytes, or lines.'),
  offset: count.optional().describe('From here on; without it the newest.'),
});
export type OutputQuery = z.infer<typeof outputQuerySchema>;

const logColorSchema = z
  .union([
    z.object({ idx: z.number().describe('Number in the palette of 256.') }),
    z.object({ rgb: z.tuple([z.number(), z.number(), z.number()]) }),
  ])
  .meta({ id: 'LogColor' });
export type LogColor = z.infer<typeof logColorSchema>;

const logSpanSchema = z
  .object({
    text: z.string(),
    fg: logColorSchema.exactOptional(),
    bg: logColorSchema.exactOptional(),
    bold: z.literal(true).exactOptional(),
    italic: z.literal(true).exactOptional(),
    underline: z.literal(true).exactOptional(),
  })
  .meta({ id: 'LogSpan' });
export type LogSpan = z.infer<typeof logSpanSchema>;

const logLineSchema = z
  .object({ spans: z.array(logSpanSchema), cols: z.number().exactOptional() })
  .meta({ id: 'LogLine' });
export type LogLine = z.infer<typeof logLineSchema>;

const gapSchema = z
  .object({
    from: z.number().describe('First missing byte, or line.'),
    to: z.number().describe('First one that is there again.'),
    reason: z.enum(GAP_REASONS),
  })
  .meta({ id: 'Gap', description: 'What is told instead of output that is gone.' });

const rawOutputSchema = z
  .object({
    data: z.string(),
    data_length: z.number(),
    total_written: z.number().describe('Bytes ever written by the program: the offset just past the newest one.'),
    gap: gapSchema.exactOptional(),
  })
  .meta({ id: 'RawOutput', description: '`format=raw` and `format=text`.' });
export type RawOutput = z.infer<typeof rawOutputSchema>;
export type TextOutput = RawOutput;

const logOutputSchema = z
  .object({
    lines: z.array(logLineSchema),
    total_lines: z.number().describe('Logical lines ever finalised; only grows.'),
    offset: z.number().describe('Where the returned window starts.'),
    screen: z
      .array(logLineSchema)
      .describe('The rows of the screen, after what has scrolled off of the line that goes on in the first of them.'),
    input_line: z.string().exactOptional(),
    gap: gapSchema.exactOptional(),
  })
  .meta({ id: 'LogOutput', description: '`format=log`.' });
export type LogOutput = z.infer<typeof logOutputSchema>;

export const outputSchema = z.union([rawOutputSchema, logOutputSchema]);
export type Output = z.infer<typeof outputSchema>;

/** What an agent reads (mcp.md SES-6); `since_cursor` and `from_line` count lines of the log. */
export const plainOutputQuerySchema = z.object({
  limit: z.number().int().min(1).default(8_192).describe('Bytes.'),
  since_cursor: z.number().int().min(0).optional(),
  from_line: z.number().int().min(0).optional(),
});
export type PlainOutputQuery = z.infer<typeof plainOutputQuerySchema>;

export interface PlainOutput {
  data: string;
  data_length: number;
  /** Just past the last log line that was given. */
  cursor: number;
  /** Bytes ever written by the program. */
  total_written: number;
  scrollback_lines: number;
  /** Oldest line that is kept. */
  oldest_offset: number;
  gap?: Gap;
}

export const shellFamilySchema = z.enum(['posix', 'windows-native', 'unknown']);
export type ShellFamily = z.infer<typeof shellFamilySchema>;
export const foregroundSchema = z.object({
  agent: z
    .string()
    .nullable()
    .describe('Its type, such as claude; null while something else runs, or nothing can be told.'),
});
export const foregroundProcessSchema = z.object({
  process: z.string().nullable().describe('null while it is the shell itself.'),
});
export const leafPidSchema = z.object({ pid: z.number().nullable() });
