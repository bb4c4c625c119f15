/**
 * How long the bridge waits for the answer to one message (BRG-6). Each is longer than what the server itself allows the same
 * call (LIM-1, LIM-3), so that the server's own answer always arrives first.
 */
import { DEADLINES } from '../deadlines.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The tools whose longest duration the bridge knows; all others are proxied calls with a limit of their upstream's. */
const NATIVE_TOOLS: ReadonlySet<string> = new Set([
  'session',
  'agent',
  'task',
  'repo',
  'progress',
  'ui',
  'plugin_dev_guide',
  'config',
  'debug',
  'search_tools',
  'get_tool_schema',
]);

const TERMINAL_WRITERS: ReadonlySet<string> = new Set(['send_input', 'send_key', 'write_file', 'edit_file']);

function milliseconds(value: unknown, standard: number, maximum: number): number {
  const asked = typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : standard;
  return Math.min(asked, maximum);
}

/** A wait: the requested time (0 or absent: 60 s, at most 300 s) and the margin. */
function waitDeadline(args: Arguments): number {
  return milliseconds(args.timeout_ms, 60_000, 300_000) + DEADLINES.bridgeMargin;
}

function terminalDeadline(action: string, args: Arguments): number {
  if (action === 'run_command') return 300_000;
  if (action === 'drive_agent')
    return DEADLINES.nestedConfirm + milliseconds(args.timeout_ms, 30_000, 120_000) + DEADLINES.bridgeMargin;
  if (action === 'wait_for') return milliseconds(args.timeout_ms, 10_000, 60_000) + DEADLINES.bridgeMargin;
  if (TERMINAL_WRITERS.has(action)) return DEADLINES.nestedConfirm + DEADLINES.bridgeMargin;
  return DEADLINES.bridgeOrdinary;
}

function toolDeadline(name: string, args: Arguments): number {
  if (name === 'call_tool') {
    const inner = args.arguments;
    if (typeof args.tool_name !== 'string' || args.tool_name === 'call_tool') return DEADLINES.bridge;
    return toolDeadline(args.tool_name, typeof inner === 'object' && inner !== null ? (inner as Arguments) : {});
  }
  if (name.startsWith('ai_terminal_')) return terminalDeadline(name.slice('ai_terminal_'.length), args);
  if (!NATIVE_TOOLS.has(name)) return DEADLINES.bridge;
  switch (`${name} ${String(args.action)}`) {
    case 'session wait':
    case 'agent wait':
      return waitDeadline(args);
    case 'session submit':
      return Math.max(milliseconds(args.timeout_ms, 0, 300_000) + DEADLINES.bridgeMargin, DEADLINES.bridgeOrdinary);
    case 'agent spawn':
      return DEADLINES.bridgeSpawn;
    case 'ui confirm':
    case 'repo worktree_create':
    case 'repo worktree_remove':
      return DEADLINES.bridge;
    case 'ui screenshot':
      return DEADLINES.bridgeScreenshot;
    default:
      return DEADLINES.bridgeOrdinary;
  }
}

/** Milliseconds to wait for the answer to a JSON-RPC request; undefined for one that stays open (subscriptions). */
export function bridgeDeadline(method: string, params: unknown): number | undefined {
  if (method === 'subscriptions/listen') return undefined;
  if (method !== 'tools/call') return DEADLINES.bridgeOrdinary;
  const call = typeof params === 'object' && params !== null ? (params as Arguments) : {};
  const args = typeof call.arguments === 'object' && call.arguments !== null ? (call.arguments as Arguments) : {};
  return typeof call.name === 'string' ? toolDeadline(call.name, args) : DEADLINES.bridgeOrdinary;
}
