/** config.json as far as this server reads it (http.md 11.1). Every key is optional on disk; unknown keys are left alone. */
import { z } from 'zod';
import { LIMITS } from '../../contract/index.ts';

const port = z.number().int().min(1).max(65_535);

export const configSchema = z.object({
  local_server_enabled: z.boolean().default(true),
  mcp_port: port.default(9_876),
  allowed_hosts: z.array(z.string().min(1)).default([]),
  max_sessions: z.number().int().min(1).max(1_000).default(LIMITS.maxSessions),
  shell: z.string().min(1).nullable().default(null),
  services: z
    .object({
      auth: z
        .object({
          session_token_duration_secs: z.number().int().min(0).default(86_400),
          auth_rate_limit_max: z.number().int().min(0).default(5),
          auth_rate_limit_window_secs: z.number().int().min(1).default(300),
        })
        .prefault({}),
    })
    .prefault({}),
});

export type Config = z.infer<typeof configSchema>;

export const DEFAULT_CONFIG: Config = configSchema.parse({});
