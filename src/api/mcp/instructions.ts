/**
 * The text that `initialize` gives a client (INS-1 to INS-10): rules about things that are no tool of ours, and live state. What a tool's
 * own description says does not stand here. Rendered from an explicit context, so that its size can be pinned.
 */

export interface InstructionContext {
  version: string;
  isCollapsed: boolean;
  isClaudeCode: boolean;
  /** Wire markers that this agent is asked for (INS-4). */
  markers: { intent: boolean; suggest: boolean };
  /** Actions that the text speaks of, as far as they work. */
  can: { submit: boolean; worktrees: boolean };
  /** Absolute paths. */
  repositories: readonly string[];
  sessions: readonly { id: string; cwd: string | null; branch: string | null }[];
  /** MCP servers behind this one: how many tools one has, or why it has none. */
  services: readonly { name: string; state: string }[];
  peers: number;
  /** Mail of the identity that the client speaks for. */
  unread: number;
}

const SHORT_ID = 8;

const MARKER_INTENT =
  'When a task of the person begins, and again when its phase really changes, print one line: intent: <what you do> (<title of three words>)';
const MARKER_SUGGEST =
  'At the end of a task print one line with exactly 3 next steps of at most 40 characters: suggest: [ A | B | C ]';
/** INS-7: the same bytes in both modes. */
const SUBMIT_RULE =
  'To prompt another agent call session action=submit once: it sends text and Enter in one step and answers with a receipt. Do not type the Enter yourself, and do not poll.';
const COLLAPSED_STANCE =
  'Its tools are found by search_tools, read by get_tool_schema and called by call_tool. Search first, before you use a shell for something that a tool may do.';
const CLASSIC_STANCE = 'Prefer its tools to shell commands that do the same: the person sees what they do.';
const WORKTREE_RULE = 'Never run git worktree add or git worktree remove';
const DELEGATION =
  'When a worktree is made for another agent, give it the suggested_prompt of cc_agent_hint as it stands.';

/** One line of text, whatever a folder or a branch is called. */
function inline(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
}

export function renderInstructions(context: InstructionContext): string {
  const { version, isCollapsed, isClaudeCode, markers, can, repositories, sessions, services, peers, unread } = context;
  const lines = [
    `TUICommander ${version} hosts your terminals. Say once, when you connect or reconnect, that you are connected to it, and not again on later turns.`,
    isCollapsed ? COLLAPSED_STANCE : CLASSIC_STANCE,
  ];
  if (markers.intent) lines.push(MARKER_INTENT);
  if (markers.suggest) lines.push(MARKER_SUGGEST);
  lines.push(
    can.worktrees
      ? `${WORKTREE_RULE}: use repo action=worktree_create and worktree_remove.`
      : `${WORKTREE_RULE}: ask the person to make or remove a worktree.`,
  );
  if (can.submit) lines.push(SUBMIT_RULE);
  if (isClaudeCode && can.worktrees) lines.push(DELEGATION);
  if (repositories.length > 0) lines.push('Repositories:', ...repositories.map((path) => `- ${inline(path)}`));
  if (sessions.length > 0) {
    lines.push(
      'Sessions:',
      ...sessions.map(({ id, cwd, branch }) =>
        inline(['-', id.slice(0, SHORT_ID), cwd ?? '', branch === null ? '' : `(${branch})`].filter(Boolean).join(' ')),
      ),
    );
  }
  if (services.length > 0) {
    lines.push(`MCP servers: ${services.map(({ name, state }) => inline(`${name} (${state})`)).join(', ')}`);
  }
  if (peers > 0) lines.push(`Peers: ${peers}`);
  if (unread > 0) lines.push(`Unread mail: ${unread}. Read it with agent action=inbox.`);
  return lines.join('\n');
}
