/**
 * The actions of the workspace itself. Keys are Ctrl+Shift with one more where programs could want the key: they cannot tell
 * those apart from Ctrl alone and hence do not use them, and browsers leave these to the page. Zoom has the keys it has
 * everywhere.
 */
import type { Action, ActionSource } from './action-table.ts';
import { AGENTS } from './actions/agent-actions.ts';
import { AGENT_TABS } from './actions/agent-tab-actions.ts';
import { LOOK } from './actions/look-actions.ts';
import { PANES } from './actions/pane-actions.ts';
import { TERMINALS } from './actions/terminal-actions.ts';
import { TEXT } from './actions/text-actions.ts';
import { WORKSPACE } from './actions/workspace-actions.ts';
import { cleanText, describeLayout, folderName, sessionAlias, sessionLabel } from './labels.ts';
import { suggestionsOf } from './session-status.ts';
import { listedSessions } from './workspace-state.ts';

export const WORKSPACE_ACTIONS: readonly Action[] = [
  ...TERMINALS,
  ...AGENTS,
  ...PANES,
  ...AGENT_TABS,
  ...TEXT,
  ...LOOK,
  ...WORKSPACE,
];

/** One entry for each session that can be shown. */
export const sessionActions: ActionSource = (state) =>
  listedSessions(state)
    .filter((session) => session.session_id !== state.tabs.active && !session.isClosing)
    .map((session) => ({
      id: `session:${session.session_id}`,
      title: `Go to ${sessionLabel(session)}`,
      group: 'Terminals',
      words: `${sessionAlias(session)} ${cleanText(session.title ?? '')}`,
      detail: [sessionAlias(session), cleanText(folderName(session.cwd))].filter((part) => part !== '').join(' · '),
      run: ({ workspace }) => workspace.arrangement.show(session.session_id),
    }));

/** What agents offer to do next, each as it would be given to them. */
export const suggestionActions: ActionSource = (state) =>
  listedSessions(state).flatMap((session) =>
    suggestionsOf(session).map((text) => ({
      id: `suggestion:${session.session_id}:${text}`,
      title: `Tell ${sessionLabel(session)}: ${text}`,
      group: 'Agents',
      words: 'suggestion offer next prompt',
      run: ({ workspace }) => void workspace.suggestions.take(session.session_id, text),
    })),
  );

/** What can be done with each saved layout. */
export const layoutActions: ActionSource = (state) =>
  state.layouts.flatMap(({ name, layout }): readonly Action[] => [
    {
      id: `layout:${name}`,
      title: `Layout ${name}`,
      group: 'Tabs and panes',
      words: 'use switch arrangement',
      detail: describeLayout(layout),
      run: ({ workspace }) => workspace.layouts.use(name),
    },
    {
      id: `layout.save:${name}`,
      title: `Save layout ${name} again`,
      group: 'Tabs and panes',
      words: 'overwrite update keep',
      isAvailable: ({ tabs }) => tabs.order.length > 0,
      run: ({ workspace }) => void workspace.layouts.save(name),
    },
    {
      id: `layout.rename:${name}`,
      title: `Rename layout ${name}`,
      group: 'Tabs and panes',
      words: 'name',
      run: ({ workspace }) => workspace.openLayouts(name),
    },
    {
      id: `layout.delete:${name}`,
      title: `Delete layout ${name}`,
      group: 'Tabs and panes',
      words: 'remove',
      run: ({ workspace }) => void workspace.layouts.remove(name),
    },
  ]);
