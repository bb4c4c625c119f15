/**
 * A line typed for somebody else than the person at the keyboard: a prompt, mail, a command that was queued. What decides about it
 * (what is written, whether it may be typed, the claim) is looked at when its turn at the writer has come, and its first byte goes
 * out in that same turn.
 */
import { frameLine } from './line-frame.ts';
import type { Terminal } from './terminal.ts';
import type { LineClaim, LineRefusal, WrittenLine } from './writer.ts';

export interface TypeLineOptions<Refusal> {
  /** Refuses it in its turn, for a reason of the caller's own. */
  refuse?: () => Refusal | undefined;
  /** As the person types: whatever the program is doing, without a claim (SES-5). */
  isRaw?: boolean;
  /** Called before the first byte, once it is certain that one will be tried (MSG-96). Must not wait. */
  onStart?: () => void;
  /** The claim was settled. */
  onSettled?: () => void;
}

export function typeLine<Refusal = never>(
  terminal: Terminal,
  text: string,
  { refuse, isRaw = false, onStart, onSettled }: TypeLineOptions<Refusal> = {},
): Promise<WrittenLine<Refusal | LineRefusal>> {
  return terminal.typeLine<Refusal | LineRefusal>(() => {
    const refusal = refuse?.();
    if (refusal !== undefined) return { refusal };
    const frame = frameLine(text, terminal.engine.bracketedPaste);
    if (frame === undefined) return { refusal: 'bracketed_paste_off' };
    const claim = isRaw ? undefined : terminal.claimTyping();
    if (typeof claim === 'string') return { refusal: claim };
    try {
      onStart?.();
    } catch (error) {
      claim?.settle('untouched');
      throw error;
    }
    if (claim === undefined) return { frame };
    const settle: LineClaim['settle'] = (outcome) => {
      claim.settle(outcome);
      onSettled?.();
    };
    return { frame, claim: { settle } };
  });
}
