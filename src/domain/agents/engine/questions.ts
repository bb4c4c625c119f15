/**
 * The question that is open, by the strongest who says so (STM-40..44): the program itself, its hook, a dialog on its screen, its
 * title; a line that only looks like a question is weaker than any of them (STM-42).
 */
import type { ChoicePrompt } from '../../../contract/index.ts';
import type { ProgramActivity } from '../../sessions/index.ts';
import type { ProgramRecord } from '../program-status.ts';
import type { ScreenDialog, ScreenReading } from '../screens/model.ts';
import type { HookState } from './explicit.ts';

/** What is told of an open question; empty when there is none. */
export type QuestionFields = Pick<
  ProgramActivity,
  'question_text' | 'question_kind' | 'question_confident' | 'choice_prompt'
>;

export interface QuestionEvidence {
  own: ProgramRecord | undefined;
  hook: HookState | undefined;
  reading: ScreenReading;
}

const ASKS_BY_TITLE = /\baction required\b/i;

export class Questions {
  #titleAsks = false;
  /** A line that ends as a question and was followed by silence. */
  #guessed: string | undefined;

  title(title: string): void {
    this.#titleAsks = ASKS_BY_TITLE.test(title);
  }

  guess(text: string | undefined): void {
    this.#guessed = text;
  }

  /** Somebody answered, or went on without an answer. */
  answered(): void {
    this.#titleAsks = false;
    this.#guessed = undefined;
  }

  /** One that must be answered before anything else is typed; a guess is none (MSG-64). */
  isConfident({ own, hook, reading }: QuestionEvidence): boolean {
    return own?.state === 'blocked' || hook === 'awaiting' || reading.state === 'dialog' || this.#titleAsks;
  }

  isOpen(evidence: QuestionEvidence): boolean {
    return this.isConfident(evidence) || this.#guessed !== undefined;
  }

  read(evidence: QuestionEvidence): QuestionFields {
    const { own, reading } = evidence;
    if (!this.isConfident(evidence)) return this.#guessed === undefined ? {} : { question_text: this.#guessed };
    const isBlocked = own?.state === 'blocked';
    const text = (isBlocked ? own.message : undefined) ?? reading.dialog?.title;
    return {
      question_confident: true,
      ...(text === undefined ? {} : { question_text: text }),
      ...(isBlocked && own.kind !== undefined ? { question_kind: own.kind } : {}),
      ...(reading.dialog === undefined ? {} : { choice_prompt: choicePrompt(reading.dialog) }),
    };
  }
}

/** Whether these bytes resolve the dialog: one of its keys, Esc or Tab if it offers them. */
export function isAnswer({ choices, dismiss, amend }: ScreenDialog, typed: string): boolean {
  if (typed === '\x1b') return dismiss !== undefined;
  if (typed === '\t') return amend !== undefined;
  return choices.some(({ key }) => key !== '' && key === typed);
}

function choicePrompt({ title, choices, dismiss, amend }: ScreenDialog): ChoicePrompt {
  return {
    title,
    options: choices.map((choice) => ({ ...choice })),
    ...(dismiss === undefined ? {} : { dismiss_key: 'Esc' }),
    ...(amend === undefined ? {} : { amend_key: 'Tab' }),
  };
}
