/** tuic submit and wait: give an agent something to do, and wait until it is done. */
import { type Client, RequestRefused } from '../../client/index.ts';
import { EXIT_CODES, type SubmitReceipt, type WaitOutcome } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { lookUpSession, nameOf } from '../session-ref.ts';
import { readAllInput } from '../standard-input.ts';

type Reason = NonNullable<SubmitReceipt['reason']>;

/** What a person does next. */
const NEXT: Readonly<Record<Reason, string>> = {
  unknown_session: 'There is no such session',
  not_managed: 'No agent is known to run there; "tuic send" types into any program',
  not_idle: 'The agent is busy; "tuic wait" waits for it',
  unconfirmed: 'It is not certain that the agent is idle; look at it first',
  composer_not_empty:
    'Something stands in the input line of the agent already, or nobody can say what; look at it first',
  dialog_open: 'The agent asks a question; answer it first',
  queue_not_empty: 'Other lines wait to be typed there; they go first',
  lost_race: 'Somebody else was faster; "tuic wait" waits for the agent',
  bracketed_paste_off: 'The agent takes no paste of several lines now; send one line',
  ack_timeout: 'The terminal has not moved yet; look at it before you send anything again',
  session_exited: 'The program has ended',
  epoch_superseded: 'Something else was submitted meanwhile; look at it',
  write_uncertain: 'The connection to the terminal broke in the middle; look at it before you send anything again',
};

export interface SubmitOptions {
  describe?: string;
  wait?: boolean;
  json?: boolean;
}

export async function submitPrompt(
  context: Context,
  ref: string,
  words: readonly string[],
  options: SubmitOptions,
): Promise<void> {
  const isPiped = context.input !== undefined && !context.input.isTerminal;
  const readsInput = (words.length === 1 && words[0] === '-') || (words.length === 0 && isPiped);
  if (words.length === 0 && !readsInput) {
    throw new CliFailure(EXIT_CODES.usage, 'Say what the agent is to do: a text, or something over standard input');
  }
  const client = await context.connect();
  const session = await lookUpSession(client, ref);
  const input = readsInput ? await readAllInput(context) : words.join(' ');
  const more = options.describe === undefined ? {} : { description: options.describe };
  const receipt = await client.sessions.submit(session.session_id, input, more);
  const outcome =
    receipt.submitted && options.wait === true
      ? await waitLong(context, client, session.session_id, 'idle')
      : undefined;
  if (options.json) context.printJson(outcome === undefined ? receipt : { ...receipt, wait: outcome });
  else if (receipt.submitted) context.warn(context.isTerminal ? `submitted to ${nameOf(session)}\n` : '');
  if (receipt.reason === undefined) return;
  throw new CliFailure(EXIT_CODES.failure, `${NEXT[receipt.reason]} (${receipt.reason})`);
}

export interface WaitOptions {
  until?: 'idle' | 'exited';
  timeout?: number;
  json?: boolean;
}

function describe(outcome: WaitOutcome): string {
  if (outcome.lost === true) return 'lost';
  return outcome.exit_code === undefined ? outcome.until : `exited ${outcome.exit_code}`;
}

export async function waitForSession(context: Context, ref: string, options: WaitOptions): Promise<void> {
  const client = await context.connect();
  const session = await lookUpSession(client, ref);
  const outcome = await waitLong(context, client, session.session_id, options.until ?? 'idle', options.timeout);
  if (options.json) context.printJson(outcome);
  else if (outcome.met) context.print(describe(outcome));
  if (!outcome.met) {
    throw new CliFailure(EXIT_CODES.failure, `${nameOf(session)} is not ${outcome.until} after ${options.timeout} s`);
  }
}

/** The server answers after some minutes at the latest; here it is asked again, without `seconds` for as long as it takes. */
async function waitLong(
  context: Context,
  client: Client,
  id: string,
  until: 'idle' | 'exited',
  seconds?: number,
): Promise<WaitOutcome> {
  const deadline = seconds === undefined ? Number.POSITIVE_INFINITY : context.now() + seconds * 1_000;
  for (;;) {
    const left = Math.min(Math.max(deadline - context.now(), 1), 600_000);
    try {
      const outcome = await client.sessions.wait(id, { until, timeoutMs: left });
      if (outcome.met || context.now() >= deadline) return outcome;
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 404 && until === 'idle') {
        throw new CliFailure(EXIT_CODES.failure, 'The session has exited; it does not become idle any more');
      }
      throw error;
    }
  }
}
