/**
 * Waiting until a session is idle or has ended (WAIT-1, WAIT-5 to WAIT-7). What is met already is answered without listening to
 * anything; how the rest is waited for stands in look-until.ts.
 */
import { type Clock, Emitter } from '../../base/index.ts';
import { AppError, DEADLINES, type WaitFor, type WaitOutcome } from '../../contract/index.ts';
import { lookUntil } from './look-until.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';

export interface SessionWaitsOptions {
  clock: Clock;
  /** Brings the terminal into memory and up to the present, so that its state is known. */
  open(session: Session): Promise<Terminal>;
}

export class SessionWaits {
  readonly #options: SessionWaitsOptions;
  readonly #stopped = new Emitter<void>();
  #isStopped = false;

  constructor(options: SessionWaitsOptions) {
    this.#options = options;
  }

  async run(session: Session, { until, timeout_ms }: WaitFor, signal: AbortSignal): Promise<WaitOutcome> {
    const ended = until === 'exited' ? endOf(session) : undefined;
    if (ended !== undefined) return ended;
    refuseWhenOver(session, until);
    const { clock, open } = this.#options;
    const terminal = until === 'idle' ? await open(session) : undefined;
    if (this.#isStopped) throw new AppError('server_stopping');
    const look = () => (terminal === undefined ? endOf(session) : (idleOf(session, terminal) ?? endOfIdle(session)));
    const outcome =
      look() ??
      (await lookUntil<WaitOutcome | AppError>({
        clock,
        timeout: Math.min(timeout_ms || DEADLINES.waitDefault, DEADLINES.wait),
        signal,
        look,
        listen: (wake, end) => [
          session.onEnd(wake),
          this.#stopped.on(() => end(new AppError('server_stopping'))),
          ...(terminal === undefined ? [] : [terminal.onActivityChange(wake)]),
        ],
        otherwise: { met: false, timed_out: true, until },
      }));
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  }

  /** The server stops: whoever waits is told so, and nobody waits any more. */
  stop(): void {
    this.#isStopped = true;
    this.#stopped.emit();
  }
}

/** A lost session has ended without a code (WAIT-7); of one that was ended while its host died none is known either. */
function endOf({ record }: Session): WaitOutcome | undefined {
  if (record.lifecycle === 'lost') return { met: true, timed_out: false, until: 'exited', lost: true };
  if (record.lifecycle !== 'exited') return undefined;
  return { met: true, timed_out: false, until: 'exited', ...codeOf(record.exit_code) };
}

function codeOf(code: number | null): { exit_code?: number } {
  return code === null ? {} : { exit_code: code };
}

/** WAIT-6: confirmed idle of an agent (STM-30), quiet of a shell. */
function idleOf(session: Session, terminal: Terminal): WaitOutcome | undefined {
  if (session.record.lifecycle !== 'live') return undefined;
  const { shell_state } = terminal.state;
  if (shell_state !== 'idle') return undefined;
  if (terminal.typingRefusal() !== 'not_managed' && terminal.evidence.is_confirmed !== true) return undefined;
  return { met: true, timed_out: false, until: 'idle', shell_state };
}

/** The program ends while somebody waits for its idle: it is idle then, for good (STM-7). A lost one says nothing any more. */
function endOfIdle({ record }: Session): WaitOutcome | AppError | undefined {
  if (record.lifecycle === 'lost') return new AppError('session_lost');
  if (record.lifecycle !== 'exited') return undefined;
  return { met: true, timed_out: false, until: 'idle', shell_state: 'idle', ...codeOf(record.exit_code) };
}

function refuseWhenOver(session: Session, until: WaitFor['until']): void {
  if (until === 'exited' || session.lifecycle === 'live') return;
  throw new AppError(session.lifecycle === 'lost' ? 'session_lost' : 'session_not_found');
}
