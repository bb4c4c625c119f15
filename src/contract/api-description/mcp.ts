import { z } from 'zod';
import { mcpStatusSchema } from '../actions/ui.ts';
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
} as const satisfies Record<string, RouteDescription>;
