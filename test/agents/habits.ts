/** How each agent is driven by hand: its arguments in a terminal, what it shows when, and which keys answer it. */
import type { AgentName } from './agent-home.ts';

export interface Habits {
  args: readonly string[];
  /** It has drawn its input line and takes keys. */
  ready: RegExp;
  approval: RegExp;
  approve: string;
  deny: string;
  /** Keys after which it may ask at all. */
  beforeQuestion?: string;
  question: RegExp;
  answer: string;
  escape: Sequence;
  /** Absent: Ctrl-C ends the agent itself, in the middle of a turn too. */
  controlC?: Sequence;
  interrupted: RegExp;
  /** Shown while a turn runs. */
  working: RegExp;
  quit: Sequence;
}

/** Keys, and what must be seen before the next one: two that arrive in one read are another key. */
export type Sequence = readonly (string | RegExp)[];

export const HABITS: Record<AgentName, Habits> = {
  claude: {
    args: ['--permission-mode', 'default'],
    ready: /^❯/m,
    approval: /Do you want to proceed\?/,
    approve: '\r',
    deny: '\u001b',
    question: /Enter to select/,
    answer: '\r',
    escape: ['\u001b'],
    controlC: ['\u0003'],
    interrupted: /Interrupted/,
    working: /esc to interrupt/,
    quit: ['\u0003', /again to exit/i, '\u0003'],
  },
  codex: {
    args: [],
    ready: /^›/m,
    approval: /Would you like to run/,
    approve: 'y',
    deny: '\u001b',
    // Its plan mode.
    beforeQuestion: '\u001b[Z',
    question: /enter to submit answer/,
    answer: '\r',
    escape: ['\u001b'],
    controlC: ['\u0003', /Task is still running/, '\r'],
    interrupted: /interrupted/,
    working: /esc to interrupt/,
    quit: ['\u0003'],
  },
  opencode: {
    args: [],
    ready: /Ask anything/,
    approval: /Permission required/,
    approve: '\r',
    deny: '\u001b',
    question: /enter submit/,
    answer: '\r',
    escape: ['\u001b', /esc\s+again/, '\u001b'],
    interrupted: /interrupted/,
    working: /esc\s+(again\s+to\s+)?interrupt/,
    quit: ['\u0003'],
  },
  gemini: {
    args: ['-m', 'gemini-2.5-flash'],
    ready: /Type your message/,
    approval: /Allow execution/,
    approve: '\r',
    deny: '\u001b',
    question: /Enter to select/,
    answer: '\r',
    escape: ['\u001b'],
    controlC: ['\u0003'],
    interrupted: /cancelled/,
    working: /esc to cancel/,
    quit: ['\u0003', /again to exit/i, '\u0003'],
  },
};
