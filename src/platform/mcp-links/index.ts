export { parseExactJson, restoreExactJson } from './exact-json.ts';
export { HttpLink, type HttpLinkOptions } from './http-link.ts';
export { type LinkEvents, LinkFailure, type McpLink, RemoteError, type RequestOptions } from './model.ts';
export { McpSession, type ServerInfo } from './session.ts';
export { type StdioLaunch, StdioLink } from './stdio-link.ts';
