/** Answers to terminal queries (D10, STM-53). One place decides who this terminal says it is. */

import { COLOR_TEXT } from './color-table.ts';
import type { Query } from './queries.ts';
import { styleCodes } from './style.ts';
import type { TerminalState } from './terminal-state.ts';

/** VT220 class with ANSI colour. */
const PRIMARY = '\x1b[?62;22c';
/** An xterm recent enough for SGR mouse reports; editors decide by it. */
const SECONDARY = '\x1b[>0;276;0c';
const TERTIARY = '\x1bP!|00000000\x1b\\';

/** Default colours, unless the program has set others. Text, ground, cursor. */
const SPECIAL_COLORS = [0xd4d4d4, 0x1e1e1e, 0xd4d4d4];
const BASE_COLORS = [
  0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c, 0x23d18b,
  0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
];
const CUBE = [0, 95, 135, 175, 215, 255];

const CAPABILITIES = new Map([
  ['TN', 'xterm-256color'],
  ['Co', '256'],
  ['colors', '256'],
  ['RGB', '8/8/8'],
]);

export interface AnswerContext {
  state(): TerminalState;
  version: string;
  /** What the library answered itself. */
  reply: string;
}

/** The answer, or an empty string when there is none. */
export function answerQuery(query: Query, context: AnswerContext): string {
  switch (query.kind) {
    case 'primary-attributes':
      return PRIMARY;
    case 'secondary-attributes':
      return SECONDARY;
    case 'tertiary-attributes':
      return TERTIARY;
    case 'status':
      return '\x1b[0n';
    case 'cursor-position':
      return cursorPosition(context.state(), query.isPrivate);
    case 'color-scheme':
      return '\x1b[?997;1n';
    case 'version':
      return `\x1bP>|tuicommander(${context.version})\x1b\\`;
    case 'mode':
      return context.reply;
    case 'setting':
      return query.what === 'm' ? renditionReport(context.state()) : context.reply;
    case 'capability':
      return query.names.map(capability).join('');
    case 'size': {
      const { rows, cols } = context.state();
      return `\x1b[${query.what === 'window' ? 8 : 9};${rows};${cols}t`;
    }
    case 'color':
      return colorReports(query.code, query.data, query.terminator, new Map(context.state().colors));
    case 'program-status':
      return `\x1b]7501;?${query.terminator}`;
    case 'unanswered':
      return '';
  }
}

/** The column is that of the last cell while a wrap is pending; rows count from the region's top in origin mode. */
function cursorPosition(state: TerminalState, isPrivate: boolean): string {
  const buffer = state.buffers[state.alternate ? 'alternate' : 'normal'];
  const row = buffer.y + 1 - (state.modes.origin ? buffer.top : 0);
  const col = Math.min(buffer.x + 1, state.cols);
  return `\x1b[${isPrivate ? '?' : ''}${row};${col}R`;
}

function renditionReport(state: TerminalState): string {
  const codes = styleCodes({ fg: state.fg, bg: state.bg, ext: state.ext, link: 0 });
  return `\x1bP1$r${['0', ...codes].join(';')}m\x1b\\`;
}

function capability(hex: string): string {
  const name = /^([0-9a-f]{2})+$/i.test(hex) ? Buffer.from(hex, 'hex').toString('latin1') : '';
  const value = CAPABILITIES.get(name);
  if (value === undefined) return `\x1bP0+r${/^[0-9a-f]*$/i.test(hex) ? hex : ''}\x1b\\`;
  return `\x1bP1+r${hex}=${Buffer.from(value, 'latin1').toString('hex').toUpperCase()}\x1b\\`;
}

function paletteColor(index: number): number {
  const base = BASE_COLORS[index];
  if (base !== undefined) return base;
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const cube = index - 16;
  const red = CUBE[Math.floor(cube / 36)] ?? 0;
  const green = CUBE[Math.floor(cube / 6) % 6] ?? 0;
  return (red << 16) | (green << 8) | (CUBE[cube % 6] ?? 0);
}

/** `#rgb` to `#rrrrggggbbbb`, or `rgb:r/g/b` with one to four digits each, as 16-bit parts. */
function widenSpecification(specification: string): string {
  const parts = specification.startsWith('#')
    ? (specification.slice(1).match(new RegExp(`.{${(specification.length - 1) / 3}}`, 'g')) ?? [])
    : specification.slice(4).split('/');
  return parts
    .map((part) => {
      const value = Number.parseInt(part, 16) / (16 ** part.length - 1);
      return Math.round(value * 0xffff)
        .toString(16)
        .padStart(4, '0');
    })
    .join('/');
}

function colorText(key: number, changed: ReadonlyMap<number, string>): string {
  const set = changed.get(key);
  if (set !== undefined) return `rgb:${widenSpecification(set)}`;
  const color = key < COLOR_TEXT ? paletteColor(key) : (SPECIAL_COLORS[key - COLOR_TEXT] ?? 0);
  const parts = [color >>> 16, (color >>> 8) & 255, color & 255];
  return `rgb:${parts.map((part) => part.toString(16).padStart(2, '0').repeat(2)).join('/')}`;
}

function colorReports(code: number, data: string, terminator: string, changed: ReadonlyMap<number, string>): string {
  const parts = data.split(';');
  let reports = '';
  if (code === 4) {
    for (let index = 0; index + 1 < parts.length; index += 2) {
      const name = parts[index] ?? '';
      if (parts[index + 1] !== '?' || !/^\d{1,3}$/.test(name) || Number(name) > 255) continue;
      reports += `\x1b]4;${Number(name)};${colorText(Number(name), changed)}${terminator}`;
    }
    return reports;
  }
  for (const [index, part] of parts.entries()) {
    const key = code - 10 + index;
    if (part !== '?' || key < 0 || key >= SPECIAL_COLORS.length) continue;
    reports += `\x1b]${10 + key};${colorText(COLOR_TEXT + key, changed)}${terminator}`;
  }
  return reports;
}
