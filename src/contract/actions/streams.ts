/** What the two kinds of streams are asked with (http.md 5, 6). Their frames and events: frames.ts, events.ts. */
import { z } from 'zod';
import { CLIENT_KINDS } from './ui.ts';

export const streamQuerySchema = z.object({
  format: z.enum(['raw', 'text', 'log', 'bytes']).default('raw').describe('How output comes.'),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'Resume: the first byte (`log`: line) that is wanted. Without it: what is kept, or a snapshot for `bytes`.',
    ),
  events: z
    .enum(['0', '1'])
    .default('0')
    .describe('`1`: events about this session come as frames of type `event` too.'),
});
export type StreamQuery = z.output<typeof streamQuerySchema>;

export const eventsQuerySchema = z.object({
  types: z.string().optional().describe('Names of the wanted events, separated by commas. Default: all.'),
  client_id: z.uuid().optional().describe('Makes the subscriber a connected client, for as long as the stream stands.'),
  client: z.enum(CLIENT_KINDS).default('workspace').describe('What kind of client it is.'),
  last_event_id: z
    .string()
    .optional()
    .describe('As the header Last-Event-ID, for a page that opens a new stream with a ticket.'),
});
