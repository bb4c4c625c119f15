import { useEffect } from 'react';
import { sessionLabel } from '../shared/labels.ts';
import { themeInForce } from '../shared/workspace-state.ts';
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
      <Notices />
      <Dialogs />
      <ContextMenu />
    </div>
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
    const session = state.tabs.active === undefined ? undefined : state.sessions.get(state.tabs.active);
    return session === undefined ? undefined : sessionLabel(session);
  });
  useEffect(() => {
    document.title = label === undefined ? 'TUICommander' : `${label} – TUICommander`;
  }, [label]);
}
