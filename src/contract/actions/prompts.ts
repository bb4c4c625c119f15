/** What the actions of the prompt library and of the services' prompts take (mcp.md CFG-4). Lengths in characters. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

const text = z.string().max(LIMITS.promptText);

export const aiPromptSchema = z.object({ service: z.string() });

/** null or blank goes back to the built-in text. */
export const saveAiPromptSchema = aiPromptSchema.extend({ prompt: text.nullable() });

export const promptSchema = z.object({ id: z.string().min(1).max(LIMITS.promptId) });

export const savePromptSchema = promptSchema.extend({
  label: z.string().min(1).max(LIMITS.promptLabel),
  text: text.min(1),
  pinned: z.boolean().default(false),
});
