/**
 * What the fake model answers, decided by a cue word in the newest words of the person. One vocabulary for all dialects:
 * the dialect files only say how an answer looks on their wire.
 */

export interface OfferedTool {
  name: string;
  /** Group of tools that it stands in, where the dialect has them; a call names it as well. */
  namespace?: string;
  /** JSON Schema of its arguments, as the agent sent it. */
  schema: Record<string, unknown>;
}

/** What a request of an agent holds that matters here, whatever its dialect. */
export interface ModelRequest {
  /** Newest text of the person; empty when the newest message is the result of a tool. */
  text: string;
  /** The newest message is a result of a tool that was called. */
  hasToolResult: boolean;
  tools: readonly OfferedTool[];
}

export type ModelAnswer =
  | { kind: 'text'; words: readonly string[] }
  /** Its words come one by one; the last one is held back until the test releases it. */
  | { kind: 'held'; words: readonly string[] }
  | { kind: 'tool'; tool: string; namespace?: string; args: Record<string, unknown> }
  | { kind: 'error'; status: number; type: string; message: string; retryAfterSeconds?: number };

export const CUES = ['plain', 'held', 'shell', 'approval', 'question', 'mcp', 'rate-limit', 'overload'] as const;
export type Cue = (typeof CUES)[number];

/** `CUE:shell echo hello` anywhere in the text; what follows on the line is the cue's argument. */
const CUE = /("?)CUE:([a-z-]+)(?:[ \t]+([^\n<]*))?/g;

const SHELL_TOOL = /^(bash|shell|shell_command|exec_command|local_shell|run_shell_command)$/i;
const QUESTION_TOOL = /^(AskUserQuestion|question|ask_user|request_user_input)$/i;

export function readCue(text: string): { cue: Cue; argument: string } {
  // The newest one: prompts whose turn was interrupted may stand before it.
  const found = [...text.matchAll(CUE)].at(-1);
  const cue = CUES.find((known) => known === found?.[2]) ?? 'plain';
  const argument = (found?.[3] ?? '').trim();
  // Some agents hand the prompt on in quotes.
  return { cue, argument: found?.[1] === '"' && argument.endsWith('"') ? argument.slice(0, -1) : argument };
}

const PLAIN: ModelAnswer = { kind: 'text', words: ['Understood', 'and', 'done.'] };

export function answerTo(request: ModelRequest): ModelAnswer {
  if (request.hasToolResult) return { kind: 'text', words: ['The', 'tool', 'has', 'answered.'] };
  // Asked beside the turn, such as for a title of the conversation: its text quotes the cue and does not mean it.
  if (request.tools.length === 0) return PLAIN;
  const { cue, argument } = readCue(request.text);
  switch (cue) {
    case 'held':
      return { kind: 'held', words: ['One', 'word', 'after', 'the', 'other', 'and', 'the', 'end.'] };
    case 'shell':
      return callTool(request.tools, SHELL_TOOL, (tool) => shellArguments(tool, argument || 'echo hello'));
    case 'approval':
      return callTool(request.tools, SHELL_TOOL, (tool) => ({
        ...shellArguments(tool, argument || 'touch made.txt'),
        ...escalation(tool),
      }));
    case 'question':
      return callTool(request.tools, QUESTION_TOOL, questionArguments);
    case 'mcp': {
      const [, name = '', json = '{}'] = /^(\S+)\s*(.*)$/.exec(argument) ?? [];
      const ending = new RegExp(`(^|_|\\.)${name.replace(/\W/g, '.')}$`);
      return callTool(request.tools, ending, () => JSON.parse(json || '{}') as Record<string, unknown>);
    }
    case 'rate-limit':
      return {
        kind: 'error',
        status: 429,
        type: 'rate_limit_error',
        message: 'Number of requests has exceeded your rate limit',
        retryAfterSeconds: 30,
      };
    case 'overload':
      return { kind: 'error', status: 529, type: 'overloaded_error', message: 'Overloaded' };
    default:
      return PLAIN;
  }
}

function callTool(
  tools: readonly OfferedTool[],
  name: RegExp,
  fill: (tool: OfferedTool) => Record<string, unknown>,
): ModelAnswer {
  const tool = tools.find((offered) => name.test(offered.name));
  if (tool !== undefined) {
    const namespace = tool.namespace === undefined ? {} : { namespace: tool.namespace };
    return { kind: 'tool', tool: tool.name, ...namespace, args: fill(tool) };
  }
  // Said aloud, so that a test that waits for a call fails with the reason.
  const names = tools.map((offered) => offered.name).join(' ');
  return { kind: 'text', words: ['NO-SUCH-TOOL', String(name), 'among:', names] };
}

function propertiesOf(tool: OfferedTool): Record<string, { type?: unknown }> {
  const { properties } = tool.schema;
  return typeof properties === 'object' && properties !== null
    ? (properties as Record<string, { type?: unknown }>)
    : {};
}

function shellArguments(tool: OfferedTool, command: string): Record<string, unknown> {
  const properties = propertiesOf(tool);
  if ('cmd' in properties) return { cmd: command };
  const isList = properties.command?.type === 'array';
  const args: Record<string, unknown> = { command: isList ? ['bash', '-lc', command] : command };
  if ('description' in properties) args.description = 'Runs a command of the test';
  return args;
}

/** Codex asks a person only about what wants to leave its sandbox; the others ask about every command that changes something. */
function escalation(tool: OfferedTool): Record<string, unknown> {
  return 'sandbox_permissions' in propertiesOf(tool)
    ? { sandbox_permissions: 'require_escalated', justification: 'May it be made?' }
    : {};
}

function questionArguments(tool: OfferedTool): Record<string, unknown> {
  const options = [
    { label: 'Red', description: 'The first colour' },
    { label: 'Blue', description: 'The second colour' },
  ];
  const question = { question: 'Which colour shall it be?', header: 'Colour', options };
  const properties = propertiesOf(tool);
  if ('questions' in properties) {
    // Gemini CLI wants to know of what kind it is.
    return { questions: [{ id: 'colour', type: 'choice', multiSelect: false, multiple: false, ...question }] };
  }
  return { ...question };
}
