/**
 * The agents whose hooks `tuic agents hooks` can set up: in which file, and what each tells at which event (mcp.md 9.6). Facts about other
 * programs, one place. Codex is none of them: it says its state itself (OSC 7501).
 */
import { join } from 'node:path';
import type { Place } from '../mcp-clients/clients.ts';
import { sessionCommand, stateCommand, toolCommand } from './hook-command.ts';
import { OPENCODE_PLUGIN } from './opencode-plugin.ts';

export interface HookEvent {
  readonly event: string;
  /** Which tools; absent: the event has none, or all are meant. */
  readonly matcher?: string;
  readonly command: string;
}

export interface HookedAgent {
  readonly id: string;
  readonly name: string;
  readonly file: (place: Place) => string;
  /** A folder that is there when the agent is. */
  readonly folder: (place: Place) => string;
  /** Entries in its settings, or a file of our own. */
  readonly kind: { readonly events: readonly HookEvent[] } | { readonly text: string };
}

const CLAUDE_QUESTIONS = ['AskUserQuestion', 'ExitPlanMode'];

const claudeFolder = ({ env, home }: Place) => env.CLAUDE_CONFIG_DIR || join(home, '.claude');
const geminiFolder = ({ home }: Place) => join(home, '.gemini');
const openCodeFolder = ({ env, home }: Place) =>
  join(env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config'), 'opencode');

export const HOOKED_AGENTS: readonly HookedAgent[] = [
  {
    id: 'claude',
    name: 'Claude Code',
    file: (place) => join(claudeFolder(place), 'settings.json'),
    folder: claudeFolder,
    kind: {
      events: [
        { event: 'SessionStart', command: sessionCommand() },
        { event: 'UserPromptSubmit', command: stateCommand('busy') },
        { event: 'PreToolUse', matcher: '*', command: toolCommand(CLAUDE_QUESTIONS) },
        { event: 'PostToolUse', matcher: CLAUDE_QUESTIONS.join('|'), command: stateCommand('busy') },
        { event: 'Stop', command: stateCommand('idle') },
        { event: 'SessionEnd', command: stateCommand('idle') },
      ],
    },
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    file: (place) => join(geminiFolder(place), 'settings.json'),
    folder: geminiFolder,
    kind: {
      events: [
        { event: 'SessionStart', command: sessionCommand() },
        { event: 'BeforeAgent', command: stateCommand('busy') },
        { event: 'BeforeTool', matcher: '*', command: stateCommand('busy') },
        { event: 'Notification', command: stateCommand('awaiting') },
        { event: 'AfterAgent', command: stateCommand('idle') },
        { event: 'SessionEnd', command: stateCommand('idle') },
      ],
    },
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    file: (place) => join(openCodeFolder(place), 'plugin/tuicommander.js'),
    folder: openCodeFolder,
    kind: { text: OPENCODE_PLUGIN },
  },
];
