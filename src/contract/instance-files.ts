/** Names in the configuration directory that more than one program knows (http.md 2). */
export const INSTANCE_FILES = {
  config: 'config.json',
  token: 'token',
  database: 'state.db',
  socket: 'mcp.sock',
  socketPointer: 'mcp.sock.path',
  /** Who serves here: a ServerRecord. A hint for messages; the socket decides whether anybody lives. */
  server: 'server.json',
  logs: 'logs',
  captures: 'captures',
  pictures: 'screenshots',
  /** What a person typed in `tuic config edit` and the server has not stored. */
  edits: 'edits',
} as const;

export interface ServerRecord {
  pid: number;
  /** Epoch milliseconds. */
  started: number;
  version: string;
  configDirectory: string;
  socketPath: string;
  /** Local TCP port; absent when the local server is switched off. */
  port?: number;
}
