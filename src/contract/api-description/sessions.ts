import { z } from 'zod';
import {
  closeQuerySchema,
  createdSessionSchema,
  createSessionSchema,
  foregroundProcessSchema,
  foregroundSchema,
  leafPidSchema,
  listQuerySchema,
  outputQuerySchema,
  outputSchema,
  renameSchema,
  resizeSchema,
  sessionInfoSchema,
  shellFamilySchema,
  writeSchema,
} from '../actions/session.ts';
import { receiptSchema, submitSchema, waitOutcomeSchema, waitSchema } from '../actions/turns.ts';
import { doneSchema } from '../actions/ui.ts';
import { json, type RouteDescription } from './model.ts';

const done = (what: string) => json(doneSchema, what);

export const sessionRoutes = {
  'session.list': {
    tag: 'Sessions',
    summary: 'List sessions',
    detail: 'Live sessions, and lost ones until somebody closes them.',
    query: listQuerySchema,
    answers: json(z.array(sessionInfoSchema), 'The sessions.'),
  },
  'session.create': {
    tag: 'Sessions',
    summary: 'Open a session',
    detail:
      'Starts a program in a new terminal. Without a body: the shell in the home folder, 24 rows of 80 columns. Unknown fields are ignored.',
    body: {
      schema: createSessionSchema,
      example: { cwd: '~/', rows: 24, cols: 80, display_name: 'Build' },
      isOptional: true,
    },
    answers: json(createdSessionSchema, 'The program runs.', 201),
    refuses: [
      'size_out_of_range',
      'invalid_session_id',
      'invalid_identity',
      'path_required',
      'path_traversal',
      'path_not_absolute',
      'path_user_home',
      'path_not_directory',
      'program_not_found',
      'session_limit',
      'spawn_failed',
      'storage_failed',
      'host_unavailable',
    ],
  },
  'session.close': {
    tag: 'Sessions',
    summary: 'Close a session',
    detail:
      'Ends its whole process tree: Ctrl-C, hang-up, TERM, KILL, each after a moment. Its output stays readable for 5 minutes. A lost session is ended for good.',
    query: closeQuerySchema,
    answers: done('No process of it is left.'),
    refuses: ['session_not_found', 'kill_failed', 'host_unavailable'],
    confirm: 'This ends the session and what runs in it.',
  },
  'session.write': {
    tag: 'Sessions',
    summary: 'Type into a session',
    detail: 'The text goes to the program as it is; no Enter is added.',
    body: { schema: writeSchema, example: { data: 'echo hello\r' } },
    answers: done('The terminal host has it.'),
    refuses: ['session_not_found', 'session_not_live', 'write_failed', 'write_queue_full', 'host_unavailable'],
  },
  'session.submit': {
    tag: 'Sessions',
    summary: 'Give an idle agent a prompt',
    detail: `Text and Enter in one step, and a receipt. Never queued: unless the program is an agent that is known to be idle with an empty input line, it is refused before the first byte, and \`reason\` says why.

\`acknowledged\` means that the terminal moved afterwards, not that the task was accepted. Send it again only when \`retry_safe\` is true.`,
    body: { schema: submitSchema, example: { input: 'Run the tests and fix what fails' } },
    answers: json(receiptSchema, 'The receipt, of a refusal too.'),
    refuses: ['session_not_found', 'write_failed', 'write_queue_full', 'host_unavailable'],
  },
  'session.wait': {
    tag: 'Sessions',
    summary: 'Wait for a session',
    detail:
      'Answers when the session is idle or has exited, or when the time is over: then `met` is false. Of an exited or lost session only `until=exited` can be met. Asking again costs nothing: what is met already is answered at once.',
    query: waitSchema,
    answers: json(waitOutcomeSchema, 'How it ended.'),
    refuses: ['session_not_found', 'session_lost', 'server_stopping', 'host_unavailable'],
  },
  'session.resize': {
    tag: 'Sessions',
    summary: 'Resize a terminal',
    body: { schema: resizeSchema, example: { rows: 40, cols: 120 } },
    answers: done('The terminal has this size.'),
    refuses: ['session_not_found', 'session_not_live', 'size_out_of_range', 'host_unavailable'],
  },
  'session.pause': {
    tag: 'Sessions',
    summary: 'Stop reading the output',
    detail: 'The program is held up once the kernel takes no more output of it.',
    answers: done('It is paused.'),
    refuses: ['session_not_found', 'session_not_live', 'host_unavailable'],
  },
  'session.resume': {
    tag: 'Sessions',
    summary: 'Go on reading the output',
    answers: done('It goes on.'),
    refuses: ['session_not_found', 'session_not_live', 'host_unavailable'],
  },
  'session.rename': {
    tag: 'Sessions',
    summary: 'Name a session',
    body: { schema: renameSchema, example: { name: 'Build' } },
    answers: done('It has the name.'),
    refuses: ['session_not_found', 'storage_failed'],
  },
  'session.output': {
    tag: 'Sessions',
    summary: 'Read output',
    detail: `Works on exited and lost sessions too.

- \`raw\`: the newest \`limit\` bytes (8192) as the program wrote them, colours and all.
- \`text\`: the screen as plain text, rows joined by line feeds; \`limit\` is a number of rows.
- \`log\`: finished lines with their style, and the screen. \`total_lines\` only grows and is the cursor for the next question.

What was asked for and is gone is told by \`gap\`.`,
    query: outputQuerySchema,
    answers: json(outputSchema, 'The output, in the form that was asked for.'),
    refuses: ['session_not_found', 'host_unavailable'],
  },
  'session.shell-family': {
    tag: 'Sessions',
    summary: 'Which kind of shell it is',
    detail: 'So that a command can be quoted for it. An unknown session is answered by null, not by an error.',
    answers: json(shellFamilySchema.nullable(), 'A text, or null when there is no such session.'),
  },
  'session.foreground': {
    tag: 'Sessions',
    summary: 'Which agent runs in the foreground',
    answers: json(foregroundSchema, 'By how the program was started; nothing is guessed.'),
    refuses: ['session_not_found', 'host_unavailable'],
  },
  'session.has-foreground': {
    tag: 'Sessions',
    summary: 'Which program runs in the foreground',
    answers: json(foregroundProcessSchema, 'Name of the program.'),
    refuses: ['session_not_found', 'host_unavailable'],
  },
  'session.leaf-pid': {
    tag: 'Sessions',
    summary: 'Process in the foreground',
    answers: json(leafPidSchema, 'Leader of the foreground process group.'),
    refuses: ['session_not_found', 'host_unavailable'],
  },
  'session.raw-ring': {
    tag: 'Sessions',
    summary: 'The newest raw bytes',
    detail: 'At most 1 MiB, exactly as the program wrote them.',
    answers: [{ status: 200, what: 'The bytes.', type: 'application/octet-stream' }],
    refuses: ['session_not_found', 'host_unavailable'],
  },
} as const satisfies Record<string, RouteDescription>;
