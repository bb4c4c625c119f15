/**
 * The one table of errors. Nothing else invents an error: domain code throws an AppError with a code from here, each front
 * maps the code to its own wire form. Messages say the next step.
 */
export const ERRORS = {
  invalid_input: { status: 400, rpc: -32602, message: 'Invalid input: {detail}' },
  size_out_of_range: { status: 400, rpc: -32602, message: '{name} must be between 1 and 500, got {value}' },
  invalid_session_id: { status: 400, rpc: -32602, message: 'session_id must be 1 to 64 characters of A-Z a-z 0-9 _ -' },
  invalid_identity: { status: 400, rpc: -32602, message: 'tuic_session must be a canonical UUID' },
  path_required: { status: 400, rpc: -32602, message: 'path is required' },
  path_traversal: { status: 400, rpc: -32602, message: 'Path traversal is not allowed' },
  path_not_absolute: { status: 400, rpc: -32602, message: 'Path must be absolute' },
  path_user_home: { status: 400, rpc: -32602, message: '~user is not supported; write the absolute path' },
  path_not_directory: { status: 400, rpc: -32602, message: 'cwd is not a directory: {path}' },
  folder_unreadable: { status: 400, rpc: -32602, message: 'The folder {path} cannot be read: {detail}' },
  program_not_found: {
    status: 400,
    rpc: -32602,
    message: 'No such program: {program}. Give an absolute path or a name on PATH',
  },
  progress_tracking_disabled: {
    status: 403,
    rpc: -32602,
    message: 'progress_tracking_disabled: the person switched the journal off for you. Go on without it',
  },
  progress_no_repository: {
    status: 409,
    rpc: -32602,
    message:
      'You work in no repository that is known here, so there is no journal. Register with agent action=register and a project',
  },
  agent_runs: { status: 409, rpc: -32602, message: 'The session is live; its agent need not be taken up again' },
  conversation_unknown: {
    status: 409,
    rpc: -32602,
    message: 'Which conversation to take up is not known: {detail}. Give agent_session',
  },
  unknown_app: { status: 400, rpc: -32602, message: 'Unknown app: {app}' },
  app_not_started: { status: 500, rpc: -32603, message: '{program} could not be started: {detail}' },
  credential_required: { status: 401, rpc: -32001, message: 'A credential is needed: {next}' },
  ticket_invalid: {
    status: 401,
    rpc: -32001,
    message: 'This login link was used already or has expired. Run "tuic open" for a new one',
  },
  tab_ticket_invalid: {
    status: 401,
    rpc: -32001,
    message: 'The tab of this file was closed, or shows something else now. GET /ui/tabs has the address of today',
  },
  mcp_session_required: {
    status: 401,
    rpc: -32600,
    message: 'Mcp-Session-Id is missing. Send initialize first and use the id of its answer',
  },
  forbidden: { status: 403, rpc: -32001, message: 'Refused: {reason}' },
  access_denied: { status: 403, rpc: -32001, message: 'Access denied: {reason}' },
  host_not_allowed: {
    status: 403,
    rpc: -32001,
    message: 'This Host is not allowed. Use a loopback name with the right port, or add it to allowed_hosts',
  },
  origin_not_allowed: { status: 403, rpc: -32001, message: 'Requests from another origin need a bearer token' },
  mail_no_session: {
    status: 401,
    rpc: -32600,
    message: 'Nobody knows who calls: Mcp-Session-Id is missing. Send initialize first, then agent action=register',
  },
  mail_not_registered: {
    status: 403,
    rpc: -32602,
    message: 'You have no identity here yet, so you have no mail. Call agent action=register once',
  },
  identity_taken: {
    status: 409,
    rpc: -32602,
    message: '{identity} is already registered to another active MCP session. Register without tuic_session',
  },
  identity_bound: {
    status: 409,
    rpc: -32602,
    message:
      'You are {identity} already; this connection is bound to a different peer identity than you named. Register without tuic_session',
  },
  recipient_unknown: {
    status: 404,
    rpc: -32602,
    message: 'The recipient {to} is not registered. agent action=list_peers names everybody you can write to',
  },
  session_not_found: { status: 404, rpc: -32602, message: 'Session not found' },
  not_found: { status: 404, rpc: -32601, message: 'Not found: {what}' },
  method_not_allowed: { status: 405, rpc: -32601, message: 'Method not allowed' },
  request_timeout: { status: 408, rpc: -32000, message: 'The request took longer than 301 s' },
  unknown_session: {
    status: 404,
    rpc: -32602,
    message: 'Unknown session: {ref}. session action=list has those that there are',
  },
  session_lost: {
    status: 409,
    rpc: -32602,
    message: 'Session lost: its terminal host died, and nothing of it runs any more. What it showed can still be read',
  },
  bracketed_paste_off: {
    status: 409,
    rpc: -32602,
    message: 'The program takes no paste now, so each line end would be an Enter. Nothing was written; send one line',
  },
  write_uncertain: {
    status: 500,
    rpc: -32603,
    message: 'The connection to the terminal broke while the line was written. Read the output before you write again',
  },
  session_not_live: { status: 409, rpc: -32602, message: 'The session is {lifecycle}; it takes no input any more' },
  server_running: { status: 409, rpc: -32603, message: 'A server already runs on this instance: {holder}' },
  precondition_failed: {
    status: 412,
    rpc: -32602,
    message: '{file} was changed by somebody else in the meantime. Read it again; nothing was written',
  },
  body_too_large: { status: 413, rpc: -32600, message: 'Request body is larger than 2 MiB' },
  rate_limited: { status: 429, rpc: -32000, message: 'Too many failed logins. Try again in {seconds} s' },
  session_limit: { status: 429, rpc: -32000, message: 'Max concurrent sessions reached' },
  confirm_limit: {
    status: 429,
    rpc: -32000,
    message: '{count} questions wait for the person already; ask again when one of them was answered',
  },
  tab_limit: {
    status: 429,
    rpc: -32000,
    message:
      'Too much is open already ({detail}). Show it in a tab that you have, by its id, or ask the person to close some',
  },
  spawn_failed: { status: 500, rpc: -32603, message: 'The terminal could not be opened: {detail}' },
  write_failed: { status: 500, rpc: -32603, message: 'Nothing was written: {detail}' },
  write_queue_full: {
    status: 500,
    rpc: -32603,
    message: 'The program does not read its input (4 MiB are waiting). Nothing was written',
  },
  kill_failed: {
    status: 500,
    rpc: -32603,
    message: '{count} processes of the session did not end. "tuic host status" shows the session',
  },
  storage_failed: { status: 500, rpc: -32603, message: 'The data folder cannot be written: {detail}' },
  capture_unreadable: { status: 400, rpc: -32602, message: 'This is no capture that can be read: {detail}' },
  config_unreadable: {
    status: 500,
    rpc: -32603,
    message: '{path} cannot be read ({detail}). Repair it or move it away; nothing was written',
  },
  secrets_unavailable: {
    status: 503,
    rpc: -32603,
    message: 'The secret store cannot be used now: {detail}. Nothing was changed',
  },
  server_stopping: {
    status: 503,
    rpc: -32000,
    message: 'The server stops; terminals go on. Ask again when it is back',
  },
  storage_damaged: {
    status: 500,
    rpc: -32603,
    message: 'The database {path} is damaged. Move it away and start again; running terminals are taken over',
  },
  storage_newer: {
    status: 500,
    rpc: -32603,
    message:
      'The database {path} was written by a newer version (schema {found}, this one knows {known}). Start that version, or move the file away',
  },
  window_missing: {
    status: 409,
    rpc: -32603,
    message: 'No workspace is open that could be asked. Ask the person to open one ("tuic open")',
  },
  window_limit: {
    status: 429,
    rpc: -32000,
    message: '{count} requests wait for the workspace already; ask again when one of them was answered',
  },
  window_unanswered: { status: 504, rpc: -32000, message: 'The workspace gave no answer: {detail}' },
  picture_refused: { status: 409, rpc: -32603, message: 'No picture: {detail}' },
  ports_taken: {
    status: 500,
    rpc: -32603,
    message: 'The ports {ports} are taken. Set TUIC_PORT, or mcp_port in config.json, to a free one',
  },
  remote_ports_taken: {
    status: 500,
    rpc: -32603,
    message: 'The ports {ports} are taken. Set services.server.port to a free one',
  },
  upstreams_conflict: {
    status: 409,
    rpc: -32602,
    message: 'Somebody else changed it at the same time: {detail}. Read it again; nothing was written',
  },
  upstream_refused: { status: 409, rpc: -32603, message: 'The server {name} cannot be used: {detail}' },
  certificate_unusable: {
    status: 500,
    rpc: -32603,
    message: 'The certificate of services.tls cannot be used. {detail}',
  },
  login_required: { status: 401, rpc: -32001, message: 'Log in with the name and password of this server' },
  login_failed: { status: 401, rpc: -32001, message: 'Wrong name or password' },
  internal: { status: 500, rpc: -32603, message: 'Internal error. See the log' },
  host_unavailable: {
    status: 503,
    rpc: -32603,
    message: 'The terminal host does not answer: {detail}. "tuic host status" shows it',
  },
} as const satisfies Record<string, { status: number; rpc: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Refusals that a person may meet in the address bar or a script in its terminal: HTTP answers them as plain text. */
export const PLAIN_TEXT_ERRORS: readonly ErrorCode[] = [
  'credential_required',
  'ticket_invalid',
  'rate_limited',
  'login_required',
  'login_failed',
];

/** An expected refusal. `data` fills the placeholders of the table's message. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, string | number>>;

  constructor(code: ErrorCode, data: Readonly<Record<string, string | number>> = {}, options?: { cause?: unknown }) {
    super(renderError(code, data), options);
    this.name = 'AppError';
    this.code = code;
    this.data = data;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

export function renderError(code: ErrorCode, data: Readonly<Record<string, string | number>>): string {
  return ERRORS[code].message.replace(/\{(\w+)\}/g, (_, name: string) => String(data[name] ?? ''));
}
