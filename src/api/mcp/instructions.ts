/**
 * The text that `initialize` gives a client (INS-1 to INS-10): rules about things that are no tool of ours, and live state. What a tool's
 * own description says does not stand here. Rendered from an explicit context, so that its size can be pinned.
 */

export interface InstructionContext {
  version: string;
  /** Absolute paths. */
  repositories: readonly string[];
  sessions: readonly { id: string; cwd: string | null }[];
  peers: number;
}

const SHORT_ID = 8;

export function renderInstructions({ version, repositories, sessions, peers }: InstructionContext): string {
  const lines = [
    `TUICommander ${version} hosts your terminals. Say once, when you connect or reconnect, that you are connected to it, and not again on later turns.`,
    'Never run git worktree add or git worktree remove: ask the person to make or remove a worktree.',
  ];
  if (repositories.length > 0) lines.push('Repositories:', ...repositories.map((path) => `- ${path}`));
  if (sessions.length > 0) {
    lines.push('Sessions:', ...sessions.map(({ id, cwd }) => `- ${id.slice(0, SHORT_ID)} ${cwd ?? ''}`.trimEnd()));
  }
  if (peers > 0) lines.push(`Peers: ${peers}`);
  return lines.join('\n');
}
