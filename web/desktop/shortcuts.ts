/**
 * The workspace's keys. All are Ctrl+Shift with one more: programs in terminals cannot tell those apart from Ctrl alone and
 * hence do not use them, and browsers leave these to the page. Found by the place of the key, so they work on any layout.
 */
import type { Workspace } from '../shared/workspace.ts';

export interface Shortcut {
  /** KeyboardEvent.code. */
  code: string;
  keys: string;
  label: string;
  run(workspace: Workspace): void;
}

export interface ShortcutActions {
  focusList(): void;
  toggleSidebar(): void;
}

export function createShortcuts(actions: ShortcutActions): readonly Shortcut[] {
  const onActive = (workspace: Workspace, act: (id: string) => void) => {
    const { active } = workspace.store.getState().tabs;
    if (active !== undefined) act(active);
  };
  return [
    { code: 'Enter', keys: 'Enter', label: 'New terminal', run: (workspace) => void workspace.createTerminal() },
    {
      code: 'KeyX',
      keys: 'X',
      label: 'Close terminal',
      run: (workspace) => onActive(workspace, (id) => void workspace.requestClose(id)),
    },
    {
      code: 'KeyE',
      keys: 'E',
      label: 'Rename terminal',
      run: (workspace) => onActive(workspace, (id) => workspace.beginRename(id, 'tab')),
    },
    {
      code: 'KeyD',
      keys: 'D',
      label: 'New terminal to the right',
      run: (workspace) => workspace.splitTerminal('right'),
    },
    { code: 'KeyS', keys: 'S', label: 'New terminal below', run: (workspace) => workspace.splitTerminal('down') },
    { code: 'KeyO', keys: 'O', label: 'Next pane', run: (workspace) => workspace.arrangement.stepPane(1) },
    {
      code: 'KeyM',
      keys: 'M',
      label: 'Move tab to the next pane',
      run: (workspace) => workspace.arrangement.carryTab(),
    },
    { code: 'ArrowRight', keys: '→', label: 'Next tab', run: (workspace) => workspace.arrangement.stepTab(1) },
    { code: 'ArrowLeft', keys: '←', label: 'Previous tab', run: (workspace) => workspace.arrangement.stepTab(-1) },
    { code: 'ArrowUp', keys: '↑', label: 'Go to the session list', run: () => actions.focusList() },
    { code: 'ArrowDown', keys: '↓', label: 'Go to the terminal', run: (workspace) => workspace.stage.focus() },
    { code: 'KeyB', keys: 'B', label: 'Show or hide the session list', run: () => actions.toggleSidebar() },
    { code: 'Slash', keys: '/', label: 'Show this list', run: (workspace) => workspace.openDialog('shortcuts') },
  ];
}

/** Keys that are not commands but belong on the list. */
export const OTHER_KEYS: readonly { keys: string; label: string }[] = [
  { keys: '1 … 9', label: 'Go to a tab by its place' },
  { keys: 'C', label: 'Copy what is selected' },
  { keys: 'V', label: 'Paste' },
];

function isChord(event: KeyboardEvent): boolean {
  return event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey;
}

export function isWorkspaceKey(shortcuts: readonly Shortcut[], event: KeyboardEvent): boolean {
  if (!isChord(event)) return false;
  return /^Digit[1-9]$/.test(event.code) || shortcuts.some((shortcut) => shortcut.code === event.code);
}

/** Runs what a key stands for. True when it was one. */
export function handleKey(workspace: Workspace, shortcuts: readonly Shortcut[], event: KeyboardEvent): boolean {
  if (event.key === 'Escape' && event.type === 'keydown' && workspace.store.getState().drawerOpen) {
    workspace.toggleSidebar(true);
    workspace.stage.focus();
    return true;
  }
  if (event.type !== 'keydown' || !isWorkspaceKey(shortcuts, event)) return false;
  event.preventDefault();
  event.stopPropagation();
  if (event.repeat && !event.code.startsWith('Arrow')) return true;
  // A question that is open is answered first.
  if (workspace.store.getState().dialog !== undefined) return true;
  if (event.code.startsWith('Digit')) workspace.arrangement.showAt(Number(event.code.slice(5)) - 1);
  else shortcuts.find((shortcut) => shortcut.code === event.code)?.run(workspace);
  return true;
}
