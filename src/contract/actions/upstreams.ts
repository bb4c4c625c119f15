/** Other MCP servers behind ours (mcp.md 10, http.md 18): their configuration, and what is told of each. */
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

export const UPSTREAM_STATES = [
  'connecting',
  'ready',
  'circuit_open',
  'disabled',
  'failed',
  'needs_auth',
  'authenticating',
] as const;
export type UpstreamState = (typeof UPSTREAM_STATES)[number];

/** Stands for a value that is stored and not told (UPC-9). */
export const SECRET_MASK = '********';

const text = z.string().max(LIMITS.upstreamText);
const texts = z.array(text).max(LIMITS.upstreamTexts);

export const upstreamTransportSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('http'), url: text }),
  z.looseObject({
    type: z.literal('stdio'),
    command: text.describe('A program on the PATH of the login shell, or a path; `~` is the home folder.'),
    args: texts.default([]),
    env: z
      .record(z.string(), text)
      .default({})
      .describe(`Added to a small environment. Values are secrets: they are answered as ${SECRET_MASK}.`),
    cwd: text.exactOptional(),
  }),
]);
export type UpstreamTransport = z.infer<typeof upstreamTransportSchema>;

const exists = z.boolean().exactOptional().describe('One is stored. Set by the server.');

const upstreamAuthSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('bearer'), token: text.exactOptional(), token_exists: exists }),
  z.looseObject({
    type: z.literal('oauth2'),
    client_id: text,
    client_secret: text.exactOptional(),
    client_secret_exists: exists,
    scopes: texts.default([]),
    authorization_endpoint: text.exactOptional(),
    token_endpoint: text.exactOptional(),
  }),
]);

/** A tool filter; a pattern is a tool's own name, or its beginning followed by `*`. */
const toolFilterSchema = z.looseObject({ mode: z.enum(['allow', 'deny']), patterns: texts });
export type ToolFilter = z.infer<typeof toolFilterSchema>;

export const upstreamServerSchema = z
  .looseObject({
    id: z.string().min(1).max(64).describe('Stable; a UUID.'),
    name: text.describe('`a-z0-9_-`, unique: the prefix of its tools.'),
    transport: upstreamTransportSchema,
    enabled: z.boolean().default(true),
    timeout_secs: z.number().int().min(0).default(30).describe('Of one call; 0 and more than 295 count as 295.'),
    tool_filter: toolFilterSchema.exactOptional(),
    auth: upstreamAuthSchema.exactOptional(),
    bare: z.boolean().default(false).describe('Its tools show their own names, without prefix.'),
  })
  .meta({ id: 'UpstreamMcpServer' });
export type UpstreamServer = z.infer<typeof upstreamServerSchema>;

export const upstreamConfigSchema = z
  .looseObject(
    { servers: z.array(upstreamServerSchema).max(LIMITS.upstreams).default([]) },
    {
      // UPC-2: a bare configuration would have to be taken as a change of the newest one, and would undo what others saved.
      error: ({ input }) =>
        input === undefined ? 'send {base, config}: what was loaded, and what it shall be' : undefined,
    },
  )
  .meta({ id: 'UpstreamMcpConfig' });
export type UpstreamConfig = z.infer<typeof upstreamConfigSchema>;

export const saveUpstreamsSchema = z.object({ base: upstreamConfigSchema, config: upstreamConfigSchema });

export const upstreamNameSchema = z.object({ name: text.min(1) });
export const upstreamCredentialSchema = upstreamNameSchema.extend({ token: text.min(1) });

export const upstreamReportSchema = z
  .object({
    name: z.string(),
    status: z.enum(UPSTREAM_STATES),
    transport: z.discriminatedUnion('type', [
      z.object({ type: z.literal('http'), url: z.string() }),
      z.object({
        type: z.literal('stdio'),
        command: z.string(),
        args: z.array(z.string()),
        cwd: z.string().nullable(),
      }),
    ]),
    tool_count: z.number(),
    tools: z.array(z.string()).describe('As clients see them.'),
    set_aside: z
      .array(z.object({ tool: z.string(), reason: z.string() }))
      .exactOptional()
      .describe('Tools that are not shown, by their own names.'),
    metrics: z.object({ call_count: z.number(), error_count: z.number(), last_latency_ms: z.number().nullable() }),
    last_error: z.string().nullable().describe('Untrusted text.'),
    diagnostics: z.string().exactOptional().describe('The newest of what its program wrote to stderr. Untrusted text.'),
  })
  .meta({ id: 'UpstreamStatus' });
export type UpstreamReport = z.infer<typeof upstreamReportSchema>;

export const upstreamStatusSchema = z.object({ upstreams: z.array(upstreamReportSchema) });

/** POST /mcp/upstreams/test (an addition): connects once to what is not saved, and leaves nothing behind. */
export const testUpstreamSchema = z.object({
  transport: upstreamTransportSchema,
  token: text.exactOptional(),
  timeout_secs: upstreamServerSchema.shape.timeout_secs,
});

export type TestUpstream = z.infer<typeof testUpstreamSchema>;

export const upstreamTestSchema = z
  .object({
    ok: z.boolean(),
    server: z.object({ name: z.string(), version: z.string() }).exactOptional().describe('Untrusted text.'),
    tools: z.array(z.object({ name: z.string(), description: z.string() })).exactOptional(),
    error: z.string().exactOptional().describe('Why not. Untrusted text.'),
    diagnostics: z.string().exactOptional().describe('What its program wrote to stderr. Untrusted text.'),
  })
  .meta({ id: 'UpstreamTest' });
export type UpstreamTest = z.infer<typeof upstreamTestSchema>;
