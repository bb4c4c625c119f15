/**
 * The released MCP clients of both lines of the SDK, behind one small face. Declared by hand beside it: what their own types say of
 * schemas is of no use here and costs every type check seconds.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

/** A stream that was lost is tried again until the test ends; how often is the test's patience, not the client's. */
const RECONNECT = {
  initialReconnectionDelay: 100,
  maxReconnectionDelay: 250,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 1_000,
};

const INFO = { name: 'released-client', version: '1.0.0' };

function transportOf({ url, headers, ...stdio }, Http, Stdio) {
  if (url === undefined) return new Stdio({ ...stdio, stderr: 'ignore' });
  return new Http(new URL(url), { requestInit: { headers }, reconnectionOptions: RECONNECT });
}

async function connectFirst(place, onListChanged) {
  const client = new FirstClient(INFO);
  client.setNotificationHandler(ToolListChangedNotificationSchema, onListChanged);
  const transport = transportOf(place, FirstHttpTransport, FirstStdioTransport);
  let revision;
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  // The client tells its transport what was agreed upon, and nobody else.
  transport.setProtocolVersion = (agreed) => {
    revision = agreed;
    setProtocolVersion?.(agreed);
  };
  await client.connect(transport);
  return {
    revision: () => revision,
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, input, signal) => client.callTool({ name, arguments: input }, undefined, { signal }),
    listen: async () => {},
    close: () => client.close(),
  };
}

async function connectSecond(place, onListChanged, mode) {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  client.setNotificationHandler('notifications/tools/list_changed', onListChanged);
  await client.connect(transportOf(place, StreamableHTTPClientTransport, StdioClientTransport));
  const isModern = mode !== 'legacy';
  return {
    revision: () => client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools,
    callTool: (name, input, signal) => client.callTool({ name, arguments: input }, { signal }),
    // Of sessions the transport opens the stream itself.
    listen: async () => {
      if (isModern) await client.listen({ toolsListChanged: true });
    },
    close: () => client.close(),
  };
}

export function connectReleased(kind, place, onListChanged) {
  if (kind === 'v1') return connectFirst(place, onListChanged);
  return connectSecond(place, onListChanged, kind === 'v2 of sessions' ? 'legacy' : 'auto');
}
