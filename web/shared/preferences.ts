/** What this browser remembers: looks in local storage, the arrangement also in the storage of this one window. */
import { TERMINAL_THEME_NAMES, type TerminalThemeChoice, type ThemeName } from '../terminal/palettes.ts';
import { type Layout, parseLayout } from './layout.ts';

export type ThemeChoice = 'system' | ThemeName;
export type CursorStyle = 'block' | 'bar' | 'underline';
export type RendererChoice = 'auto' | 'dom';

export interface Preferences {
  theme: ThemeChoice;
  terminalTheme: TerminalThemeChoice;
  /** Name of a font family; empty for the usual ones. */
  fontFamily: string;
  cursorStyle: CursorStyle;
  cursorBlink: boolean;
  fontSize: number;
  renderer: RendererChoice;
  screenReader: boolean;
  sidebarOpen: boolean;
  /** Asks before several lines are pasted into a program that would run them. */
  confirmPaste: boolean;
  /** The browser shows notices of agents while the person looks elsewhere. */
  browserNotices: boolean;
}

export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  terminalTheme: 'match',
  fontFamily: '',
  cursorStyle: 'block',
  cursorBlink: true,
  fontSize: 14,
  renderer: 'auto',
  screenReader: false,
  sidebarOpen: true,
  confirmPaste: true,
  browserNotices: false,
};

export const FONT_SIZES = { least: 9, most: 28 } as const;

export const THEME_CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark', 'contrast'];
export const CURSOR_STYLES: readonly CursorStyle[] = ['block', 'bar', 'underline'];

export const PREFERENCES_KEY = 'tuicommander.preferences';
const LAYOUT_KEY = 'tuicommander.layout';

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
  const { fontSize, fontFamily, renderer, screenReader, sidebarOpen, cursorBlink, confirmPaste } = stored;
  return {
    theme: oneOf(THEME_CHOICES, stored.theme, DEFAULT_PREFERENCES.theme),
    terminalTheme: oneOf([...TERMINAL_THEME_NAMES, 'match'], stored.terminalTheme, DEFAULT_PREFERENCES.terminalTheme),
    fontFamily: typeof fontFamily === 'string' ? cleanFontFamily(fontFamily) : DEFAULT_PREFERENCES.fontFamily,
    cursorStyle: oneOf(CURSOR_STYLES, stored.cursorStyle, DEFAULT_PREFERENCES.cursorStyle),
    cursorBlink: cursorBlink !== false,
    fontSize: typeof fontSize === 'number' ? limitFontSize(fontSize) : DEFAULT_PREFERENCES.fontSize,
    renderer: renderer === 'dom' ? 'dom' : 'auto',
    screenReader: screenReader === true,
    sidebarOpen: sidebarOpen !== false,
    confirmPaste: confirmPaste !== false,
    browserNotices: stored.browserNotices === true,
  };
}

function oneOf<T>(choices: readonly T[], value: unknown, fallback: T): T {
  return choices.find((choice) => choice === value) ?? fallback;
}

/** What may stand between quotes in a list of fonts; a name never ends its quotes or the list. */
export function cleanFontFamily(name: string): string {
  return name
    .replace(/[^\p{L}\p{N} ._-]/gu, '')
    .slice(0, 60)
    .trim();
}

export function limitFontSize(size: number): number {
  if (!Number.isFinite(size)) return DEFAULT_PREFERENCES.fontSize;
  return Math.min(FONT_SIZES.most, Math.max(FONT_SIZES.least, Math.round(size)));
}

export function writePreferences(memory: Memory, preferences: Preferences): void {
  memory.write(PREFERENCES_KEY, JSON.stringify(preferences));
}

/** Undefined when this window has not been here before. */
export function readLayout(memory: Memory): Layout | undefined {
  return parseLayout(parseObject(memory.read(LAYOUT_KEY)));
}

export function writeLayout(memory: Memory, layout: Layout): void {
  memory.write(LAYOUT_KEY, JSON.stringify(layout));
}

export function parseObject(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
