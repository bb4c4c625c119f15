export { createMcpEndpoint, type McpEndpoint } from './endpoint.ts';
export type { McpAnswer, McpRequest } from './message.ts';
export { ProtocolSessions } from './protocol-sessions.ts';
