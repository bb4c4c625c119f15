/**
 * tuic attach: a session in the terminal at hand, byte for byte.
 *
 * Owns the person's terminal while it runs. Order: the first thing shown is a snapshot on a reset terminal, then every byte in
 * order; a break of the connection leaves the screen as it is until the stream goes on. Whatever ends it (the key, a signal, the
 * session), first nothing is written any more, then the modes are reset, then the terminal gets its own mode back.
 */
import type { Disposable } from '../../base/index.ts';
import type { ByteStream, Client, StreamEnd } from '../../client/index.ts';
import { DEADLINES, EXIT_CODES } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { DEFAULT_DETACH_KEY, DetachWatch, parseDetachKey } from '../detach-key.ts';
import { CliFailure } from '../failure.ts';
import type { EndSignal, PersonTerminal } from '../person-terminal.ts';
import { lookUpSession, nameOf } from '../session-ref.ts';
import { sayEnded } from '../stream-end.ts';
import { toSafeText } from '../text.ts';

/** Everything a session's output can have switched, switched back; then an empty screen. */
const RESET = [
  '\x1b[?1049l\x1b[!p\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?1016l\x1b[?2004l\x1b[?2026l',
  '\x1b[?1l\x1b>\x1b[?6l\x1b[?7h\x1b[4l\x1b[20l\x1b[<99u\x1b[>4m\x1b(B\x1b)B\x0f\x1b[r\x1b[0m\x1b]8;;\x07',
  '\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07\x1b[0 q\x1b[?25h',
].join('');
const CLEAR = '\x1b[H\x1b[2J';
/** Of a program that a signal ended, as shells count. */
const SIGNAL_EXIT: Readonly<Record<EndSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export interface AttachOptions {
  detachKey?: string;
}

type Outcome = { kind: 'detached' } | { kind: 'signal'; signal: EndSignal } | { kind: 'ended'; end: StreamEnd };

export async function attachSession(context: Context, ref: string, options: AttachOptions): Promise<number> {
  const keyName = options.detachKey ?? context.env.TUIC_DETACH_KEY ?? DEFAULT_DETACH_KEY;
  const key = parseDetachKey(keyName);
  if (key === undefined) {
    throw new CliFailure(
      EXIT_CODES.usage,
      `"${toSafeText(keyName)}" is no key to detach with; write one as ctrl-] or ctrl-a`,
    );
  }
  const { terminal } = context;
  if (terminal === undefined) {
    throw new CliFailure(EXIT_CODES.usage, 'tuic attach needs a terminal as its input and output');
  }
  const client = await context.connect();
  const session = await lookUpSession(client, ref);
  const name = nameOf(session);
  if (session.lifecycle !== 'live') {
    throw new CliFailure(EXIT_CODES.failure, `${name} is ${session.lifecycle}: there is no program to attach to`);
  }
  if (session.tuic_session !== undefined && session.tuic_session === context.env.TUIC_SESSION) {
    throw new CliFailure(EXIT_CODES.usage, `${name} is this very terminal; it would show itself`);
  }
  const outcome = await show(client, session.session_id, terminal, new DetachWatch(key));
  const say = (text: string) => context.warn(`[${name}: ${text}]\n`);
  switch (outcome.kind) {
    case 'detached':
      say('detached; it keeps running');
      return EXIT_CODES.ok;
    case 'signal':
      return SIGNAL_EXIT[outcome.signal];
    case 'ended':
      return sayEnd(outcome.end, say);
  }
}

function sayEnd(end: StreamEnd, say: (text: string) => void): number {
  switch (end.kind) {
    case 'exit':
    case 'closed':
      return sayEnded(end, say);
    case 'missing':
      say('not there any more');
      return EXIT_CODES.notFound;
    case 'gave-up':
      say(`the server could not be reached in ${end.attempts} attempts; the session may still run`);
      return EXIT_CODES.serverNotRunning;
  }
}

/** Shows the session until something ends it; the terminal is its old self when this resolves. */
async function show(client: Client, id: string, terminal: PersonTerminal, watch: DetachWatch): Promise<Outcome> {
  let stream: ByteStream | undefined;
  let opened: Disposable | undefined;
  let isOver = false;
  const outcome = await new Promise<Outcome>((resolve) => {
    const finish = (result: Outcome) => {
      isOver = true;
      resolve(result);
    };
    const tellSize = () => {
      const { rows, cols } = terminal.size();
      stream?.resize(rows, cols);
    };
    opened = terminal.open({
      input(bytes) {
        if (isOver) return;
        const typed = watch.take(bytes);
        // What cannot be sent now is not sent later to who knows what: the bell says so.
        if (typed.input.length > 0 && stream?.send(typed.input) !== true) terminal.write('\x07');
        if (typed.isDetach) finish({ kind: 'detached' });
      },
      resized: tellSize,
      ending: (signal) => finish({ kind: 'signal', signal }),
    });
    stream = client.openByteStream(
      id,
      {
        bytes(offset, bytes) {
          if (!isOver) terminal.write(bytes, () => stream?.consume(offset + bytes.length));
        },
        snapshot({ data, offset }) {
          if (!isOver) terminal.write(RESET + CLEAR + data, () => stream?.consume(offset));
        },
        // A snapshot follows.
        gap: () => {},
        // The session has the size of whoever typed last; the window at hand shows as much of it as fits.
        size: () => {},
        // The end follows.
        exit: () => {},
        state: () => {},
        ended: (end) => finish({ kind: 'ended', end }),
      },
      { retries: Number.POSITIVE_INFINITY, longestWait: DEADLINES.retryMaximumWatched },
    );
    tellSize();
  });
  stream?.dispose();
  const { rows } = terminal.size();
  await new Promise<void>((resolve) => terminal.write(`${RESET}\x1b[${rows};1H\r\n`, resolve));
  opened?.dispose();
  return outcome;
}
