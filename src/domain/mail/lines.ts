/** The lines that are typed at agents for their mail, literal on the wire (MSG-60, MSG-66, MSG-73, MSG-75). */
import { LIMITS } from '../../contract/index.ts';
import { type ChildNotice, isNotice, type Letter } from './model.ts';

const SHORT_ID = 8;
export const GENERIC_NOTICE = '[TUIC] message available — read it with: agent action=inbox';

/** One line without control characters: what is typed must not steer the terminal. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

export function shortName(name: string): string {
  return oneLine(name).slice(0, LIMITS.peerName);
}

/** What happened to a child, in words; never what the child wrote (AMB-15). */
function describeNotice({ child, state, exitCode }: Pick<Letter, 'child' | 'state' | 'exitCode'>): string {
  const agent = `child agent ${(child ?? '').slice(0, SHORT_ID)}`;
  if (state === 'exited') return exitCode === null ? `${agent} exited` : `${agent} exited (exit ${exitCode})`;
  if (state === 'prompt_delivery_failed') return `${agent} prompt delivery failed`;
  return `${agent} is now ${state}`;
}

/** MSG-66: what an ordinary agent is typed. */
export function messageLine(letter: Letter, content: string): string {
  const start = `[TUIC message from ${shortName(letter.senderName)}] `;
  const line = start + (isNotice(letter) ? describeNotice(letter) : oneLine(content));
  if (Buffer.byteLength(line) <= LIMITS.typedMessage) return line;
  return `${start}${Buffer.byteLength(content)} bytes, read it with: agent action=inbox`;
}

/** MSG-75: undefined when the window needs the generic notice. */
export function summaryLine(window: readonly Letter[]): string | undefined {
  if (window.length === 0 || !window.every(isNotice)) return undefined;
  const line = `[TUIC] ${window.map(describeNotice).join('; ')}`;
  return line.length <= LIMITS.summaryLine ? line : undefined;
}

/** MSG-60. */
export function channelMessage(letter: Letter, content: string): object {
  return {
    jsonrpc: '2.0',
    method: 'notifications/claude/channel',
    params: {
      content: `Message from ${letter.senderName}: ${content}`,
      meta: { from_tuic_session: letter.sender, from_name: letter.senderName, message_id: letter.id },
    },
  };
}

/** MSG-81: what lies in the inbox. */
export function noticeContent({ child, state, exitCode, prompt, reason }: ChildNotice): string {
  return JSON.stringify({
    type: state === 'prompt_delivery_failed' ? state : 'state_change',
    state: state === 'prompt_delivery_failed' ? undefined : state,
    session_id: child,
    exit_code: exitCode,
    prompt: prompt?.slice(0, LIMITS.noticePrompt),
    reason,
  });
}
