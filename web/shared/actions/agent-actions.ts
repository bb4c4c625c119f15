/** Agents: a new one, who of them waits, and back to one's own work. */
import type { Action } from '../action-table.ts';
import { canResume, lostAgents } from '../resuming.ts';
import { waitingIds } from '../session-status.ts';
import { onSession, sessionOf } from './action-helpers.ts';

export const AGENTS: readonly Action[] = [
  {
    id: 'agent.new',
    title: 'New agent…',
    group: 'Agents',
    chords: [{ code: 'Backslash', label: '\\' }],
    words: 'start spawn launch task prompt claude codex gemini opencode open create',
    run: ({ workspace }) => workspace.openAgentLauncher(),
  },
  {
    id: 'agent.answer',
    title: 'Answer an agent that asks',
    group: 'Agents',
    chords: [{ code: 'Backquote', label: '`' }],
    words: 'question choice permission approve card yes no',
    // One that is in front of the person is answered in its terminal.
    isAvailable: ({ choices, tabs }) => [...choices.keys()].some((id) => id !== tabs.active),
    instead: 'agent.next-waiting',
    run: ({ workspace, isSmallScreen, focusedCard }) => {
      if (!workspace.focusChoice(isSmallScreen(), focusedCard())) workspace.waiting.next();
    },
  },
  {
    id: 'agent.next-waiting',
    title: 'Next agent that waits for you',
    group: 'Agents',
    chords: [{ code: 'BracketLeft', label: '[' }],
    words: 'question attention jump needs blocked input',
    repeats: true,
    isAvailable: (state) => waitingIds(state.sessions.values(), state.questions).length > 0,
    instead: 'agent.none-waits',
    run: ({ workspace }) => workspace.waiting.next(),
  },
  {
    id: 'agent.none-waits',
    title: 'No agent waits',
    group: 'Agents',
    isListed: false,
    run: ({ workspace }) => workspace.notify('info', 'No agent waits for you.'),
  },
  {
    id: 'agent.resume',
    title: 'Resume the agent with its conversation',
    group: 'Agents',
    words: 'continue go on again restart',
    isAvailable: (state, id) => canResume(sessionOf(state, id)),
    run: onSession(({ workspace }, id) => void workspace.resuming.resume(id)),
  },
  {
    id: 'agent.resume-all',
    title: 'Resume all agents that were lost',
    group: 'Agents',
    words: 'continue conversation go on host reboot',
    isAvailable: (state) => lostAgents(state.sessions).length > 0,
    run: ({ workspace }) => void workspace.resuming.resumeAll(),
  },
  {
    id: 'agent.back',
    title: 'Back from the agents that wait to where you were',
    group: 'Agents',
    chords: [{ code: 'Backspace', label: '⌫' }],
    words: 'return before',
    run: ({ workspace }) => workspace.waiting.back(),
  },
];
