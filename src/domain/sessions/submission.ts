/**
 * Giving a prompt to an idle agent (SUB-1 to SUB-10): one line in one step, and a receipt of what is known of it.
 *
 * Promises: whatever is refused is refused before its first byte, and the reason says why; nothing is ever queued. The claim is
 * taken in the turn in which the first byte goes out, behind any line that is being typed, so that of two submissions, or of one
 * and a message, exactly one types. The receipt calls a repetition safe only when nothing was written.
 */
import { type Clock, Emitter, type Ids } from '../../base/index.ts';
import { AppError, DEADLINES, type Submit, type SubmitReason, type SubmitReceipt } from '../../contract/index.ts';
import { frameLine, normalizeLine } from './line-frame.ts';
import { lookUntil } from './look-until.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';
import { typeLine } from './typed-line.ts';

export interface SubmissionsOptions {
  clock: Clock;
  ids: Ids;
  open(session: Session): Promise<Terminal>;
  /** Lines of others wait to be typed there; they go first. */
  hasQueued(sessionId: string): boolean;
}

type Movement = 'terminal_output' | 'ack_timeout' | 'session_exited' | 'epoch_superseded';

export class Submissions {
  readonly #options: SubmissionsOptions;
  readonly #stopped = new Emitter<void>();

  constructor(options: SubmissionsOptions) {
    this.#options = options;
  }

  /** `onWritten`: at least a part of it was handed over. */
  async run(
    session: Session,
    { input, timeout_ms }: Submit,
    signal: AbortSignal,
    onWritten: () => void,
  ): Promise<SubmitReceipt> {
    const { ids, open, hasQueued } = this.#options;
    if (normalizeLine(input) === '') throw new AppError('invalid_input', { detail: 'input is empty' });
    const submission_id = ids.uuid();
    if (session.lifecycle !== 'live') return { ...refused('session_exited', session.terminal), submission_id };
    const terminal = await open(session);
    const reason = this.#refusal(session, terminal, input);
    if (reason !== undefined) return { ...refused(reason, terminal), submission_id };
    let epoch = terminal.turnEpoch;
    const written = await typeLine<SubmitReason>(terminal, input, {
      refuse: () => {
        if (session.lifecycle !== 'live') return 'session_exited';
        return signal.aborted || hasQueued(session.id) ? 'lost_race' : undefined;
      },
      onSettled: () => {
        epoch = terminal.turnEpoch;
      },
    });
    const known = { submission_id, turn_epoch: epoch };
    if (written.failure !== undefined && written.failure.code !== 'session_not_live') throw written.failure;
    if (written.write_state === 'not_started') {
      return { ...refused(reasonOf(written.refusal), terminal), ...known };
    }
    onWritten();
    if (written.write_state === 'uncertain') return { ...uncertain(terminal), ...known };
    const movement = await this.#movement({ session, terminal, offset: written.offset, epoch, timeout_ms, signal });
    return { ...submitted(movement, terminal), ...known };
  }

  stop(): void {
    this.#stopped.emit();
  }

  /** The precise reason, before anything is claimed. */
  #refusal(session: Session, terminal: Terminal, input: string): SubmitReason | undefined {
    const reason = terminal.typingRefusal();
    if (reason !== undefined) return reason;
    if (this.#options.hasQueued(session.id)) return 'queue_not_empty';
    return frameLine(input, terminal.engine.bracketedPaste) === undefined ? 'bracketed_paste_off' : undefined;
  }

  /** SUB-6. What moved first counts, as far as it was seen in order. */
  #movement({ session, terminal, offset, epoch, timeout_ms, signal }: Following): Promise<Movement> {
    const asked = timeout_ms ?? DEADLINES.submit;
    return lookUntil<Movement>({
      clock: this.#options.clock,
      timeout: Math.min(Math.max(asked, DEADLINES.submitShortest), DEADLINES.submitLongest),
      signal,
      look: () => {
        if (terminal.engine.ingestedOffset > offset) return 'terminal_output';
        if (session.record.lifecycle !== 'live') return 'session_exited';
        return terminal.turnEpoch === epoch ? undefined : 'epoch_superseded';
      },
      listen: (wake, end) => [
        terminal.onOutput(wake),
        terminal.onActivityChange(wake),
        session.onEnd(wake),
        this.#stopped.on(() => end('ack_timeout')),
      ],
      otherwise: 'ack_timeout',
    });
  }
}

interface Following {
  session: Session;
  terminal: Terminal;
  offset: number;
  epoch: number;
  timeout_ms: number | undefined;
  signal: AbortSignal;
}

/** What the program refuses now it took a moment ago: somebody else was first. */
function reasonOf(refusal: SubmitReason | undefined): SubmitReason {
  if (refusal === undefined) return 'session_exited';
  return refusal === 'session_exited' || refusal === 'bracketed_paste_off' ? refusal : 'lost_race';
}

type Outcome = Omit<SubmitReceipt, 'submission_id'>;

/** Where the turn and the composer stand now. */
function standing(terminal: Terminal | undefined): Pick<SubmitReceipt, 'turn_epoch' | 'composer_state'> {
  return { turn_epoch: terminal?.turnEpoch ?? 0, composer_state: terminal?.composer ?? 'unknown' };
}

function refused(reason: SubmitReason, terminal: Terminal | undefined): Outcome {
  return {
    submitted: false,
    write_state: 'not_started',
    acknowledged: false,
    reason,
    retry_safe: true,
    ...standing(terminal),
  };
}

function uncertain(terminal: Terminal): Outcome {
  return {
    submitted: false,
    write_state: 'uncertain',
    acknowledged: false,
    reason: 'write_uncertain',
    retry_safe: false,
    ...standing(terminal),
  };
}

function submitted(movement: Movement, terminal: Terminal): Outcome {
  const isAcknowledged = movement === 'terminal_output';
  return {
    submitted: true,
    write_state: 'complete',
    acknowledged: isAcknowledged,
    ...(isAcknowledged ? { acknowledgement: movement } : { reason: movement }),
    retry_safe: false,
    ...standing(terminal),
  };
}
