/** Everything a terminal knows beside its cells, as plain data. */

export interface PrivateModes {
  applicationCursorKeys: boolean;
  applicationKeypad: boolean;
  bracketedPasteMode: boolean;
  cursorBlink: boolean | undefined;
  cursorStyle: 'block' | 'underline' | 'bar' | undefined;
  origin: boolean;
  reverseWraparound: boolean;
  sendFocus: boolean;
  synchronizedOutput: boolean;
  wraparound: boolean;
}

export interface Link {
  /** The program's own id, joins parts of one link. */
  name: string;
  uri: string;
}

export type BufferName = 'normal' | 'alternate';

export interface BufferState {
  x: number;
  y: number;
  /** Rows above the screen. */
  base: number;
  savedX: number;
  /** Row of the saved cursor, counted from the oldest row kept. */
  savedY: number;
  savedFg: number;
  savedBg: number;
  savedCharset: string;
  top: number;
  bottom: number;
  tabs: number[];
}

/** Everything but the cells. */
export interface TerminalState {
  cols: number;
  rows: number;
  alternate: boolean;
  buffers: Record<BufferName, BufferState>;
  fg: number;
  bg: number;
  ext: number;
  link: number;
  /** Not 0 while the last thing done was printing: a combining mark joins that cell. */
  join: number;
  charsets: string[];
  glevel: number;
  charset: string;
  insert: boolean;
  modes: PrivateModes;
  cursorHidden: boolean;
  blinkOption: boolean;
  convertEol: boolean;
  mouseProtocol: string;
  mouseEncoding: string;
  links: [number, Link][];
  nextLink: number;
  colors: [number, string][];
}
