/** tuic send: types text and keys into a session, as if somebody sat at it. */
import { EXIT_CODES, LIMITS } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { encodeKey, KEY_NAMES } from '../keys.ts';
import { lookUpSession, nameOf } from '../session-ref.ts';
import { readAllInput } from '../standard-input.ts';
import { formatCount, toSafeText } from '../text.ts';

export interface SendOptions {
  key?: string[];
  enter?: boolean;
  json?: boolean;
}

/** A terminal sends Enter for each line end that is pasted into it. */
function toTyped(text: string): string {
  return text.replace(/\r\n|\n/g, '\r');
}

function toKeys(names: readonly string[]): string {
  return names
    .map((name) => {
      const bytes = encodeKey(name);
      if (bytes !== undefined) return bytes;
      const known = `${KEY_NAMES.join(', ')}, or a single character, with ctrl-, alt- or shift- before it`;
      throw new CliFailure(EXIT_CODES.usage, `"${toSafeText(name)}" is no key. Keys are: ${known}`);
    })
    .join('');
}

/** Pieces of at most `most` UTF-16 units that cut no character. */
function* slices(text: string, most: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + most, text.length);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to--;
    yield text.slice(from, to);
    from = to;
  }
}

/** Each request is answered when the terminal host has taken its text, so order is kept and a refusal says how far it came. */
async function typeInto(context: Context, id: string, text: string): Promise<number> {
  const client = await context.connect();
  let sent = 0;
  for (const slice of slices(text, LIMITS.replayChunk)) {
    try {
      await client.sessions.write(id, slice);
    } catch (error) {
      if (sent > 0) context.warn(`${formatCount(sent, 'byte')} were sent before it failed:\n`);
      throw error;
    }
    sent += Buffer.byteLength(slice);
  }
  return sent;
}

export async function sendInput(
  context: Context,
  ref: string,
  words: readonly string[],
  options: SendOptions,
): Promise<void> {
  const keys = toKeys(options.key ?? []) + (options.enter === true ? '\r' : '');
  const wantsInput = words.length === 1 && words[0] === '-';
  const isPiped = context.input !== undefined && !context.input.isTerminal;
  if (words.length === 0 && keys === '' && !isPiped) {
    throw new CliFailure(
      EXIT_CODES.usage,
      'Say what to send: a text, --key, --enter, or something over standard input',
    );
  }
  const session = await lookUpSession(await context.connect(), ref);
  const readsInput = wantsInput || (words.length === 0 && keys === '');
  const text = readsInput ? await readAllInput(context) : words.join(' ');
  const sent = await typeInto(context, session.session_id, toTyped(text) + keys);
  if (options.json) context.printJson({ session_id: session.session_id, sent_bytes: sent });
  else context.warn(context.isTerminal ? `${formatCount(sent, 'byte')} sent to ${nameOf(session)}\n` : '');
}
