/** Inputs and outputs of the connected clients, the login and the server itself (http.md 1.5, 6.1, 7). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

export const CLIENT_KINDS = ['workspace', 'phone'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export const clientInfoSchema = z
  .object({
    client_id: z.string(),
    kind: z.enum(CLIENT_KINDS),
    connected_at: z.number().describe('Epoch milliseconds.'),
    last_focused_at: z.number().nullable(),
  })
  .meta({ id: 'ConnectedClient' });
export type ClientInfo = z.infer<typeof clientInfoSchema>;

export const focusSchema = z.object({ focused: z.boolean() });

/** What a question to the person is about (UI-6). */
export const CONFIRM_KINDS = ['confirm', 'ai_terminal', 'worktree_remove', 'oauth'] as const;

const questionSchema = z.object({
  title: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(LIMITS.confirmTitle)
    .describe('The question. Untrusted text.'),
  message: z.string().max(LIMITS.confirmMessage).nullable().describe('More about it. Untrusted text.'),
});
/** Where a question, a notice or a tab comes from. */
export const originSchema = z.object({
  origin_session_id: z.string().exactOptional().describe('The terminal of whoever asks.'),
  origin_repo_path: z.string().exactOptional(),
});

export const pendingConfirmSchema = z
  .object({
    request_id: z.string(),
    kind: z.enum(CONFIRM_KINDS),
    ...questionSchema.shape,
    ...originSchema.shape,
    as_origin: z.string().exactOptional(),
    cross_domain_as: z.literal(true).exactOptional(),
    created_at: z.number().describe('Epoch milliseconds.'),
    expires_at: z.number().describe('Epoch milliseconds; without an answer until then it counts as no.'),
  })
  .meta({ id: 'PendingConfirm' });
export type PendingConfirm = z.infer<typeof pendingConfirmSchema>;

/** `reason`: why nobody decided; absent when a person did. */
export const confirmOutcomeSchema = z.object({ confirmed: z.boolean(), reason: z.string().exactOptional() });
export type ConfirmOutcome = z.infer<typeof confirmOutcomeSchema>;

export const askConfirmSchema = questionSchema.extend({
  message: questionSchema.shape.message.default(null),
  ...originSchema.shape,
});
export const answerConfirmSchema = z.object({ confirmed: z.boolean() });

export const TOAST_SOUNDS = ['question', 'completion', 'error', 'warning', 'info', 'attention'] as const;
export const TOAST_LEVELS = ['info', 'warn', 'error'] as const;

export const toastSchema = z.object({
  title: z.string().describe('Untrusted text.'),
  message: z.string().nullable().describe('Untrusted text.'),
  level: z.enum(TOAST_LEVELS),
  sound: z.union([z.literal(false), z.enum(TOAST_SOUNDS)]),
  ...originSchema.shape,
});
export type Toast = z.infer<typeof toastSchema>;

export const showToastSchema = z.object({
  title: questionSchema.shape.title,
  message: questionSchema.shape.message.default(null),
  // UI-3: whoever invents a level means something grave.
  level: z.enum(TOAST_LEVELS).catch('error').default('info'),
  sound: z
    .union([z.boolean(), z.enum(TOAST_SOUNDS)], { error: `must be true, false or one of ${TOAST_SOUNDS.join(', ')}` })
    .default(false),
  ...originSchema.shape,
});

export const TICKET_PURPOSES = ['login', 'stream'] as const;
export type TicketPurpose = (typeof TICKET_PURPOSES)[number];
export const ticketSchema = z.object({ purpose: z.enum(TICKET_PURPOSES).default('login') });

export const loginQuerySchema = z.object({
  ticket: z.string().max(200).default('').describe('From POST /login/ticket.'),
});

export const issuedTicketSchema = z
  .object({
    ticket: z.string(),
    url: z
      .string()
      .exactOptional()
      .describe('The login link; for login tickets, and while there is a listener for it.'),
    expires_in_secs: z.number(),
  })
  .meta({ id: 'IssuedTicket' });
export type IssuedTicket = z.infer<typeof issuedTicketSchema>;

/** What a route answers that has nothing to tell. */
export const doneSchema = z.object({ ok: z.literal(true) });

export const healthSchema = z
  .object({
    ok: z.literal(true),
    status: z.literal('ok'),
    uptime_secs: z.number(),
    session_count: z.number().describe('Live sessions.'),
    protocol_version: z.literal(1),
    pid: z.number(),
    config_directory: z.string(),
    socket_path: z.string().exactOptional(),
    port: z.number().exactOptional().describe('Of local TCP; absent while it is off.'),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof healthSchema>;

export const statsSchema = z
  .object({ active_sessions: z.number(), max_sessions: z.number(), available_slots: z.number() })
  .meta({ id: 'Stats' });
export type Stats = z.infer<typeof statsSchema>;

/** Of the MCP endpoint (http.md 18). */
export const mcpStatusSchema = z
  .object({
    enabled: z.boolean().describe('The setting `mcp_server_enabled`.'),
    running: z.boolean().describe('Enabled, and the IPC socket took a connection just now.'),
    active_sessions: z.number().describe('Running terminals.'),
    mcp_clients: z
      .number()
      .describe('Clients with an open stream, or that spoke a moment ago; each bridge speaks every 3 seconds.'),
    max_sessions: z.number().describe('The setting.'),
  })
  .meta({ id: 'McpStatus' });
export type McpStatus = z.infer<typeof mcpStatusSchema>;

/** Counted since the start of the server. */
export const metricsSchema = z
  .object({
    total_spawned: z.number(),
    failed_spawns: z.number(),
    active_sessions: z.number(),
    bytes_emitted: z.number(),
    pauses_triggered: z.number(),
  })
  .meta({ id: 'Metrics' });
export type SessionMetrics = z.infer<typeof metricsSchema>;

export const versionSchema = z
  .object({ version: z.string(), git_hash: z.string().describe('Empty when unknown.') })
  .meta({ id: 'Version' });
export type Version = z.infer<typeof versionSchema>;

/** State of the pty host as the server sees it. */
export const hostReportSchema = z
  .discriminatedUnion('connected', [
    z.object({ connected: z.literal(false) }),
    z.object({
      connected: z.literal(true),
      pid: z.number(),
      build: z.string(),
      boot_id: z.string(),
      proto_min: z.number(),
      proto_max: z.number(),
      sessions: z.number(),
      live_sessions: z.number(),
    }),
  ])
  .meta({ id: 'HostReport' });
export type HostReport = z.infer<typeof hostReportSchema>;

export const hostStoppedSchema = doneSchema.extend({ was_connected: z.boolean() });
export const shutdownSchema = doneSchema.extend({
  session_count: z.number().describe('Sessions that go on in the terminal host.'),
});
