import { z } from 'zod';
import { doneSchema, mcpStatusSchema } from '../actions/ui.ts';
import {
  saveUpstreamsSchema,
  testUpstreamSchema,
  upstreamConfigSchema,
  upstreamCredentialSchema,
  upstreamNameSchema,
  upstreamStatusSchema,
  upstreamTestSchema,
} from '../actions/upstreams.ts';
import { json, type RouteDescription } from './model.ts';

const message = z.looseObject({ jsonrpc: z.literal('2.0') });
const headers = { 'Mcp-Session-Id': 'From the answer to `initialize`.' };

export const mcpRoutes = {
  'mcp.post': {
    tag: 'MCP',
    summary: 'One JSON-RPC message of an MCP client',
    detail: 'Also served over IPC, where `tuic-bridge` uses it. Absent while `mcp_server_enabled` is off.',
    headers,
    body: { schema: message, example: { jsonrpc: '2.0', id: 1, method: 'ping' } },
    answers: [
      ...json(message, 'The answer; errors of the method are in it.'),
      { status: 202, what: 'A notification was taken.' },
      { status: 400, what: 'No JSON-RPC message, or an unknown `MCP-Protocol-Version`.', schema: message },
    ],
    refuses: ['not_found', 'body_too_large'],
  },
  'mcp.stream': {
    tag: 'MCP',
    summary: 'Notifications for an MCP client (server-sent events)',
    detail: 'An unknown session is taken up again. Without the header: 401.',
    headers,
    answers: [{ status: 200, what: 'The stream.', type: 'text/event-stream' }],
    refuses: ['not_found', 'mcp_session_required'],
  },
  'mcp.end': {
    tag: 'MCP',
    summary: 'End an MCP session',
    headers,
    answers: json(z.object({ ok: z.literal(true) }), 'It ended.'),
    refuses: ['not_found', 'mcp_session_required'],
  },
  'mcp.instructions': {
    tag: 'MCP',
    summary: 'What an MCP client is told when it connects',
    answers: json(z.object({ instructions: z.string() }), 'The text.'),
  },
  'mcp.status': {
    tag: 'MCP',
    summary: 'Whether the MCP endpoint runs, and who uses it',
    detail: 'Also there while `mcp_server_enabled` is off.',
    answers: json(mcpStatusSchema, 'As of now.'),
  },
  'upstreams.read': {
    tag: 'MCP',
    summary: 'MCP servers behind this one',
    detail: 'Values of `env` are told as masks, tokens as flags.',
    answers: json(upstreamConfigSchema, 'The configuration, as PUT takes it.'),
    refuses: ['config_unreadable'],
  },
  'upstreams.save': {
    tag: 'MCP',
    summary: 'Change the MCP servers behind this one',
    detail:
      'What differs between `base` (as it was loaded) and `config` is applied to what is stored now, so that nobody undoes what somebody ' +
      'else saved meanwhile. An unchanged mask or flag keeps its secret. All errors are told at once. Only servers that changed are connected anew.',
    body: {
      schema: saveUpstreamsSchema,
      example: {
        base: { servers: [] },
        config: {
          servers: [
            {
              id: '6f2c1f0e-52a4-4b8e-9a39-0d6c3f1f7a11',
              name: 'files',
              transport: {
                type: 'stdio',
                command: 'npx',
                args: ['-y', '@modelcontextprotocol/server-filesystem', '~/notes'],
              },
            },
          ],
        },
      },
    },
    answers: json(doneSchema, 'It is stored, and followed.'),
    refuses: ['upstreams_conflict', 'config_unreadable', 'secrets_unavailable', 'storage_failed'],
  },
  'upstreams.status': {
    tag: 'MCP',
    summary: 'How the MCP servers behind this one are',
    answers: json(upstreamStatusSchema, 'In the order of the configuration.'),
  },
  'upstreams.test': {
    tag: 'MCP',
    summary: 'Try an MCP server without saving it',
    detail: 'Connects, asks for its tools, and ends. A server that cannot be used is an answer, not an error.',
    body: { schema: testUpstreamSchema, example: { transport: { type: 'http', url: 'https://mcp.example.org/mcp' } } },
    answers: json(upstreamTestSchema, 'What came of it.'),
  },
  'upstreams.reconnect': {
    tag: 'MCP',
    summary: 'Connect to an MCP server anew',
    body: { schema: upstreamNameSchema, example: { name: 'files' } },
    answers: json(doneSchema, 'The attempt is over; its outcome is in the status.'),
    refuses: ['not_found', 'upstream_refused'],
  },
  'upstreams.credential': {
    tag: 'MCP',
    summary: 'Store the bearer token of an MCP server',
    body: { schema: upstreamCredentialSchema, example: { name: 'files', token: 'token-of-the-service' } },
    answers: json(doneSchema, 'It is stored, and the server connected anew.'),
    refuses: ['not_found', 'secrets_unavailable'],
  },
  'upstreams.forget-credential': {
    tag: 'MCP',
    summary: 'Forget the bearer token of an MCP server',
    query: upstreamNameSchema,
    answers: json(doneSchema, 'It is gone.'),
    refuses: ['not_found', 'secrets_unavailable'],
  },
} as const satisfies Record<string, RouteDescription>;
