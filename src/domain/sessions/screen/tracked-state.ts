/**
 * What the engine knows from bytes alone: titles, folder, and modes that the library does not keep. A value is
 * immutable, so that "as of the newest byte" and "as of what is parsed" can be two references to the same history.
 */
import type { ControlSequence } from './queries.ts';

export interface TrackedState {
  readonly title: string;
  readonly titleStack: readonly string[];
  /** Payload of the newest OSC 7. */
  readonly folder: string;
  readonly alternate: boolean;
  readonly bracketedPaste: boolean;
  /** Modes that viewers may know although the library does not: set ones only. */
  readonly modes: readonly number[];
  /** Kitty keyboard flags, one stack a buffer; the last entry counts. */
  readonly keyboard: { readonly normal: readonly number[]; readonly alternate: readonly number[] };
  /** xterm's modifyOtherKeys, 0 when off. */
  readonly modifyOtherKeys: number;
}

export const FRESH_STATE: TrackedState = {
  title: '',
  titleStack: [],
  folder: '',
  alternate: false,
  bracketedPaste: false,
  modes: [],
  keyboard: { normal: [], alternate: [] },
  modifyOtherKeys: 0,
};

/** Characters of a title that are kept. */
const TITLE_MAX = 512;
const TITLE_STACK = 10;
const KEYBOARD_STACK = 16;
const FOREIGN_MODES = new Set([1005, 1007, 1015, 2027, 2031, 2048]);

export function applyControl(state: TrackedState, sequence: ControlSequence): TrackedState {
  const first = sequence.params[0] ?? 0;
  switch (sequence.key) {
    case '?h':
      return setModes(state, sequence.params, true);
    case '?l':
      return setModes(state, sequence.params, false);
    case '!p':
      return { ...state, bracketedPaste: false, modes: [], modifyOtherKeys: 0, keyboard: FRESH_STATE.keyboard };
    case '>u':
      return setKeyboard(state, (stack) => [...stack, first].slice(-KEYBOARD_STACK));
    case '<u':
      return setKeyboard(state, (stack) => stack.slice(0, Math.max(stack.length - Math.max(first, 1), 0)));
    case '=u':
      return setKeyboard(state, (stack) => [...stack.slice(0, -1), combine(stack.at(-1) ?? 0, sequence.params)]);
    case '>m':
      if (first === 4) return { ...state, modifyOtherKeys: sequence.params[1] ?? 0 };
      return state;
    case '>n':
      return first === 4 ? { ...state, modifyOtherKeys: 0 } : state;
    case 't':
      return windowTitle(state, first, sequence.params[1] ?? 0);
    default:
      return state;
  }
}

function combine(current: number, params: readonly number[]): number {
  const flags = params[0] ?? 0;
  if (params[1] === 2) return current | flags;
  return params[1] === 3 ? current & ~flags : flags;
}

function setKeyboard(state: TrackedState, change: (stack: readonly number[]) => readonly number[]): TrackedState {
  const keyboard = state.keyboard;
  return state.alternate
    ? { ...state, keyboard: { ...keyboard, alternate: change(keyboard.alternate) } }
    : { ...state, keyboard: { ...keyboard, normal: change(keyboard.normal) } };
}

function setModes(state: TrackedState, modes: readonly number[], on: boolean): TrackedState {
  let next = state;
  for (const mode of modes) next = setMode(next, mode, on);
  return next;
}

function setMode(state: TrackedState, mode: number, on: boolean): TrackedState {
  switch (mode) {
    case 47:
    case 1047:
    case 1049:
      if (state.alternate === on) return state;
      // The alternate buffer is a new one each time, and so are its keyboard flags.
      return { ...state, alternate: on, keyboard: { ...state.keyboard, alternate: [] } };
    case 2004:
      return state.bracketedPaste === on ? state : { ...state, bracketedPaste: on };
    default:
      if (!FOREIGN_MODES.has(mode) || state.modes.includes(mode) === on) return state;
      return { ...state, modes: on ? [...state.modes, mode] : state.modes.filter((known) => known !== mode) };
  }
}

function windowTitle(state: TrackedState, operation: number, which: number): TrackedState {
  if (which === 1) return state;
  if (operation === 22) return { ...state, titleStack: [...state.titleStack, state.title].slice(-TITLE_STACK) };
  const title = state.titleStack.at(-1);
  if (operation !== 23 || title === undefined) return state;
  return { ...state, title, titleStack: state.titleStack.slice(0, -1) };
}

/** ESC c. Title and folder belong to the window, not to the terminal, and stay. */
export function applyReset(state: TrackedState): TrackedState {
  return { ...FRESH_STATE, title: state.title, titleStack: state.titleStack, folder: state.folder };
}

export function applyCommand(state: TrackedState, code: number, data: string): TrackedState {
  switch (code) {
    case 0:
    case 2:
      return data === state.title ? state : { ...state, title: data.slice(0, TITLE_MAX) };
    case 7:
      return data === state.folder ? state : { ...state, folder: data };
    default:
      return state;
  }
}
