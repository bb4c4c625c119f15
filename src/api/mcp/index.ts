export { createMcpEndpoint, type McpEndpoint } from './endpoint.ts';
export type { McpRequest } from './legacy.ts';
