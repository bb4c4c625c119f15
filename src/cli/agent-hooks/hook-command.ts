/**
 * The commands that an agent runs for its hooks: each writes one marker to the controlling terminal (mcp.md 9.6, STM-51). Of itself: no
 * file of ours is needed to run it, so a hook that outlives TUICommander does nothing. It prints nothing, never reads its input outside a
 * terminal of TUICommander, and always ends with 0, since the exit status of a hook can stop the agent.
 */
import { HOOK_MARKER, type HookMarkerState } from '../../contract/index.ts';

/** By which our entries are found again. */
export const SENTINEL = 'tuicommander-hook';

function command(write: string): string {
  return `if test -n "$TUIC_SESSION" && test -n "$TUIC_HOOK_NONCE"; then { ${write}; } 2>/dev/null; fi; true # ${SENTINEL}`;
}

const marker = (verb: string, value: string) =>
  `printf '\\033]${HOOK_MARKER};nonce=%s;${verb}=%s\\007' "$TUIC_HOOK_NONCE" ${value} >/dev/tty`;

export function stateCommand(state: HookMarkerState): string {
  return command(marker('state', state));
}

/** Awaiting for tools that ask the person; which one is used stands in what the agent hands in. */
export function toolCommand(questions: readonly string[]): string {
  const patterns = questions.flatMap((tool) => [`*'"tool_name":"${tool}"'*`, `*'"tool_name": "${tool}"'*`]).join('|');
  return command(`case "$(cat)" in ${patterns}) state=awaiting;; *) state=busy;; esac; ${marker('state', '"$state"')}`);
}

/** The agent's own id of the conversation, out of what it hands in. */
export function sessionCommand(): string {
  const read = `sed -n 's/.*"session_id" *: *"\\([A-Za-z0-9_-]\\{1,128\\}\\)".*/\\1/p' | head -n 1`;
  return command(`id=$(${read}); test -z "$id" || ${marker('session', '"$id"')}`);
}
