import { useEffect } from 'react';
import { tabLabel } from '../shared/agent-tabs.ts';
import { sessionLabel } from '../shared/labels.ts';
import { QuestionList } from '../shared/question-list.tsx';
import { waitingCount } from '../shared/session-status.ts';
import { themeInForce } from '../shared/workspace-state.ts';
import { ChoiceCards } from './choice-cards.tsx';
import { ContextMenu } from './context-menu.tsx';
import { Dialogs } from './dialogs.tsx';
import { Dock } from './dock.tsx';
import { LoginPage } from './login-page.tsx';
import { Notices } from './notices.tsx';
import { Sidebar } from './sidebar.tsx';
import { StatusBar } from './status-bar.tsx';
import { SMALL_SCREEN, useMediaQuery, useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function App() {
  const access = useWorkspaceState((state) => state.access);
  useTheme();
  useTitle();
  if (access === 'needed') return <LoginPage />;
  return <Layout />;
}

function Layout() {
  const workspace = useWorkspace();
  const isSmall = useMediaQuery(SMALL_SCREEN);
  const sidebarOpen = useWorkspaceState((state) => state.preferences.sidebarOpen);
  const drawerOpen = useWorkspaceState((state) => state.drawerOpen);
  const isListShown = isSmall ? drawerOpen : sidebarOpen;
  return (
    <div className={isListShown ? 'workspace has-list' : 'workspace'}>
      {isListShown && <Sidebar />}
      {isSmall && drawerOpen && (
        <button
          type="button"
          className="drawer-shade"
          aria-label="Hide the session list"
          onClick={() => workspace.toggleSidebar(true)}
        />
      )}
      <div className="centre">
        <Dock />
        <StatusBar />
      </div>
      <Questions />
      <Notices />
      <Dialogs />
      <ContextMenu />
    </div>
  );
}

function Questions() {
  const workspace = useWorkspace();
  const questions = useWorkspaceState((state) => state.questions);
  const sessions = useWorkspaceState((state) => state.sessions);
  return (
    <QuestionList
      questions={questions}
      nameOf={(id) => {
        const session = sessions.get(id);
        return session === undefined ? undefined : sessionLabel(session);
      }}
      answer={async (question, confirmed) => {
        await workspace.questions.answer(question, confirmed);
        // The button that had the keyboard is gone.
        if (document.activeElement === document.body) workspace.arrangement.focus();
      }}
    >
      <ChoiceCards />
    </QuestionList>
  );
}

function useTheme(): void {
  const theme = useWorkspaceState(themeInForce);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
}

function useTitle(): void {
  const label = useWorkspaceState((state) => {
    const { active } = state.tabs;
    if (active === undefined) return undefined;
    const session = state.sessions.get(active);
    const tab = state.agentTabs.get(active);
    return session !== undefined ? sessionLabel(session) : tab && tabLabel(tab);
  });
  const waiting = useWorkspaceState((state) => waitingCount(state.sessions.values(), state.questions));
  useEffect(() => {
    const page = label === undefined ? 'TUICommander' : `${label} – TUICommander`;
    document.title = waiting === 0 ? page : `(${waiting}) ${page}`;
  }, [label, waiting]);
}
