/**
 * What one session's program is doing, from evidence (mcp.md 9): a pure function of timed inputs.
 *
 * Owns the standing evidence of one session. Order of strength (STM-9): what the program says of itself (OSC 7501), what its
 * shell marks (OSC 133), output, silence. A weaker source never overrides a stronger one that stands; nothing is known before
 * the first observation. Times are those of the caller's monotonic clock; nothing here waits.
 */
import { DEADLINES } from '../../contract/index.ts';
import type { ActivityEvidence, ActivityReader, ProgramActivity } from '../sessions/index.ts';
import { findAgent } from './catalogue/index.ts';
import { ProgramStatusTable } from './program-status.ts';

type ShellState = NonNullable<ProgramActivity['shell_state']>;
type AgentState = NonNullable<ProgramActivity['agent_state']>;

export class SessionEvidence implements ActivityReader {
  readonly #status = new ProgramStatusTable();
  #declaredType: string | undefined;
  /** Busy between OSC 133 C and the next A or D; undefined before the shell marked anything. */
  #marked: ShellState | undefined;
  #lastOutput: number | undefined;
  #isQuiet = true;
  #progress: number | undefined;
  #hasEnded = false;

  /** `declaredType`: the agent that the session was opened for. */
  constructor(declaredType?: string) {
    this.#declaredType = declaredType;
  }

  get status(): ProgramStatusTable {
    return this.#status;
  }

  /** Something was written. Returns when silence would count, or undefined when nothing waits for it. */
  output(at: number): number {
    this.#lastOutput = at;
    this.#isQuiet = false;
    return at + this.#silence;
  }

  /** A command of the program (OSC); `data` is what follows the number. */
  command(code: number, data: string): void {
    if (code === 7501) {
      if (data !== '?') this.#status.take(data);
    } else if (code === 133) this.#mark(data);
    else if (code === 9 && data.startsWith('4;')) this.#report(data);
  }

  /** Looks whether it has been silent for long enough; true when that changed something. */
  tick(at: number): boolean {
    if (this.#isQuiet || this.#lastOutput === undefined || at - this.#lastOutput < this.#silence) return false;
    this.#isQuiet = true;
    return true;
  }

  /** The program has ended: nothing it said stands any more. */
  end(): void {
    this.#status.end();
    this.#hasEnded = true;
    this.#isQuiet = true;
    this.#marked = undefined;
    this.#progress = undefined;
  }

  read(): ProgramActivity {
    const own = this.#status.own;
    const isBlocked = own?.state === 'blocked';
    const agentType = this.#agentType;
    const shellState = this.#shellState;
    const backgroundWork = this.#status.hasLiveChild;
    const progress = own?.progress ?? this.#progress;
    return {
      awaiting_input: isBlocked,
      rate_limited: false,
      ...(isBlocked ? { question_confident: true } : {}),
      ...(isBlocked && own.message !== undefined ? { question_text: own.message } : {}),
      ...(isBlocked && own.kind !== undefined ? { question_kind: own.kind } : {}),
      ...(shellState === undefined ? {} : { shell_state: shellState }),
      ...(agentType === undefined
        ? {}
        : { agent_type: agentType, agent_state: agentStateOf({ isBlocked, backgroundWork, shellState }) }),
      ...(backgroundWork ? { background_work: true } : {}),
      ...(own?.state === 'error' && own.message !== undefined ? { last_error: own.message } : {}),
      ...(progress === undefined ? {} : { progress }),
    };
  }

  explain(): ActivityEvidence {
    const shellStateBy = this.#shellStateBy;
    return {
      ...(this.#agentType === undefined
        ? {}
        : { agent_type_by: this.#namedType === undefined ? 'declared' : 'program_status' }),
      ...(shellStateBy === undefined ? {} : { shell_state_by: shellStateBy }),
      program_status: this.#status.state(),
      dropped_reports: this.#status.dropped,
    };
  }

  /** As the program names itself. */
  get #namedType(): string | undefined {
    const app = this.#status.own?.app;
    return app === undefined ? undefined : findAgent(app)?.id;
  }

  get #agentType(): string | undefined {
    return this.#namedType ?? this.#declaredType;
  }

  get #silence(): number {
    return this.#agentType === undefined ? DEADLINES.shellSilence : DEADLINES.agentSilence;
  }

  get #shellStateBy(): ActivityEvidence['shell_state_by'] {
    if (this.#hasEnded) return this.#lastOutput === undefined ? undefined : 'exit';
    if (this.#status.own !== undefined) return 'program_status';
    if (this.#marked !== undefined) return 'shell_marks';
    if (this.#lastOutput === undefined) return undefined;
    return this.#isQuiet ? 'silence' : 'output';
  }

  get #shellState(): ShellState | undefined {
    switch (this.#shellStateBy) {
      case 'exit':
      case 'silence':
        return 'idle';
      case 'output':
        return 'busy';
      case 'shell_marks':
        return this.#marked;
      case 'program_status':
        return this.#status.own?.state === 'working' ? 'busy' : 'idle';
      default:
        return undefined;
    }
  }

  #mark(data: string): void {
    const mark = data.split(';')[0];
    if (mark === 'C') this.#marked = 'busy';
    if (mark !== 'A' && mark !== 'D') return;
    this.#marked = 'idle';
    this.#progress = undefined;
    // Whoever spoke is not in front any more (STM-56).
    if (mark === 'A') this.#status.endTurn();
  }

  /** OSC 9;4;state;value: 0 takes it away, 1 to 4 show it. */
  #report(data: string): void {
    const [, state, value] = data.split(';');
    if (state === '0') this.#progress = undefined;
    else if (state !== undefined && /^[1-4]$/.test(state)) {
      const number = Number(value);
      this.#progress = value !== undefined && /^\d{1,3}$/.test(value) && number <= 100 ? number : this.#progress;
    }
  }
}

interface AgentFacts {
  isBlocked: boolean;
  backgroundWork: boolean;
  shellState: ShellState | undefined;
}

/** mcp.md 9.4, in its order; `completed` needs a marker that is not read yet. */
function agentStateOf({ isBlocked, backgroundWork, shellState }: AgentFacts): AgentState {
  if (isBlocked) return 'awaiting_input';
  if (backgroundWork || shellState === 'busy') return 'working';
  return shellState === 'idle' ? 'idle' : 'starting';
}
