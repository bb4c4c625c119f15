export type ReleasedKind = 'v1' | 'v2 of sessions' | 'v2';

export type ReleasedPlace =
  | { url: string; headers: Record<string, string> }
  | { command: string; args: string[]; env: Record<string, string> };

export interface ReleasedClient {
  revision(): string | undefined;
  listTools(): Promise<{ name: string }[]>;
  callTool(
    name: string,
    input: object,
    signal?: AbortSignal,
  ): Promise<{ isError?: boolean; content: { text: string }[] }>;
  /** Opens the stream of notices where the client does not do so itself. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

export function connectReleased(
  kind: ReleasedKind,
  place: ReleasedPlace,
  onListChanged: () => void,
): Promise<ReleasedClient>;
