/**
 * Which agent is in front: what its process is, else what it calls itself, else what the session was opened for (STM-36).
 *
 * A name that a program gave itself ends when a shell is in front again: nothing may be typed at a shell that was meant for an agent.
 */
import type { ForegroundProgram } from '../../sessions/index.ts';

export class AgentIdentity {
  readonly #declared: string | undefined;
  readonly #canLook: boolean;
  #isDoubtful = false;
  #isShell = false;
  #named: string | undefined;
  #process: string | undefined;

  /** `canLook`: somebody looks what runs in front when it is asked for. */
  constructor(declared: string | undefined, canLook: boolean) {
    this.#declared = declared;
    this.#canLook = canLook;
  }

  get type(): string | undefined {
    return this.#process ?? this.#named ?? this.#declared;
  }

  get by(): 'foreground' | 'program_status' | 'declared' | undefined {
    if (this.#process !== undefined) return 'foreground';
    if (this.#named !== undefined) return 'program_status';
    return this.#declared === undefined ? undefined : 'declared';
  }

  /** As it calls itself. */
  get name(): string | undefined {
    return this.#named;
  }

  named(type: string | undefined): void {
    this.#named = type;
  }

  /** Null: nobody can tell, so what was known stays (S04). */
  foreground(program: ForegroundProgram | null): void {
    this.#isDoubtful = false;
    if (program === null) return;
    this.#process = program.agent;
    this.#isShell = program.isShell;
    if (program.isShell) this.#named = undefined;
  }

  /** A shell waits for commands, whatever the session was opened for. */
  get isShell(): boolean {
    return this.#isShell;
  }

  /** A shell shows its prompt: what called itself an agent is not in front. */
  prompt(): void {
    this.#named = undefined;
  }

  /** Something may have changed in front; only a look tells. */
  doubt(): void {
    if (this.#canLook) this.#isDoubtful = true;
  }

  /** Until the look nothing may be typed: what was an agent may be the shell that it was started from. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }
}
