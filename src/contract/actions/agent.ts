/** Agents and editors of this machine (http.md 12), and a terminal with an agent in it (http.md 3). */
import { z } from 'zod';
import { AGENT_SESSION_ID } from '../hook-marker.ts';
import { LIMITS } from '../limits.ts';
import { createdSessionSchema, createSessionSchema } from './session.ts';

export const detectedAgentSchema = z
  .object({
    name: z.string().describe('Its program.'),
    path: z.string().nullable().describe('Absolute; null when it is not here.'),
    version: z.string().nullable().describe('As it says itself; null when it did not in time.'),
  })
  .meta({ id: 'DetectedAgent' });
export type DetectedAgent = z.infer<typeof detectedAgentSchema>;

export const detectQuerySchema = z.object({
  binary: z.string().max(128).optional().describe('Only this one.'),
});

export const machineAgentsSchema = z
  .object({ agents: z.array(detectedAgentSchema), ides: z.array(z.string()).describe('Ids of editors.') })
  .meta({ id: 'MachineAgents' });
export type MachineAgents = z.infer<typeof machineAgentsSchema>;

/** With `binary`. */
export const oneAgentSchema = detectedAgentSchema.omit({ name: true }).meta({ id: 'OneAgent' });
export const unknownAgentSchema = z.object({ error: z.literal('Unknown agent') });

export const detectAllSchema = z.object({
  binaries: z
    .array(z.string().min(1).max(128))
    .max(LIMITS.programLookups)
    .describe('Names of programs, known agents or not.'),
});
export const detectedProgramsSchema = z.record(
  z.string(),
  z.object({ path: z.string().nullable(), version: z.null() }),
);

export const createAgentSessionSchema = createSessionSchema
  .pick({ rows: true, cols: true, cwd: true, display_name: true, display_name_is_custom: true })
  .extend({
    prompt: z.string().min(1, 'must not be empty').describe('What the agent is to do.'),
    agent_type: z
      .string()
      .min(1)
      .max(128)
      .nullish()
      .describe('A run configuration, a known agent or the name of a program. Default: claude.'),
    binary_path: z
      .string()
      .nullish()
      .describe('Its program, absolute or from `~/`; looked up by `agent_type` when absent.'),
    args: z
      .array(z.string())
      .optional()
      .describe('Arguments before the prompt; `{prompt}` in one of them is where the prompt goes instead.'),
    model: z.string().min(1).nullish().describe('Given as `--model`.'),
    print_mode: z.boolean().optional().describe('Claude answers and ends.'),
    output_format: z.string().min(1).nullish().describe('Of claude with `print_mode`.'),
  });
export type CreateAgentSession = z.output<typeof createAgentSessionSchema>;

export const createdAgentSessionSchema = createdSessionSchema
  .extend({ launch_warning: z.string().exactOptional().describe('What was not done for this program, and why.') })
  .meta({ id: 'CreatedAgentSession' });
export type CreatedAgentSession = z.infer<typeof createdAgentSessionSchema>;

export const openInAppSchema = z.object({
  path: z.string().describe('A file or folder, absolute or from `~/`.'),
  app: z
    .string()
    .min(1)
    .max(128)
    .describe('Id of an editor as in `GET /agents/ides`, `terminal`, `file-manager`, or of one of `custom_launchers`.'),
  line: z.number().int().min(1).nullish(),
  col: z.number().int().min(1).nullish().describe('With `line` only.'),
});
export type OpenInApp = z.output<typeof openInAppSchema>;

export const verifySessionSchema = z.object({
  agentType: z.string().min(1).max(128),
  sessionId: z.string().describe('The agent’s own id of the conversation.'),
  cwd: z.string().describe('Folder of the conversation.'),
  agentPid: z.number().int().nullish().describe('Not looked at.'),
  envOverrides: z
    .record(z.string(), z.string())
    .nullish()
    .describe('Variables by which the agent keeps its files elsewhere, such as `CODEX_HOME`.'),
});

export const resumeAgentSchema = z.object({
  agent_session: z
    .string()
    .regex(AGENT_SESSION_ID, 'must be 1 to 128 of A-Z a-z 0-9 _ -')
    .optional()
    .describe('The agent’s own id of the conversation. Default: the one that ran in the session, when it is known.'),
});
export type ResumeAgent = z.output<typeof resumeAgentSchema>;

export const resumedAgentSchema = createdSessionSchema
  .extend({ agent_session: z.string().describe('The conversation that goes on.') })
  .meta({ id: 'ResumedAgent' });
export type ResumedAgent = z.infer<typeof resumedAgentSchema>;

/** By an agent (mcp.md 2.2). Whose child it is, the front says. */
export const spawnAgentSchema = createAgentSessionSchema
  .omit({ display_name: true, display_name_is_custom: true })
  .extend({
    prompt: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
    // Looked at after everything else (AGT-2).
    name: z.unknown().optional(),
    identity: z.string().optional(),
    owner: z.string(),
    /** Where the caller works, when it says nothing else (AGT-7). */
    caller_folder: z.string().optional(),
  });
export type SpawnAgent = z.output<typeof spawnAgentSchema>;

export interface SpawnedAgent {
  session_id: string;
  task_id: string;
  poll_interval_ms: number;
  name: string;
  /** Epoch milliseconds. */
  server_ts: number;
  monitor_with: string;
  status_with: string;
  wait_with: string;
  parent_session_id?: string;
  peer_monitor_with?: string;
  peer_wait_with?: string;
  communication_warning?: string;
  launch_warning?: string;
}
