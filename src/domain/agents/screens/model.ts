/**
 * What the rows of a screen tell of the agent that draws them. Adapters are pure: the rows as the terminal shows them in, a
 * reading out. They know no time and no history; what a reading means for the state is the engine's business (STM-20..26).
 *
 * Promises of every adapter: it never throws, whatever the rows hold and however narrow they are; what it does not recognise
 * is `unknown`, never `ready`.
 */

/** The visible rows as plain text, unfiltered; the cursor counts cells from 0. */
export interface ScreenRows {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
  readonly isAlternate: boolean;
}

/** One answer that a dialog offers. */
export interface DialogChoice {
  /** What is typed to take it. */
  readonly key: string;
  readonly label: string;
  readonly highlighted: boolean;
  /** It refuses, ends or throws something away: not to be taken by a slip. */
  readonly destructive: boolean;
  /** A key that the row names for it. */
  readonly hint?: string;
}

export interface ScreenDialog {
  readonly title: string;
  readonly choices: readonly DialogChoice[];
  /** What Esc does, when the dialog says so; then Esc resolves it. */
  readonly dismiss?: string;
  /** What Tab does, when the dialog says so; then Tab resolves it. */
  readonly amend?: string;
}

export interface ScreenReading {
  readonly state: 'ready' | 'working' | 'interrupted' | 'dialog' | 'unknown';
  readonly composer: 'empty' | 'partial' | 'unknown';
  /** First row of the input area; rows from here on are no output (STM-5). Absent: none is seen. */
  readonly inputTop?: number;
  /** Background commands and agents that the screen counts. Absent: it says nothing. */
  readonly subTasks?: number;
  readonly dialog?: ScreenDialog;
}

export interface ScreenAdapter {
  read(screen: ScreenRows): ScreenReading;
}

export const NOTHING_SEEN: ScreenReading = { state: 'unknown', composer: 'unknown' };
