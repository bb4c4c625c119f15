/**
 * tuic tail: the newest lines of a session, and with -f what comes.
 *
 * Two readings. `log`: the lines as the terminal keeps them, then its screen; followed by asking from the last line on. `text`: what was
 * printed, without control sequences; followed over a byte stream that goes on at the same byte after a break. Both say what is missing.
 */
import type { ByteStream, Client, StreamEnd } from '../../client/index.ts';
import { DEADLINES, EXIT_CODES, type Gap, LIMITS, type LogLine, type SessionInfo } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { follow } from '../follow.ts';
import { lineText, styledLine } from '../log-text.ts';
import { PlainText } from '../plain-text.ts';
import { lookUpSession, nameOf } from '../session-ref.ts';
import { sayEnded } from '../stream-end.ts';
import { formatCount } from '../text.ts';

export interface TailOptions {
  lines?: number;
  follow?: boolean;
  format?: 'log' | 'text';
  json?: boolean;
}

const USUAL_LINES = 10;
/** How far back the stream begins, for so many lines: a wide, coloured line has about this many bytes. */
const BYTES_PER_LINE = 1_024;

export async function tailSession(context: Context, ref: string, options: TailOptions): Promise<number> {
  const client = await context.connect();
  const session = await lookUpSession(client, ref);
  const format = options.format ?? (options.follow === true ? 'text' : 'log');
  const lines = options.lines ?? USUAL_LINES;
  const isLive = session.lifecycle === 'live';
  if (format === 'text') {
    if (options.follow === true && isLive) return followText(context, client, session, lines, options.json === true);
    const { data, gap } = await client.sessions.rawOutput(session.session_id, { limit: LIMITS.ring });
    tellGap(context, gap, 'byte');
    const plain = new PlainText();
    const printer = new TextPrinter(context, options.json === true);
    printer.print(newest(plain.push(Buffer.from(data)) + plain.end(), lines));
    printer.end();
    if (options.follow === true) sayEnd(context, session, { kind: 'missing', session });
    return EXIT_CODES.ok;
  }
  const printLine = linePrinter(context, options.json === true);
  if (options.follow === true) await followLog(context, session, lines, printLine);
  else {
    const output = await client.sessions.logOutput(session.session_id, { limit: Math.max(1, lines) });
    // Rows of the screen have no number yet: they may still be written over.
    const all = [
      ...output.lines.map((line, index) => ({ line, number: output.offset + index })),
      ...output.screen.map((line) => ({ line, number: undefined })),
    ];
    for (const { line, number } of lines === 0 ? [] : all.slice(-lines)) printLine(line, number);
  }
  return EXIT_CODES.ok;
}

type PrintLine = (line: LogLine, number: number | undefined) => void;

function linePrinter(context: Context, isJson: boolean): PrintLine {
  const isColoured = context.style.bold('x') !== 'x';
  return (line, number) => {
    if (isJson) context.printJsonLine({ ...(number === undefined ? {} : { line: number }), text: lineText(line) });
    else context.print(isColoured ? styledLine(line) : lineText(line));
  };
}

function tellGap(context: Context, gap: Pick<Gap, 'from' | 'to' | 'reason'> | undefined, noun: string): void {
  if (gap === undefined || gap.to <= gap.from) return;
  context.warn(`[${formatCount(gap.to - gap.from, noun)} missing: ${gap.reason}]\n`);
}

/** Asks for what is new until the session has ended; then its screen is the rest. */
async function followLog(context: Context, session: SessionInfo, lines: number, print: PrintLine): Promise<void> {
  const id = session.session_id;
  let next: number | undefined;
  let screen: LogLine[] = [];
  await follow(context, async (client) => {
    // In this order: when the session had ended, the output read afterwards is all there is.
    const now = (await client.sessions.list({ all: true })).find((one) => one.session_id === id);
    if (now === undefined) {
      context.warn(`[${nameOf(session)}: not there any more]\n`);
      return true;
    }
    for (;;) {
      const window = next === undefined ? { limit: Math.max(1, lines) } : { offset: next };
      const output = await client.sessions.logOutput(id, window);
      if (next !== undefined) tellGap(context, output.gap, 'line');
      const found = next === undefined && lines === 0 ? [] : output.lines;
      for (const [index, line] of found.entries()) print(line, output.offset + index);
      next = output.offset + output.lines.length;
      screen = output.screen;
      if (output.lines.length === 0 || next >= output.total_lines) break;
    }
    if (now.lifecycle === 'live') return false;
    for (const line of screen) print(line, undefined);
    context.warn(`[${nameOf(session)}: ${now.lifecycle}${now.exit_code === undefined ? '' : ` ${now.exit_code}`}]\n`);
    return true;
  });
}

/** The last `lines` lines of a text; a line that is not finished counts. */
function newest(text: string, lines: number): string {
  if (lines === 0) return '';
  let from = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let count = 0; count < lines; count++) {
    from = text.lastIndexOf('\n', from - 1);
    if (from <= 0) return from === 0 && count === lines - 1 ? text.slice(1) : text;
  }
  return text.slice(from + 1);
}

/** Prints text as it comes, or each finished line as JSON. */
class TextPrinter {
  readonly #context: Context;
  readonly #isJson: boolean;
  #line = '';

  constructor(context: Context, isJson: boolean) {
    this.#context = context;
    this.#isJson = isJson;
  }

  print(text: string): void {
    if (text === '') return;
    if (!this.#isJson) {
      this.#line = text.slice(text.lastIndexOf('\n') + 1);
      this.#context.write(text);
      return;
    }
    const parts = (this.#line + text).split('\n');
    this.#line = parts.pop() ?? '';
    for (const part of parts) this.#context.printJsonLine({ text: part });
  }

  /** Nothing follows: a line that was begun is a line. */
  end(): void {
    if (this.#line === '') return;
    if (this.#isJson) this.#context.printJsonLine({ text: this.#line });
    else this.#context.write('\n');
    this.#line = '';
  }
}

async function followText(
  context: Context,
  client: Client,
  session: SessionInfo,
  lines: number,
  isJson: boolean,
): Promise<number> {
  const id = session.session_id;
  const { total_written: total } = await client.sessions.rawOutput(id, { limit: 1 });
  const printer = new TextPrinter(context, isJson);
  const plain = new PlainText();
  const start = Math.max(0, total - Math.min(LIMITS.ring, Math.max(1, lines) * BYTES_PER_LINE));
  /** What was there before this command came: only its end is printed. */
  let past: string | undefined = '';
  let isAway = false;
  let failures = 0;
  let stream: ByteStream | undefined;
  const take = (text: string, end: number) => {
    if (past === undefined) return printer.print(text);
    past += text;
    if (end < total) return;
    printer.print(newest(past, lines));
    past = undefined;
  };
  const end = await new Promise<StreamEnd>((resolve) => {
    stream = client.openByteStream(
      id,
      {
        bytes(offset, bytes) {
          const to = offset + bytes.length;
          if (past !== undefined && to > total && offset < total) {
            take(plain.push(bytes.subarray(0, total - offset)), total);
            take(plain.push(bytes.subarray(total - offset)), to);
          } else take(plain.push(bytes), to);
          stream?.consume(to);
        },
        snapshot({ offset }) {
          // It redraws a screen; a text goes on behind it.
          take('', offset);
          stream?.consume(offset);
        },
        // What lies before the wanted lines is nothing anybody asked for.
        gap: (gap) => gap.to > total && tellGap(context, gap, 'byte'),
        size: () => {},
        exit: () => {},
        state(state) {
          // A session that ends just now refuses one attempt, and the next finds out why: only a second one is news.
          if (state.kind === 'reconnecting' && ++failures === 2) {
            isAway = true;
            context.warn('[the server is away; waiting for it]\n');
          }
          if (state.kind !== 'live') return;
          if (isAway) context.warn('[the server is back]\n');
          isAway = false;
          failures = 0;
        },
        ended: resolve,
      },
      { offset: start, retries: Number.POSITIVE_INFINITY, longestWait: DEADLINES.retryMaximumWatched },
    );
    // A session that has printed nothing yet sends nothing either.
    if (total === 0) take('', 0);
  });
  if (end.kind === 'missing' && end.session !== undefined) await readRest();
  take(plain.end(), Number.POSITIVE_INFINITY);
  printer.end();
  return sayEnd(context, session, end);

  /** It ended while no server was there; what it printed last can still be read. */
  async function readRest(): Promise<void> {
    const offset = stream?.position ?? start;
    const { data, gap } = await client.sessions.rawOutput(id, { offset, limit: LIMITS.ring });
    tellGap(context, gap, 'byte');
    take(plain.push(Buffer.from(data)), Number.POSITIVE_INFINITY);
  }
}

function sayEnd(context: Context, session: SessionInfo, end: StreamEnd): number {
  const say = (text: string) => context.warn(`[${nameOf(session)}: ${text}]\n`);
  switch (end.kind) {
    case 'exit':
    case 'closed':
      return sayEnded(end, say);
    case 'missing': {
      const code = end.session?.exit_code;
      const state = end.session === undefined ? 'not there any more' : end.session.lifecycle;
      say(code === undefined ? state : `ended with exit code ${code}`);
      return EXIT_CODES.ok;
    }
    case 'gave-up':
      return EXIT_CODES.serverNotRunning;
  }
}
