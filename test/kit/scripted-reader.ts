/** The reader of a program's state as a test wants it: what it says is what was set. A change is noticed with the next output. */
import type {
  ActivityEvidence,
  ActivityReader,
  ComposerState,
  ProgramActivity,
  TypingClaim,
  TypingRefusal,
} from '../../src/domain/sessions/index.ts';

export class ScriptedReader implements ActivityReader {
  shellState: 'busy' | 'idle' | undefined;
  isConfirmed = false;
  refusal: TypingRefusal | undefined = 'not_managed';
  composer: ComposerState = 'unknown';
  epoch = 0;
  isAgent = false;
  readonly wantsForeground = false;
  readonly wantsProcesses = false;
  readonly conversation = undefined;
  readonly outcomes: string[] = [];
  readonly typed: string[] = [];
  hasEnded = false;

  output(): void {}

  command(): void {}
  foreground(): void {}
  title(): void {}
  processes(): void {}
  screen(): void {}
  input(bytes: Uint8Array): void {
    this.typed.push(Buffer.from(bytes).toString());
  }
  inputLost(): void {
    this.composer = 'unknown';
  }
  resized(): void {}
  tick(): boolean {
    return false;
  }
  dueAt(): undefined {
    return undefined;
  }
  woke(): void {}

  end(): void {
    this.hasEnded = true;
    this.shellState = 'idle';
    this.refusal = 'not_managed';
  }

  read(): ProgramActivity {
    return {
      awaiting_input: false,
      rate_limited: false,
      ...(this.shellState === undefined ? {} : { shell_state: this.shellState }),
      ...(this.isConfirmed ? { progress: 1 } : {}),
    };
  }

  explain(): ActivityEvidence {
    return { is_confirmed: this.isConfirmed, program_status: [], dropped_reports: 0 };
  }

  typingRefusal(): TypingRefusal | undefined {
    return this.refusal;
  }

  claim(): TypingClaim | TypingRefusal {
    if (this.refusal !== undefined) return this.refusal;
    const { epoch } = this;
    this.refusal = 'not_idle';
    return {
      epoch,
      settle: (outcome) => {
        this.outcomes.push(outcome);
        if (outcome === 'untouched') this.refusal = undefined;
        if (outcome !== 'submitted') return;
        this.epoch++;
        this.composer = 'cleared';
      },
    };
  }

  checkpoint(): unknown {
    return undefined;
  }

  restore(): void {
    this.composer = 'unknown';
  }
}
