/**
 * What the program, its hooks and its shell said in so many words, as it stands.
 *
 * Order of strength (STM-9): OSC 7501, then the newer of hook marker and shell mark. A submission voids what says "not working"
 * of an older turn (STM-25); "working" stands until its own end (STM-56).
 */
import { type ProgramRecord, ProgramStatusTable } from '../program-status.ts';

export type ExplicitSource = 'program_status' | 'hook' | 'shell_marks';
export type HookState = 'busy' | 'idle' | 'awaiting';

export interface Standing {
  state: 'busy' | 'idle';
  by: ExplicitSource;
}

interface Mark<State extends string> {
  state: State;
  /** For which of two said it later. */
  order: number;
}

/** Plain data for the checkpoint. */
export interface ExplicitState {
  records: ProgramRecord[];
  hook: HookState | undefined;
  shell: 'busy' | 'idle' | undefined;
  hasHookSpoken: boolean;
}

export class ExplicitEvidence {
  readonly status = new ProgramStatusTable();
  #hook: Mark<HookState> | undefined;
  #shell: Mark<'busy' | 'idle'> | undefined;
  #order = 0;
  #hasHookSpoken = false;

  /** It talks about itself, so nothing has to be concluded from how its questions look (STM-43). */
  get hasSpoken(): boolean {
    return this.#hasHookSpoken || this.status.hasSpoken;
  }

  get hook(): HookState | undefined {
    return this.#hook?.state;
  }

  /** Its program says that it works or waits: no screen ends that (STM-22, STM-56). */
  get isHeldByProgram(): boolean {
    const state = this.status.own?.state;
    return state === 'working' || state === 'blocked';
  }

  standing(): Standing | undefined {
    const own = this.status.own;
    if (own !== undefined) return { state: own.state === 'working' ? 'busy' : 'idle', by: 'program_status' };
    const [hook, shell] = [this.#hook, this.#shell];
    if (hook !== undefined && (shell === undefined || hook.order > shell.order)) {
      return { state: hook.state === 'busy' ? 'busy' : 'idle', by: 'hook' };
    }
    return shell === undefined ? undefined : { state: shell.state, by: 'shell_marks' };
  }

  takeHook(state: HookState): void {
    this.#hook = { state, order: ++this.#order };
    this.#hasHookSpoken = true;
  }

  takeShellMark(state: 'busy' | 'idle'): void {
    this.#shell = { state, order: ++this.#order };
  }

  /** A prompt of the shell: whoever spoke before is not in front any more (STM-56). */
  takePrompt(): void {
    this.status.endTurn();
    this.#hook = undefined;
    this.takeShellMark('idle');
  }

  /** What markers said is over; a weaker source has seen more since. What the program says of itself stays. */
  releaseMarks(): void {
    this.#hook = undefined;
    this.#shell = undefined;
  }

  /** The shell started what is in front; that says nothing about the turns of an agent (STM-26). */
  forgetStart(): void {
    if (this.#shell?.state === 'busy') this.#shell = undefined;
  }

  /** A new turn. */
  submitted(): void {
    const state = this.status.own?.state;
    if (state !== undefined && state !== 'working') this.status.forgetOwn();
    if (this.#hook?.state !== 'busy') this.#hook = undefined;
    this.#shell = undefined;
  }

  /** What was asked has its answer; whether it works again, the next word of it tells. */
  answered(): void {
    if (this.status.own?.state === 'blocked') this.status.forgetOwn();
    if (this.#hook?.state === 'awaiting') this.#hook = undefined;
  }

  end(): void {
    this.status.end();
    this.releaseMarks();
  }

  checkpoint(): ExplicitState {
    return {
      records: this.status.state(),
      hook: this.#hook?.state,
      shell: this.#shell?.state,
      hasHookSpoken: this.#hasHookSpoken,
    };
  }

  restore(state: ExplicitState): void {
    this.status.restore(state.records);
    if (state.hook !== undefined) this.takeHook(state.hook);
    if (state.shell !== undefined) this.takeShellMark(state.shell);
    this.#hasHookSpoken = state.hasHookSpoken;
  }
}
