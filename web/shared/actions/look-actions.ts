/** How it looks. */
import type { Action, ActionContext } from '../action-table.ts';
import { DEFAULT_PREFERENCES, THEME_CHOICES, type ThemeChoice } from '../preferences.ts';

const ZOOM: readonly Action[] = [
  {
    id: 'zoom.in',
    title: 'Larger text',
    group: 'Look',
    chords: [
      { key: '+', label: '+' },
      { key: '=', label: '=' },
    ],
    words: 'zoom in bigger font size',
    repeats: true,
    run: ({ workspace }) => zoom(workspace, 1),
  },
  {
    id: 'zoom.out',
    title: 'Smaller text',
    group: 'Look',
    chords: [{ key: '-', label: '−' }],
    words: 'zoom out font size',
    repeats: true,
    run: ({ workspace }) => zoom(workspace, -1),
  },
  {
    id: 'zoom.reset',
    title: 'Text in its usual size',
    group: 'Look',
    chords: [{ key: '0', label: '0' }],
    words: 'zoom reset font size',
    run: ({ workspace }) => workspace.setPreferences({ fontSize: DEFAULT_PREFERENCES.fontSize }),
  },
];

function zoom(workspace: ActionContext['workspace'], by: number): void {
  workspace.setPreferences({ fontSize: workspace.store.getState().preferences.fontSize + by });
}

const THEME_TITLES: Readonly<Record<ThemeChoice, string>> = {
  system: 'Theme as the system',
  light: 'Light theme',
  dark: 'Dark theme',
  contrast: 'High-contrast theme',
};

export const LOOK: readonly Action[] = [
  ...ZOOM,
  ...THEME_CHOICES.map(
    (theme): Action => ({
      id: `theme.${theme}`,
      title: THEME_TITLES[theme],
      group: 'Look',
      words: 'colour color scheme appearance',
      isAvailable: (state) => state.preferences.theme !== theme,
      run: ({ workspace }) => workspace.setPreferences({ theme }),
    }),
  ),
];
