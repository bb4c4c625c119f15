/** What each event carries (http.md 6). Apart from events.ts, whose names reach pages that validate nothing. */
import { z } from 'zod';
import { progressEntrySchema } from './actions/progress.ts';
import { lifecycleSchema, sessionStateSchema } from './actions/session.ts';
import { tabEventSchema } from './actions/tabs.ts';
import { confirmOutcomeSchema, pendingConfirmSchema, toastSchema } from './actions/ui.ts';
import { UPSTREAM_STATES } from './actions/upstreams.ts';
import { CLOSE_REASONS } from './close-reason.ts';

const session_id = z.string();
/** Names the one window that may see it. */
const addressed = { request_id: z.string(), client_id: z.string() };

export const EVENT_SCHEMAS = {
  'session-created': z.object({
    session_id,
    cwd: z.string().nullable(),
    agent_type: z.string().nullable(),
    display_name: z.string().nullable(),
    display_name_is_custom: z.boolean(),
    is_remote: z.boolean(),
    lifecycle: lifecycleSchema,
  }),
  'term-alias-assigned': z.object({ session_id, alias: z.string() }),
  'session-closed': z.object({ session_id, reason: z.enum(CLOSE_REASONS) }),
  'session-renamed': z.object({
    session_id,
    display_name: z.string().nullable(),
    display_name_is_custom: z.boolean(),
  }),
  'pty-description-changed': z.object({
    session_id,
    pty_description: z.string().nullable().describe('Untrusted text.'),
  }),
  'session-title': z.object({ session_id, title: z.string().describe('Untrusted text.') }),
  'session-state': z
    .object({ session_id, state: sessionStateSchema })
    .describe('What is known of its program changed; `last_activity_ms` alone is no change.'),
  'pty-exit': z.object({ session_id }),
  'peer-registered': z.object({ tuic_session: z.string(), name: z.string().describe('Untrusted text.') }),
  'peer-unregistered': z.object({ tuic_session: z.string() }),
  'progress-recorded': z
    .object({ repo_path: z.string(), entry: progressEntrySchema })
    .describe('Sent again after a correction.'),
  'progress-changed': z
    .object({ repo_path: z.string(), paused: z.boolean(), cleared: z.number().describe('Entries that went.') })
    .describe('The journal was paused, goes on, or was cleared.'),
  'mcp-toast': toastSchema,
  'mcp-confirm': pendingConfirmSchema,
  'mcp-confirm-resolved': confirmOutcomeSchema
    .extend({ request_id: z.string() })
    .describe('In every ending: answered, out of time, or the caller left.'),
  'debug-invoke-js': z
    .object({ ...addressed, script: z.string().describe('As it was asked; it is fetched from `GET /debug/scripts`.') })
    .describe('Only to the workspace that is asked.'),
  'ui-screenshot': z
    .object({ ...addressed, id: z.string().describe('Session id of the terminal, or id of a tab.') })
    .describe('Only to the workspace that is asked.'),
  'ui-tab': tabEventSchema,
  'close-html-tabs': z
    .object({ tab_ids: z.array(z.string()) })
    .describe('The person closed it, or the session that opened them is over.'),
  'upstream-status-changed': z.object({
    name: z.string(),
    status: z.enum([...UPSTREAM_STATES, 'disconnected']).describe('`disconnected`: it was taken out.'),
  }),
  'config-changed': z.object({
    file: z.string().describe('`config`, or the name under /config/<file>.'),
    etag: z.string(),
  }),
} as const satisfies Record<string, z.ZodObject>;
