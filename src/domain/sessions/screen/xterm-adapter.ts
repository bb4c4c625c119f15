/**
 * The only file that touches the inside of @xterm/headless. package.json pins the version; xterm-adapter.test.ts fails when
 * the version or one of the members used here changes.
 *
 * Owns the terminal object. Promises: write() is synchronous; replies of the library are never sent, only handed out through
 * takeReply(); plain ASCII is put into its rows here, as the library would but several times quicker; four faults of the library are cured here, because a program's output reaches them:
 * - `CSI 1 J` in the last column of the last row throws (it touches a row that is not there);
 * - `CSI n b` after a cell with thousands of combining marks allocates n copies of them;
 * - a resize to fewer rows while the alternate buffer is empty leaves it room for scrollback;
 * - every OSC 8 keeps a marker until its line scrolls off. Links are kept in a bounded table of our own instead.
 */
import { createRequire } from 'node:module';
import { BG_EXTENDED, CODEPOINT_MASK, COMBINED, type RowCells, usedLength, WIDTH_SHIFT } from './cells.ts';
import { COLOR_COMMANDS, ColorTable } from './color-table.ts';
import { LinkTable } from './link-table.ts';
import type { BufferName, BufferState, Link, PrivateModes, TerminalState } from './terminal-state.ts';

const require = createRequire(import.meta.url);
const { Terminal } = require('@xterm/headless') as typeof import('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11') as typeof import('@xterm/addon-unicode11');

export const XTERM_VERSION = '6.0.0';

interface InternalExtended {
  _ext: number;
  _urlId: number;
  clone(): InternalExtended;
}
interface InternalLine {
  _data: Uint32Array;
  _combined: Record<number, string | undefined>;
  _extendedAttrs: Record<number, InternalExtended | undefined>;
  isWrapped: boolean;
  length: number;
}
interface InternalLines {
  length: number;
  maxLength: number;
  trimStart(count: number): void;
  get(index: number): InternalLine | undefined;
  push(line: InternalLine): void;
}
interface InternalAttributes {
  fg: number;
  bg: number;
  extended: InternalExtended;
  updateExtended(): void;
}
type Charset = object | undefined;
interface InternalBuffer {
  lines: InternalLines;
  x: number;
  y: number;
  ybase: number;
  ydisp: number;
  savedX: number;
  savedY: number;
  savedCurAttrData: InternalAttributes;
  savedCharset: Charset;
  scrollTop: number;
  scrollBottom: number;
  tabs: Record<number, boolean | undefined>;
  getBlankLine(attributes: InternalAttributes, isWrapped?: boolean): InternalLine;
}
type Print = (data: Uint32Array, start: number, end: number) => void;
interface InternalCore {
  _bufferService: {
    buffers: { normal: InternalBuffer; alt: InternalBuffer; active: InternalBuffer; activateAltBuffer(): void };
    scroll(eraseAttributes: InternalAttributes, isWrapped?: boolean): void;
  };
  _charsetService: { charset: Charset; glevel: number; _charsets: Charset[] };
  coreService: {
    isCursorHidden: boolean;
    modes: { insertMode: boolean };
    decPrivateModes: PrivateModes;
  };
  coreMouseService: { activeProtocol: string; activeEncoding: string };
  unicodeService: { wcwidth(codePoint: number): number; charProperties(codePoint: number, preceding: number): number };
  optionsService: { rawOptions: { scrollback: number } };
  _inputHandler: {
    parse(data: Uint8Array): unknown;
    _curAttrData: InternalAttributes;
    _parser: { precedingJoinState: number; currentState: number; _printHandler: Print; reset(): void };
    _utf8Decoder: { interim: Uint8Array };
    _eraseAttrData(): InternalAttributes;
    lineFeed(): boolean;
    _resetBufferLine(row: number, respectProtect: boolean): void;
  };
}

export interface AdapterEvents {
  /**
   * The normal buffer scrolled: a row entered the scrollback, or may have (a region below the first row keeps it). With
   * `trimmed` the oldest row was dropped for it. Nothing else drops rows but clearing and trimTop.
   */
  scrolled(trimmed: boolean): void;
  /** The program is about to empty the scrollback of the normal buffer, or to reset all. Rows are still there. */
  clearing(): void;
  /**
   * The rows above the cursor leave now, and behind them `count` rows of plain text that never stand in a cell: row `n` is
   * [bounds[2n], bounds[2n+1]) of `bytes`, and continues the one before when it begins where that one ends. The row of the
   * cursor is blank, and all other rows are written over before this call of passLines ends. False: not now.
   */
  passing(bytes: Uint8Array, bounds: Uint32Array, count: number): boolean;
}

/** Longer string sequences have no effect (the filter looks at no more either). */
const STRING_MAX = 4_096;
const COMBINED_MAX = 256;
/** State of the library's parser between sequences. */
const GROUND = 0;
/** A cell of width 1, without its code point. */
const NARROW = 1 << WIDTH_SHIFT;
const REPEAT_UNITS = 65_536;
/** Fewer bytes than this hardly hold rows that pass. */
export const PASS_MIN = 8_192;
/** Bounds of the rows that may pass; shared, since passLines is done with them when it returns. */
const passBounds = new Uint32Array(65_536);

/** Row of the grid; reused by the next call of rowAt. */
class RowView implements RowCells {
  #line: InternalLine;

  constructor(line: InternalLine) {
    this.#line = line;
  }

  point(line: InternalLine): this {
    this.#line = line;
    return this;
  }

  get words(): Uint32Array {
    return this.#line._data;
  }

  get length(): number {
    return this.#line.length;
  }

  get isWrapped(): boolean {
    return this.#line.isWrapped;
  }

  combined(column: number): string {
    return this.#line._combined[column] ?? ' ';
  }

  extended(column: number): number {
    return this.#line._extendedAttrs[column]?._ext ?? 0;
  }

  link(column: number): number {
    return this.#line._extendedAttrs[column]?._urlId ?? 0;
  }
}

const CHARSET_FLAGS = ['0', 'A', '4', 'C', '5', 'R', 'f', 'Q', 'K', 'Y', 'E', '6', 'Z', 'H', '7', '='];
const ASCII_FLAG = 'B';
let charsetByFlag: Map<string, Charset> | undefined;
let flagByCharset: Map<Charset, string> | undefined;

/** The library keeps its tables to itself: ask a terminal for each once. */
function learnCharsets(): { byFlag: Map<string, Charset>; byCharset: Map<Charset, string> } {
  if (charsetByFlag === undefined || flagByCharset === undefined) {
    const probe = new Terminal({ cols: 2, rows: 1, scrollback: 0, allowProposedApi: true, logLevel: 'off' });
    const core = coreOf(probe);
    const byFlag = new Map<string, Charset>();
    const byCharset = new Map<Charset, string>();
    for (const flag of CHARSET_FLAGS) {
      core._inputHandler.parse(Buffer.from(`\x1b(${flag}`, 'latin1'));
      const charset = core._charsetService._charsets[0];
      byFlag.set(flag, charset);
      if (charset !== undefined && !byCharset.has(charset)) byCharset.set(charset, flag);
    }
    probe.dispose();
    charsetByFlag = byFlag;
    flagByCharset = byCharset;
  }
  return { byFlag: charsetByFlag, byCharset: flagByCharset };
}

function flagOf(charset: Charset): string {
  return charset === undefined ? ASCII_FLAG : (learnCharsets().byCharset.get(charset) ?? ASCII_FLAG);
}

function charsetOf(flag: string): Charset {
  return flag === ASCII_FLAG ? undefined : learnCharsets().byFlag.get(flag);
}

function coreOf(terminal: InstanceType<typeof Terminal>): InternalCore {
  return (terminal as unknown as { _core: InternalCore })._core;
}

export class XtermAdapter {
  readonly #terminal: InstanceType<typeof Terminal>;
  readonly #core: InternalCore;
  readonly #events: AdapterEvents;
  readonly #view: RowView;
  readonly #nextView: RowView;
  readonly #links = new LinkTable(() => this.#linksInUse());
  readonly #colors = new ColorTable();
  /** What the library remembers of an ASCII character, for marks that may follow it. */
  readonly #asciiJoinState: number;
  #reply = '';

  constructor(cols: number, rows: number, scrollback: number, events: AdapterEvents) {
    this.#events = events;
    this.#terminal = new Terminal({
      cols,
      rows,
      scrollback,
      allowProposedApi: true,
      logLevel: 'off',
      windowOptions: { getWinSizeChars: true },
    });
    this.#terminal.loadAddon(new Unicode11Addon() as unknown as import('@xterm/headless').ITerminalAddon);
    this.#terminal.unicode.activeVersion = '11';
    this.#core = coreOf(this.#terminal);
    const first = this.#line(this.#buffer('normal').lines, 0);
    this.#view = new RowView(first);
    this.#nextView = new RowView(first);
    this.#asciiJoinState = this.#core.unicodeService.charProperties(0x20, 0);
    this.#hookScroll();
    this.#hookPrint();
    this.#terminal.onData((data) => {
      this.#reply += data;
    });
    this.#hookParser();
  }

  get cols(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  get hasApplicationCursorKeys(): boolean {
    // The public `modes` builds an object of all modes at each reading, and this is part of every list.
    return this.#core.coreService.decPrivateModes.applicationCursorKeys;
  }

  get isAlternate(): boolean {
    const buffers = this.#core._bufferService.buffers;
    return buffers.active === buffers.alt;
  }

  /** Rows of the normal buffer above its screen. */
  get scrollbackRows(): number {
    return this.#core._bufferService.buffers.normal.ybase;
  }

  /** Row of the normal buffer's cursor, from the top of its screen. */
  get normalCursorRow(): number {
    return this.#core._bufferService.buffers.normal.y;
  }

  /** The normal buffer is at its maximum: the next scrolled line drops the oldest row. */
  get isFull(): boolean {
    const lines = this.#buffer('normal').lines;
    return lines.length === lines.maxLength;
  }

  readonly measure = (codePoint: number): number => this.#core.unicodeService.wcwidth(codePoint);

  write(bytes: Uint8Array): void {
    const plain = this.#writeLines(bytes);
    if (plain === bytes.length) return;
    this.#core._inputHandler.parse(plain === 0 ? bytes : bytes.subarray(plain));
    this.#boundCombining();
  }

  /** What the library itself answered since the last call. */
  takeReply(): string {
    const reply = this.#reply;
    this.#reply = '';
    return reply;
  }

  /** Forgets a sequence in the middle; the screen stays. */
  resetParser(): void {
    this.#core._inputHandler._parser.reset();
  }

  /**
   * Resizes with room for `capacity` rows above the screen, so that rewrapping drops nothing; trimTop follows. The option is
   * changed without its event, which would move the cursor.
   */
  resize(cols: number, rows: number, capacity: number): void {
    this.#core.optionsService.rawOptions.scrollback = capacity;
    this.#terminal.resize(cols, rows);
    const alternate = this.#buffer('alternate').lines;
    if (alternate.length <= rows) alternate.maxLength = rows;
  }

  /** Drops the oldest rows of the normal buffer beyond `scrollback`, tells how many, and goes back to that capacity. */
  trimTop(scrollback: number): number {
    const buffer = this.#buffer('normal');
    this.#core.optionsService.rawOptions.scrollback = scrollback;
    const surplus = buffer.lines.length - this.rows - scrollback;
    if (surplus > 0) {
      buffer.lines.trimStart(surplus);
      buffer.ybase = Math.max(buffer.ybase - surplus, 0);
      buffer.ydisp = buffer.ybase;
      buffer.savedY = Math.max(buffer.savedY - surplus, 0);
    }
    buffer.lines.maxLength = this.rows + scrollback;
    return Math.max(surplus, 0);
  }

  rowCount(name: BufferName): number {
    return this.#buffer(name).lines.length;
  }

  /** Row `index` counted from the oldest row kept. Valid until the next call. */
  rowAt(name: BufferName, index: number): RowCells {
    return this.#view.point(this.#line(this.#buffer(name).lines, index));
  }

  /** The same with a view of its own, for looking one row ahead. */
  nextRowAt(name: BufferName, index: number): RowCells | undefined {
    const line = index < this.#buffer(name).lines.length ? this.#buffer(name).lines.get(index) : undefined;
    return line === undefined ? undefined : this.#nextView.point(line);
  }

  linkOf(number: number): Link | undefined {
    return this.#links.get(number);
  }

  /** Screen position of the cursor; `x` equals `cols` while a wrap is pending. */
  cursor(): { x: number; y: number } {
    const { x, y } = this.#core._bufferService.buffers.active;
    return { x, y };
  }

  state(): TerminalState {
    const core = this.#core;
    const attributes = core._inputHandler._curAttrData;
    const charsets = core._charsetService;
    return {
      cols: this.cols,
      rows: this.rows,
      alternate: this.isAlternate,
      buffers: { normal: bufferState(this.#buffer('normal')), alternate: bufferState(this.#buffer('alternate')) },
      fg: attributes.fg >>> 0,
      bg: attributes.bg >>> 0,
      ext: attributes.extended._ext >>> 0,
      link: attributes.extended._urlId,
      join: core._inputHandler._parser.precedingJoinState,
      charsets: [0, 1, 2, 3].map((level) => flagOf(charsets._charsets[level])),
      glevel: charsets.glevel,
      charset: flagOf(charsets.charset),
      insert: core.coreService.modes.insertMode,
      modes: { ...core.coreService.decPrivateModes },
      cursorHidden: core.coreService.isCursorHidden,
      blinkOption: this.#terminal.options.cursorBlink ?? false,
      convertEol: this.#terminal.options.convertEol ?? false,
      mouseProtocol: core.coreMouseService.activeProtocol,
      mouseEncoding: core.coreMouseService.activeEncoding,
      links: this.#links.entries(),
      nextLink: this.#links.next,
      colors: this.#colors.entries(),
    };
  }

  /** Puts a fresh terminal of the same size into a stored state. Rows are added afterwards by restoreRow, oldest first. */
  restore(state: TerminalState): void {
    const core = this.#core;
    this.#links.restore(state.links, state.nextLink);
    this.#colors.restore(state.colors);
    const buffers = core._bufferService.buffers;
    if (state.alternate) buffers.activateAltBuffer();
    buffers.normal.lines.length = 0;
    buffers.alt.lines.length = 0;
    restoreBuffer(buffers.normal, state.buffers.normal);
    restoreBuffer(buffers.alt, state.buffers.alternate);
    const attributes = core._inputHandler._curAttrData;
    attributes.fg = state.fg;
    attributes.bg = state.bg;
    attributes.extended = this.#extended(state.ext, state.link);
    core._inputHandler._parser.precedingJoinState = state.join;
    core._charsetService._charsets = state.charsets.map(charsetOf);
    core._charsetService.glevel = state.glevel;
    core._charsetService.charset = charsetOf(state.charset);
    core.coreService.modes.insertMode = state.insert;
    Object.assign(core.coreService.decPrivateModes, state.modes);
    core.coreService.isCursorHidden = state.cursorHidden;
    this.#terminal.options.cursorBlink = state.blinkOption;
    this.#terminal.options.convertEol = state.convertEol;
    core.coreMouseService.activeProtocol = state.mouseProtocol;
    core.coreMouseService.activeEncoding = state.mouseEncoding;
  }

  /** Appends a row and returns the setter of its cells. */
  restoreRow(name: BufferName, isWrapped: boolean): RestoringRow {
    const buffer = this.#buffer(name);
    const line = buffer.getBlankLine(this.#blank(), isWrapped);
    buffer.lines.push(line);
    return new RestoringRow(line, (ext, link) => this.#extended(ext, link));
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #blank(): InternalAttributes {
    const extended = this.#extended(0, 0);
    return { fg: 0, bg: 0, extended, updateExtended: () => undefined };
  }

  #extended(ext: number, link: number): InternalExtended {
    const extended = this.#core._inputHandler._curAttrData.extended.clone();
    extended._ext = ext | 0;
    extended._urlId = link;
    return extended;
  }

  #buffer(name: BufferName): InternalBuffer {
    const buffers = this.#core._bufferService.buffers;
    return name === 'normal' ? buffers.normal : buffers.alt;
  }

  #line(lines: InternalLines, index: number): InternalLine {
    const line = lines.get(index);
    if (line === undefined) throw new RangeError(`no row ${index} of ${lines.length}`);
    return line;
  }

  /** Around the one method all scrolling goes through: its events cost more than the scrolling. */
  #hookScroll(): void {
    const service = this.#core._bufferService;
    const scroll = service.scroll.bind(service);
    service.scroll = (attributes, isWrapped) => {
      const { active, normal } = service.buffers;
      if (active !== normal) {
        scroll(attributes, isWrapped);
        return;
      }
      const trims = normal.scrollTop === 0 && normal.lines.length === normal.lines.maxLength;
      scroll(attributes, isWrapped);
      this.#events.scrolled(trims);
    };
  }

  /** In a terminal with room the saved cursor stays with its row; keep that when the oldest row is dropped instead. */
  shiftSavedCursor(): void {
    const buffer = this.#core._bufferService.buffers.normal;
    if (buffer.savedY > 0) buffer.savedY--;
  }

  /** Writes the plain ASCII with its line ends that the bytes begin with; returns how many these were. */
  #writeLines(bytes: Uint8Array): number {
    const { _inputHandler: handler, _bufferService: service } = this.#core;
    if (handler._parser.currentState !== GROUND || handler._utf8Decoder.interim[0] !== 0 || !this.#mayPut()) return 0;
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (byte === 0x0a) handler.lineFeed();
      else if (byte === 0x0d) service.buffers.active.x = 0;
      else {
        const end = plainEnd(bytes, at, bytes.length);
        if (end === at) return at;
        if (!this.#put(bytes, at, end)) return at;
        at = end;
        continue;
      }
      handler._parser.precedingJoinState = 0;
      at++;
    }
    return at;
  }

  /**
   * Writes the lines of plain ASCII that the bytes begin with, when they are so many that the first ones leave the screen and
   * the rows above it while the last ones come: the first ones go straight to where rows go that leave. Returns how many bytes
   * were written; 0, and nothing is done, where that does not apply.
   */
  passLines(bytes: Uint8Array): number {
    if (bytes.length < PASS_MIN || !this.#mayPass()) return 0;
    const buffer = this.#buffer('normal');
    const begun = buffer.x > 0 ? lineEnd(bytes, 0) : 0;
    if (begun < 0) return 0;
    // The rest of a line that a piece of output before this one began.
    const written = this.#writeLines(bytes.subarray(0, begun));
    if (written < begun || !this.#isAtBlankRow()) return written;
    const cols = this.cols;
    let at = begun;
    let rows = 0;
    for (const most = passBounds.length >>> 1; ; ) {
      const next = lineEnd(bytes, at);
      if (next < 0 || rows + (next - at) / cols + 1 > most) break;
      const end = next - 2;
      let start = at;
      do {
        const rowEnd = Math.min(start + cols, end);
        passBounds[rows * 2] = start;
        passBounds[rows * 2 + 1] = rowEnd;
        rows++;
        start = rowEnd;
      } while (start < end);
      at = next;
    }
    // Those that are written push out all that stands there now.
    let passed = rows - buffer.lines.maxLength;
    // Only whole lines pass.
    while (passed > 0 && passBounds[passed * 2] === passBounds[passed * 2 - 1]) passed--;
    if (passed <= 0 || !this.#events.passing(bytes, passBounds, passed)) return begun;
    buffer.savedY = Math.max(0, buffer.savedY - passed);
    const rest = passBounds[passed * 2] ?? 0;
    return rest + this.#writeLines(bytes.subarray(rest, at));
  }

  /** Each line feed drops the oldest row of the normal buffer, and characters are plain ones. */
  #mayPass(): boolean {
    const { _inputHandler: handler, _bufferService: service } = this.#core;
    const { active, normal } = service.buffers;
    const { fg, bg } = handler._curAttrData;
    return (
      active === normal &&
      this.isFull &&
      normal.y === this.rows - 1 &&
      normal.scrollTop === 0 &&
      normal.scrollBottom === this.rows - 1 &&
      fg === 0 &&
      bg === 0 &&
      handler._parser.currentState === GROUND &&
      handler._utf8Decoder.interim[0] === 0 &&
      this.#mayPut()
    );
  }

  #isAtBlankRow(): boolean {
    const { x, y, ybase } = this.#buffer('normal');
    if (x !== 0 || y !== this.rows - 1) return false;
    const row = this.rowAt('normal', ybase + y);
    return !row.isWrapped && usedLength(row) === 0;
  }

  /** Of what the library prints, plain ASCII goes the short way. */
  #hookPrint(): void {
    const parser = this.#core._inputHandler._parser;
    const print = parser._printHandler;
    parser._printHandler = (data, start, end) => {
      const plain = plainEnd(data, start, end);
      const rest = plain > start && this.#mayPut() && this.#put(data, start, plain) ? plain : start;
      if (rest < end) print(data, rest, end);
    };
  }

  /** A character of ASCII takes one cell and changes no other. */
  #mayPut(): boolean {
    const { _charsetService, coreService, _inputHandler: handler } = this.#core;
    return (
      _charsetService.charset === undefined &&
      !coreService.modes.insertMode &&
      coreService.decPrivateModes.wraparound &&
      (handler._curAttrData.bg & BG_EXTENDED) === 0
    );
  }

  /** Puts printable ASCII at the cursor, wrapping as needed; false, and nothing done, where it would cut a wide character. */
  #put(codes: ArrayLike<number>, start: number, end: number): boolean {
    const { _bufferService: service, _inputHandler: handler } = this.#core;
    const buffer = service.buffers.active;
    const cols = this.cols;
    const { fg, bg } = handler._curAttrData;
    let line = this.#line(buffer.lines, buffer.ybase + buffer.y);
    if (buffer.x > 0 && (line._data[(buffer.x - 1) * 3] ?? 0) >>> WIDTH_SHIFT === 2) return false;
    let at = start;
    while (at < end) {
      if (buffer.x >= cols) {
        buffer.x = 0;
        if (buffer.y === buffer.scrollBottom) service.scroll(handler._eraseAttrData(), true);
        else {
          buffer.y = Math.min(buffer.y + 1, this.rows - 1);
          this.#line(buffer.lines, buffer.ybase + buffer.y).isWrapped = true;
        }
        line = this.#line(buffer.lines, buffer.ybase + buffer.y);
      }
      const words = line._data;
      const count = Math.min(end - at, cols - buffer.x);
      for (let index = buffer.x * 3, last = at + count; at < last; index += 3) {
        words[index] = NARROW | (codes[at++] ?? 0);
        words[index + 1] = fg;
        words[index + 2] = bg;
      }
      buffer.x += count;
    }
    handler._parser.precedingJoinState = this.#asciiJoinState;
    const next = buffer.x * 3;
    // The second half of a wide character whose first was overwritten.
    if (buffer.x < cols && (line._data[next] ?? 0) >>> WIDTH_SHIFT === 0 && !hasContent(line._data[next] ?? 0)) {
      line._data[next] = NARROW;
      line._data[next + 1] = fg;
      line._data[next + 2] = bg;
    }
    return true;
  }

  #hookParser(): void {
    const parser = this.#terminal.parser;
    const erase = (params: (number | number[])[]): boolean => {
      if (params[0] === 3 && !this.isAlternate) this.#events.clearing();
      return params[0] === 1 && this.#eraseAbove();
    };
    parser.registerCsiHandler({ final: 'J' }, erase);
    parser.registerCsiHandler({ prefix: '?', final: 'J' }, erase);
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#events.clearing();
      this.#colors.clear();
      return false;
    });
    parser.registerCsiHandler({ final: 'b' }, (params) => this.#isHugeRepeat(params[0]));
    for (const code of COLOR_COMMANDS) {
      parser.registerOscHandler(code, (data) => {
        if (data.length <= STRING_MAX) this.#colors.apply(code, data);
        return true;
      });
    }
    parser.registerOscHandler(8, (data) => {
      this.#openLink(data);
      return true;
    });
  }

  /** CSI 1 J where the library would touch the row below the last one: all rows down to the cursor become blank. */
  #eraseAbove(): boolean {
    const buffer = this.#core._bufferService.buffers.active;
    if (buffer.x + 1 < this.cols || buffer.lines.get(buffer.y + 1) !== undefined) return false;
    for (let row = buffer.y; row >= 0; row--) this.#core._inputHandler._resetBufferLine(row, false);
    return true;
  }

  #isHugeRepeat(count: number | number[] | undefined): boolean {
    const text = this.#combinedAtCursor();
    return text !== undefined && text.length * (typeof count === 'number' ? count : 1) > REPEAT_UNITS;
  }

  #combinedAtCursor(): string | undefined {
    const buffer = this.#core._bufferService.buffers.active;
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    for (let column = buffer.x - 1; line !== undefined && column >= 0 && column >= buffer.x - 2; column--) {
      if (((line._data[column * 3] ?? 0) & COMBINED) !== 0) return line._combined[column];
    }
    return undefined;
  }

  /** Marks stacked on the newest cell are cut, since otherwise one cell could take all memory. */
  #boundCombining(): void {
    const core = this.#core;
    if (core._inputHandler._parser.precedingJoinState === 0) return;
    const buffer = core._bufferService.buffers.active;
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    for (let column = buffer.x - 1; line !== undefined && column >= 0 && column >= buffer.x - 2; column--) {
      if (((line._data[column * 3] ?? 0) & COMBINED) === 0) continue;
      const text = line._combined[column];
      if (text !== undefined && text.length > COMBINED_MAX) line._combined[column] = text.slice(0, COMBINED_MAX);
    }
  }

  #openLink(data: string): void {
    const split = data.indexOf(';');
    if (split < 0) return;
    const uri = data.slice(split + 1);
    const name = data
      .slice(0, split)
      .split(':')
      .find((part) => part.startsWith('id='))
      ?.slice(3);
    const attributes = this.#core._inputHandler._curAttrData;
    attributes.extended = attributes.extended.clone();
    attributes.extended._urlId =
      uri === '' || data.length > STRING_MAX ? 0 : this.#links.numberOf({ name: name ?? '', uri });
    attributes.updateExtended();
  }

  #linksInUse(): Set<number> {
    const used = new Set<number>();
    for (const buffer of [this.#buffer('normal'), this.#buffer('alternate')]) {
      for (let index = 0; index < buffer.lines.length; index++) {
        for (const extended of Object.values(buffer.lines.get(index)?._extendedAttrs ?? {})) {
          if (extended !== undefined) used.add(extended._urlId);
        }
      }
    }
    return used;
  }
}

export class RestoringRow {
  readonly #line: InternalLine;
  readonly #extended: (ext: number, link: number) => InternalExtended;

  constructor(line: InternalLine, extended: (ext: number, link: number) => InternalExtended) {
    this.#line = line;
    this.#extended = extended;
  }

  setContent(column: number, text: string, content: number): void {
    if (column >= this.#line.length) return;
    this.#line._data[column * 3] = content;
    if ((content & COMBINED) !== 0) this.#line._combined[column] = text;
  }

  /** Sets the style of [from, to). */
  setStyle(from: number, to: number, fg: number, bg: number, ext: number, link: number): void {
    const end = Math.min(to, this.#line.length);
    const extended = (bg & BG_EXTENDED) !== 0 ? this.#extended(ext, link) : undefined;
    for (let column = from; column < end; column++) {
      this.#line._data[column * 3 + 1] = fg;
      this.#line._data[column * 3 + 2] = bg;
      if (extended !== undefined) this.#line._extendedAttrs[column] = extended;
    }
  }
}

/** End of the printable ASCII that begins at `start`. */
function plainEnd(codes: ArrayLike<number>, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const code = codes[at] ?? 0;
    if (code < 0x20 || code > 0x7e) break;
    at++;
  }
  return at;
}

/** Where the next line begins when this one is printable ASCII with CR LF behind it, else -1. */
function lineEnd(bytes: Uint8Array, start: number): number {
  const end = plainEnd(bytes, start, bytes.length);
  return bytes[end] === 0x0d && bytes[end + 1] === 0x0a ? end + 2 : -1;
}

function hasContent(content: number): boolean {
  return (content & (CODEPOINT_MASK | COMBINED)) !== 0;
}

function bufferState(buffer: InternalBuffer): BufferState {
  return {
    x: buffer.x,
    y: buffer.y,
    base: buffer.ybase,
    savedX: buffer.savedX,
    savedY: buffer.savedY,
    savedFg: buffer.savedCurAttrData.fg >>> 0,
    savedBg: buffer.savedCurAttrData.bg >>> 0,
    savedCharset: flagOf(buffer.savedCharset),
    top: buffer.scrollTop,
    bottom: buffer.scrollBottom,
    tabs: Object.keys(buffer.tabs)
      .map(Number)
      .filter((column) => buffer.tabs[column] === true),
  };
}

function restoreBuffer(buffer: InternalBuffer, state: BufferState): void {
  buffer.x = state.x;
  buffer.y = state.y;
  buffer.ybase = state.base;
  buffer.ydisp = state.base;
  buffer.savedX = state.savedX;
  buffer.savedY = state.savedY;
  buffer.savedCurAttrData.fg = state.savedFg;
  buffer.savedCurAttrData.bg = state.savedBg;
  buffer.savedCharset = charsetOf(state.savedCharset);
  buffer.scrollTop = state.top;
  buffer.scrollBottom = state.bottom;
  buffer.tabs = Object.fromEntries(state.tabs.map((column) => [column, true]));
}
