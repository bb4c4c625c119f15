/** Tabs that agents open on the person's screen (mcp.md UI-1, UI-2; http.md 6.1). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { originSchema } from './ui.ts';

/**
 * html: what the agent wrote; web: a page of the web; files: a file of a repository with what lies beside it; preview: one file, as
 * text or picture.
 */
export const TAB_KINDS = ['html', 'web', 'files', 'preview'] as const;
export type TabKind = (typeof TAB_KINDS)[number];

const titleSchema = z.string().trim().min(1, 'must not be empty').max(LIMITS.tabTitle).describe('Untrusted text.');

export const agentTabSchema = z
  .object({
    id: z.string().describe('As the agent chose it. Untrusted text.'),
    title: titleSchema,
    kind: z.enum(TAB_KINDS),
    pinned: z.boolean(),
    frame_url: z
      .string()
      .describe(
        'What the tab shows, only ever in a sandbox. A path leads to this server, and is dead once the tab closes.',
      ),
    path: z.string().exactOptional().describe('The file on this machine, of `files` and `preview`.'),
    ...originSchema.shape,
    opened_at: z.number().describe('Epoch milliseconds.'),
    changed_at: z.number().describe('Epoch milliseconds; each new content has another `frame_url`.'),
  })
  .meta({ id: 'AgentTab' });
export type AgentTab = z.infer<typeof agentTabSchema>;

export const tabEventSchema = agentTabSchema.extend({
  html: z.string().describe('What the agent wrote, if that is short; else empty, and read at `frame_url`. Untrusted.'),
  focus: z.boolean().describe('False: the person stays where they are.'),
  url: z.string().exactOptional().describe('`frame_url`, of a tab that was opened by a URL.'),
});

export const openTabSchema = z.object({
  // No control characters and no halves of letters: it stands in addresses.
  id: z
    .string()
    .max(LIMITS.tabId)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be visible characters'),
  title: titleSchema,
  html: z.string().optional(),
  url: z.string().max(LIMITS.tabUrl).optional(),
  pinned: z.boolean().default(false),
  focus: z.boolean().default(true),
  ...originSchema.shape,
});
export type OpenTab = z.infer<typeof openTabSchema>;
