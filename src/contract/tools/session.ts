import { LIMITS } from '../limits.ts';
import type { NativeTool } from './tool.ts';

const size = { type: 'integer', minimum: 1, maximum: LIMITS.rowsMax } as const;

/** Names of keys that `special_key` takes, besides ctrl+letter (SES-5). */
export const SPECIAL_KEYS = [
  'enter',
  'return',
  'tab',
  'escape',
  'esc',
  'backspace',
  'delete',
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
] as const;
export const CONTROL_KEYS = ['a', 'c', 'd', 'e', 'k', 'l', 'n', 'p', 'r', 'u', 'w', 'z'] as const;

export const SESSION_TOOL: NativeTool = {
  name: 'session',
  summary: 'Terminals that TUICommander hosts. They go on when a client or the server ends.',
  actions: {
    list: {
      text: 'live and lost sessions; is_caller marks your own',
      parameters: [],
      isReady: true,
    },
    create: {
      text: 'opens a terminal with a shell; gives session_id',
      parameters: ['cwd?', 'shell?', 'rows?', 'cols?'],
      isReady: true,
      isLocal: true,
    },
    submit: {
      text:
        'gives a prompt to an idle managed agent: text and Enter in one step, then a receipt {submission_id, submitted, write_state ' +
        '(not_started|complete|uncertain), acknowledged, acknowledgement (terminal_output) or reason, retry_safe, turn_epoch, composer_state}. ' +
        'Never queues. acknowledged means that the terminal moved, not that the task was accepted. Repeat only when retry_safe. reason: ' +
        'unknown_session, not_managed, not_idle, unconfirmed, composer_not_empty, dialog_open, queue_not_empty, lost_race, bracketed_paste_off, ' +
        'ack_timeout, session_exited, epoch_superseded, write_uncertain',
      parameters: ['session_id', 'input', 'timeout_ms?', 'pty_description?'],
      isReady: true,
      isLocal: true,
    },
    input: {
      text: 'types into any program: text and/or one key, raw. {ok:true} says that the bytes were written and nothing more',
      parameters: ['session_id', 'input?', 'special_key?', 'pty_description?'],
      isReady: true,
      isLocal: true,
    },
    output: {
      text:
        'the newest output as plain text, at most limit bytes. Pass the last cursor as since_cursor to get only newer scrollback lines; ' +
        'from_line reads a window. gap tells lines that are gone. Works after the exit: exited, exit_code; lost:true when the host died',
      parameters: ['session_id', 'limit?', 'since_cursor?', 'from_line?', 'format?'],
      isReady: true,
    },
    status: {
      text: 'state and times of one session',
      parameters: ['session_id'],
      isReady: true,
    },
    wait: {
      text: 'blocks until the session is idle or exited: {met, timed_out, until}',
      parameters: ['session_id', 'until?', 'timeout_ms?'],
      isReady: true,
    },
    resize: { text: 'sets the size', parameters: ['session_id', 'rows?', 'cols?'], isReady: true },
    close: {
      text: 'ends the program in order, then by force',
      parameters: ['session_id'],
      isReady: true,
      isLocal: true,
    },
    kill: { text: 'ends it at once', parameters: ['session_id'], isReady: true, isLocal: true },
    pause: { text: 'holds its output back', parameters: ['session_id'], isReady: true, isLocal: true },
    resume: { text: 'lets it go on', parameters: ['session_id'], isReady: true, isLocal: true },
    process_stats: { text: 'memory and CPU of the server and all sessions', parameters: [], isReady: true },
  },
  rules: ['You cannot close or kill your own session.'],
  parameters: {
    session_id: { type: 'string', description: 'session_id, tuic_session or alias such as tu-1' },
    cwd: { type: 'string', description: 'absolute or ~/' },
    shell: { type: 'string' },
    rows: size,
    cols: size,
    input: { type: 'string' },
    special_key: {
      type: 'string',
      description: `${SPECIAL_KEYS.filter((key) => key !== 'return' && key !== 'esc').join(', ')}, ctrl+ one of ${CONTROL_KEYS.join('')}; sent after input`,
    },
    pty_description: {
      type: ['string', 'null'],
      description: 'what the session works on; null clears, absent keeps',
    },
    limit: { type: 'integer', minimum: 1, description: 'bytes, default 8192' },
    since_cursor: { type: 'integer', minimum: 0 },
    from_line: { type: 'integer', minimum: 0 },
    format: { type: 'string', enum: ['text', 'raw'], description: 'raw keeps escapes' },
    until: { type: 'string', enum: ['idle', 'exited'], description: 'default idle' },
    timeout_ms: {
      type: 'integer',
      description: 'wait: default 60000, at most 300000; submit: default 3000, 250 to 10000',
    },
  },
  annotations: {
    title: 'Terminals',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
};
