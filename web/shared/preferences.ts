/** What this browser remembers: looks in local storage, open tabs in the storage of this one window. */
export type ThemeChoice = 'system' | 'dark' | 'light';
export type RendererChoice = 'auto' | 'dom';

export interface Preferences {
  theme: ThemeChoice;
  fontSize: number;
  renderer: RendererChoice;
  screenReader: boolean;
  sidebarOpen: boolean;
}

export interface RememberedTabs {
  tabs: string[];
  active: string | undefined;
}

export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  fontSize: 14,
  renderer: 'auto',
  screenReader: false,
  sidebarOpen: true,
};

export const FONT_SIZES = { least: 9, most: 28 } as const;

const PREFERENCES_KEY = 'tuicommander.preferences';
const TABS_KEY = 'tuicommander.tabs';

/** Reads and writes text by key. Browsers may block storage; then nothing is remembered and nothing fails. */
export interface Memory {
  read(key: string): string | undefined;
  write(key: string, text: string): void;
}

export function createMemory(open: () => Storage): Memory {
  return {
    read: (key) => tolerateBlocked(() => open().getItem(key) ?? undefined),
    write: (key, text) => tolerateBlocked(() => open().setItem(key, text)),
  };
}

function tolerateBlocked<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    // SecurityError when storage is blocked, QuotaExceededError when it is full.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

export function readPreferences(memory: Memory): Preferences {
  const stored = parseObject(memory.read(PREFERENCES_KEY));
  const { theme, fontSize, renderer, screenReader, sidebarOpen } = stored;
  return {
    theme: theme === 'dark' || theme === 'light' ? theme : DEFAULT_PREFERENCES.theme,
    fontSize: typeof fontSize === 'number' ? limitFontSize(fontSize) : DEFAULT_PREFERENCES.fontSize,
    renderer: renderer === 'dom' ? 'dom' : 'auto',
    screenReader: screenReader === true,
    sidebarOpen: sidebarOpen !== false,
  };
}

export function limitFontSize(size: number): number {
  if (!Number.isFinite(size)) return DEFAULT_PREFERENCES.fontSize;
  return Math.min(FONT_SIZES.most, Math.max(FONT_SIZES.least, Math.round(size)));
}

export function writePreferences(memory: Memory, preferences: Preferences): void {
  memory.write(PREFERENCES_KEY, JSON.stringify(preferences));
}

/** Undefined when this window has not been here before. */
export function readTabs(memory: Memory): RememberedTabs | undefined {
  const text = memory.read(TABS_KEY);
  if (text === undefined) return undefined;
  const { tabs, active } = parseObject(text);
  if (!Array.isArray(tabs)) return undefined;
  return {
    tabs: [...new Set(tabs.filter((id): id is string => typeof id === 'string'))],
    active: typeof active === 'string' ? active : undefined,
  };
}

export function writeTabs(memory: Memory, tabs: RememberedTabs): void {
  memory.write(TABS_KEY, JSON.stringify(tabs));
}

function parseObject(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
