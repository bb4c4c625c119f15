/** Mail between agents: who there is, what was sent, what became of it (mcp.md 7, http.md 6.1). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

export const DELIVERY_PATHS = [
  'waiter_and_inbox',
  'sse_channel_and_inbox',
  'terminal_or_queued_and_inbox',
  'wake_notification_and_inbox',
  'lifecycle_summary_and_inbox',
  'coalesced_wake_and_inbox',
  'inbox_only',
] as const;
export type DeliveryPath = (typeof DELIVERY_PATHS)[number];

const name = z.string().trim().min(1, 'must not be empty').max(LIMITS.peerName);
const caller = z.string().describe('Whom the caller speaks for.');

export const mailMessageSchema = z.object({
  id: z.string(),
  from_tuic_session: z.string(),
  from_name: z.string().describe('Untrusted text.'),
  content: z.string().describe('Untrusted text.'),
  timestamp: z.number().describe('Epoch milliseconds, and the place in the inbox: it rises with each message.'),
  reply_to: z.string().exactOptional(),
  thread: z.string().exactOptional(),
  priority: z.literal('interrupt').exactOptional(),
});
export type MailMessage = z.infer<typeof mailMessageSchema>;

export const registerPeerSchema = z.object({
  protocol_session: z.string(),
  tuic_session: z.string().optional(),
  replaces: z.string().optional(),
  name: name.optional(),
  project: z.string().max(LIMITS.peerProject).optional(),
  orchestrator: z.boolean().optional(),
});
export type RegisterPeer = z.output<typeof registerPeerSchema>;

export const listPeersSchema = z.object({ project: z.string().optional() });
export const peerListSchema = z.object({
  peers: z.array(
    z.object({
      tuic_session: z.string(),
      name: z.string().describe('Untrusted text.'),
      orchestrator: z.boolean(),
      alias: z.string().exactOptional().describe('With a live terminal only.'),
      session_id: z.string().exactOptional().describe('With a live terminal only.'),
      project: z.string().exactOptional(),
    }),
  ),
});
export type PeerList = z.infer<typeof peerListSchema>;

export const sendMailSchema = z.object({
  from: caller,
  to: z.string().min(1).describe('tuic_session, session_id or alias.'),
  message: z
    .string()
    .max(LIMITS.mailMessage)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe('At most 65536 bytes.'),
  reply_to: z.string().optional().describe('Id of a message that the sender sent or received.'),
  thread: z.string().min(1).max(LIMITS.mailThread).optional(),
  priority: z.enum(['normal', 'interrupt']).default('normal'),
  client_key: z
    .string()
    .min(1)
    .max(LIMITS.clientKey)
    .optional()
    .describe('The same one again within a day is the same message, stored once.'),
});
export type SendMail = z.output<typeof sendMailSchema>;

export const sentMailSchema = z.object({
  ok: z.literal(true),
  accepted: z.literal(true),
  message_id: z.string(),
  buffered_in_inbox: z.literal(true),
  delivered: z.boolean().describe('False when nothing wakes the recipient.'),
  delivery_path: z.enum(DELIVERY_PATHS),
  recipient_state: z
    .object({ shell_state: z.string().exactOptional(), agent_state: z.string().exactOptional() })
    .exactOptional()
    .describe('When an agent in a terminal of ours is behind it.'),
  recipient_has_terminal: z.boolean().exactOptional(),
  warning: z.string().exactOptional(),
  duplicate: z.literal(true).exactOptional(),
});
export type SentMail = z.infer<typeof sentMailSchema>;

export const readInboxSchema = z.object({
  identity: caller,
  since: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).max(LIMITS.inboxMessages).default(LIMITS.inboxPage),
});
export type ReadInbox = z.output<typeof readInboxSchema>;

export const searchInboxSchema = readInboxSchema
  .omit({ since: true })
  .extend({ query: z.string().refine((text) => text.trim() !== '', 'must not be blank') });
export type SearchInbox = z.output<typeof searchInboxSchema>;

export const inboxPageSchema = z.object({
  messages: z.array(mailMessageSchema).describe('Oldest first.'),
  count: z.number(),
  next_since: z.number(),
  has_more: z.literal(true).exactOptional(),
  missed_count: z.number().exactOptional().describe('Dropped unread since the last read: the inbox holds 100.'),
});
export type InboxPage = z.infer<typeof inboxPageSchema>;

export const waitForMailSchema = z.object({
  identity: caller,
  protocol_session: z.string().optional(),
  timeout_ms: z.number().int().min(0).optional(),
  since: z.number().int().min(0).optional(),
});
export type WaitForMail = z.output<typeof waitForMailSchema>;

export const mailStatusQuerySchema = z.object({ identity: caller, message_id: z.string().min(1) });
export const mailStatusSchema = z.object({
  message_id: z.string(),
  to: z.string(),
  buffered: z.boolean().describe('It lies in the inbox.'),
  owner: z.enum(['none', 'waiter', 'channel', 'terminal']).describe('What announces it.'),
  shown: z.enum(['no', 'yes', 'uncertain']).describe('Whether its announcement was made.'),
  observed: z.boolean().describe('Returned by a wait or a read of the inbox.'),
  times: z.object({
    buffered_at: z.number(),
    shown_at: z.number().exactOptional(),
    observed_at: z.number().exactOptional(),
  }),
});
export type MailStatus = z.infer<typeof mailStatusSchema>;
