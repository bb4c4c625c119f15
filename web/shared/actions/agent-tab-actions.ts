/** What is done with a tab that an agent opened. */
import type { Action, ActionSource } from '../action-table.ts';
import { tabLabel } from '../agent-tabs.ts';
import type { WorkspaceState } from '../workspace-state.ts';
import { onSession } from './action-helpers.ts';

const isAgentTab = (state: WorkspaceState, id: string | undefined) => id !== undefined && state.agentTabs.has(id);

export const AGENT_TABS: readonly Action[] = [
  {
    id: 'page.outside',
    title: 'Open outside of the workspace',
    group: 'Tabs and panes',
    words: 'browser window external agent page',
    isAvailable: isAgentTab,
    run: onSession(({ workspace, openPage }, id) => {
      const tab = workspace.agentTabs.find(id);
      if (tab !== undefined) openPage(tab.frame_url);
    }),
  },
  {
    id: 'page.close',
    title: 'Close the tab of the agent',
    group: 'Tabs and panes',
    words: 'end remove page',
    isAvailable: isAgentTab,
    run: onSession(({ workspace }, id) => void workspace.requestClose(id)),
  },
];

/** One entry for each that can be shown. */
export const agentTabActions: ActionSource = (state) =>
  [...state.agentTabs]
    .filter(([panel]) => panel !== state.tabs.active)
    .map(([panel, tab]) => ({
      id: panel,
      title: `Go to ${tabLabel(tab)}`,
      group: 'Tabs and panes',
      words: 'page agent tab',
      detail: 'tab of an agent',
      run: ({ workspace }) => workspace.arrangement.show(panel),
    }));
