/**
 * The one table of terminal queries. Everything a viewer's terminal might answer stands here, because replays blank all of
 * them (T11); what the engine answers itself is marked. The rest is left unanswered on purpose, with the reason.
 */

export type Query =
  | { kind: 'primary-attributes' }
  | { kind: 'secondary-attributes' }
  | { kind: 'tertiary-attributes' }
  | { kind: 'status' }
  | { kind: 'cursor-position'; isPrivate: boolean }
  | { kind: 'color-scheme' }
  | { kind: 'version' }
  /** DECRQM: the library knows its modes. */
  | { kind: 'mode' }
  /** DECRQSS; `what` is the setting asked for. */
  | { kind: 'setting'; what: string }
  | { kind: 'capability'; names: string[] }
  | { kind: 'size'; what: 'window' | 'screen' }
  | { kind: 'color'; code: number; data: string; terminator: string }
  | { kind: 'program-status'; terminator: string }
  | { kind: 'unanswered'; why: string };

export function isAnswered(query: Query): boolean {
  return query.kind !== 'unanswered';
}

export interface ControlSequence {
  /** One of `<=>?`, or empty. */
  prefix: string;
  params: readonly number[];
  intermediates: string;
  final: string;
  /** Prefix, intermediates and final in one. */
  key: string;
}

const PIXELS = 'pixel sizes are the viewer’s';
const INJECTION = 'the answer would type text that a program chose';
const KEYBOARD = 'viewers send plain keys';
const PRINTER = 'no such device';

export function classifyControl(sequence: ControlSequence): Query | undefined {
  const first = sequence.params[0] ?? 0;
  switch (sequence.key) {
    case 'c':
      return first === 0 ? { kind: 'primary-attributes' } : undefined;
    case '>c':
      return first === 0 ? { kind: 'secondary-attributes' } : undefined;
    case '=c':
      return first === 0 ? { kind: 'tertiary-attributes' } : undefined;
    case 'n':
      if (first === 5) return { kind: 'status' };
      return first === 6 ? { kind: 'cursor-position', isPrivate: false } : undefined;
    case '?n':
      if (first === 6) return { kind: 'cursor-position', isPrivate: true };
      if (first === 996) return { kind: 'color-scheme' };
      return { kind: 'unanswered', why: PRINTER };
    case '>q':
      return first === 0 ? { kind: 'version' } : undefined;
    case '$p':
    case '?$p':
      return { kind: 'mode' };
    case '?u':
      return { kind: 'unanswered', why: KEYBOARD };
    case '?m':
      return { kind: 'unanswered', why: KEYBOARD };
    case 't':
      return classifyWindow(first);
    case 'x':
    case '*y':
    case '$w':
    case '&u':
    case '?S':
      return { kind: 'unanswered', why: PRINTER };
    default:
      return undefined;
  }
}

function classifyWindow(operation: number): Query | undefined {
  switch (operation) {
    case 18:
      return { kind: 'size', what: 'window' };
    case 19:
      return { kind: 'size', what: 'screen' };
    case 11:
    case 13:
    case 14:
    case 15:
    case 16:
      return { kind: 'unanswered', why: PIXELS };
    case 20:
    case 21:
      return { kind: 'unanswered', why: INJECTION };
    default:
      return undefined;
  }
}

/** `data` is what follows the first semicolon. */
export function classifyCommand(code: number, data: string, terminator: string): Query | undefined {
  switch (code) {
    case 4:
    case 5:
      return data.split(';').some((part, index) => index % 2 === 1 && part === '?')
        ? { kind: 'color', code, data, terminator }
        : undefined;
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
      return data.split(';').includes('?') ? { kind: 'color', code, data, terminator } : undefined;
    case 52:
      return data.endsWith(';?') ? { kind: 'unanswered', why: INJECTION } : undefined;
    case 7501:
      return data === '?' ? { kind: 'program-status', terminator } : undefined;
    default:
      return undefined;
  }
}

/** `body` is what follows ESC P. */
export function classifyDeviceString(body: string): Query | undefined {
  const match = /^[0-9;]*([$+])q(.*)$/s.exec(body);
  if (match === null) return undefined;
  if (match[1] === '$') return { kind: 'setting', what: match[2] ?? '' };
  return { kind: 'capability', names: (match[2] ?? '').split(';').slice(0, 32) };
}

/** APC G with a query action, as image tools send it. */
export function classifyApplicationString(body: string): Query | undefined {
  return /^G[^;]*a=q/.test(body) ? { kind: 'unanswered', why: PRINTER } : undefined;
}
