/** What a terminal on screen tells, asks and can be told about its looks. */
import type { ITerminalOptions } from '@xterm/xterm';
import type { StreamEnd, StreamState } from '../../src/client/index.ts';
import type { TerminalTheme } from './palettes.ts';
import type { PasteEvents } from './paste-sender.ts';
import type { RendererChoice } from './renderer.ts';
import type { LinkTarget, ResolvedTarget } from './terminal-links.ts';

const FONTS =
  'ui-monospace, "SF Mono", Menlo, "Cascadia Mono", "JetBrains Mono", "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace';

export interface TerminalStatus {
  connection: StreamState['kind'];
  /** Epoch milliseconds of the next attempt while reconnecting. */
  retryAt: number | undefined;
  rows: number;
  cols: number;
  /** The size is another viewer's, not the one that fits here. */
  followsOther: boolean;
  /** Bytes that no view has any more. */
  lostBytes: number;
}

export interface TerminalAppearance {
  theme: TerminalTheme;
  isHighContrast: boolean;
  /** Empty for the usual fonts. */
  fontFamily: string;
  cursorStyle: 'block' | 'bar' | 'underline';
  cursorBlink: boolean;
  fontSize: number;
  screenReader: boolean;
  renderer: RendererChoice;
  reducedMotion: boolean;
}

export interface TerminalViewEvents extends PasteEvents {
  status(status: TerminalStatus): void;
  ended(end: StreamEnd): void;
  /** A person pressed Enter, alone or with a text. */
  entered(): void;
  /** Something typed or pasted was not sent. */
  inputRefused(reason: 'not connected' | 'ended'): void;
  /** A person pasted; `offerPaste` goes on with it. */
  pasted(text: string): void;
  /** What a written path names on the server's machine; undefined when it is nothing. */
  resolvePath(written: string): Promise<ResolvedTarget | undefined>;
  linkFollowed(target: LinkTarget): void;
  linkPointed(target: LinkTarget | undefined): void;
  /** True takes the key away from the terminal. */
  isWorkspaceKey(event: KeyboardEvent): boolean;
}

/** Options of xterm.js that may change while it is on the page. */
export function optionsOf(appearance: TerminalAppearance): ITerminalOptions {
  return {
    cursorBlink: appearance.cursorBlink && !appearance.reducedMotion,
    cursorStyle: appearance.cursorStyle,
    fontFamily: appearance.fontFamily === '' ? FONTS : `"${appearance.fontFamily}", ${FONTS}`,
    minimumContrastRatio: appearance.isHighContrast ? 7 : 4.5,
    screenReaderMode: appearance.screenReader,
    theme: appearance.theme.colours,
  };
}
