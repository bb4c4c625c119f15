/** What agents ask of one workspace window: a script to run, a picture of a panel (mcp.md UI-5, DBG-1; http.md 6.1). */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

export const invokeScriptSchema = z.object({
  script: z
    .string()
    .max(LIMITS.windowScript)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe('One expression, or statements that `return` their value. May await.'),
});

/** What the window answers: a value, or how the script failed. */
export const scriptOutcomeSchema = z.union([
  z.object({ error: z.string().max(LIMITS.windowError) }),
  z.object({ result: z.unknown() }).refine((answer) => answer.result !== undefined, 'result or error is needed'),
]);
export type ScriptOutcome = { error: string } | { result: unknown };

const asked = z.object({ client_id: z.string().describe('The window that was asked.'), request_id: z.string() });

export const invokedScriptSchema = z.union([
  asked.extend({
    ok: z.literal(true),
    result: z.unknown().describe('Its value as JSON; what JSON does not know is told in words.'),
    hint: z.string(),
  }),
  asked.extend({ error: z.string().describe('The script failed.') }),
]);
export type InvokedScript = z.infer<typeof invokedScriptSchema>;

export const PICTURE_TYPES = ['image/webp', 'image/png'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

export const takePictureSchema = z.object({
  id: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(LIMITS.logSource)
    .describe('A terminal, by any of its addresses.'),
});

/** What the window says instead of a picture. */
export const pictureRefusalSchema = z.object({ error: z.string().min(1).max(LIMITS.windowError) });

export const takenPictureSchema = z.object({
  ok: z.literal(true),
  path: z.string(),
  size_bytes: z.number(),
  client_id: z.string(),
});
export type TakenPicture = z.infer<typeof takenPictureSchema>;
