/** Pastes text into one terminal as a person would: asked about where that is due, and whole or not at all. */
import type { PasteOutcome } from '../../src/client/index.ts';
import { encodePaste, LARGEST_PASTE, needsQuestion, type PreparedPaste, preparePaste } from './paste-text.ts';

/** Input up to here is one message, and hence whole by itself. */
const SMALL_PASTE = 65_536;
/** Milliseconds between two looks at how much of a paste has left. */
const PASTE_PROGRESS = 100;

export interface PasteProgress {
  /** Bytes that left, and all of them. */
  sent: number;
  total: number;
  outcome: PasteOutcome | undefined;
}

export interface PasteEvents {
  /** Asks before something is pasted that would run, or is large. */
  pasteAsked(paste: PreparedPaste): void;
  /** Nothing of it was sent. `bytes`: how many it would have been. */
  pasteTooLarge(bytes: number): void;
  /** A paste that takes more than a moment is under way, until `outcome` tells what came of it. */
  pasting(progress: PasteProgress): void;
}

export interface PasteSenderOptions {
  isBracketed(): boolean;
  /** Sends what fits into one message. */
  type(bytes: Uint8Array): void;
  /** The connection it goes over; undefined when there is none. */
  stream(): { readonly unsent: number; paste(bytes: Uint8Array): Promise<PasteOutcome> } | undefined;
  events: PasteEvents;
}

export class PasteSender {
  readonly #options: PasteSenderOptions;

  constructor(options: PasteSenderOptions) {
    this.#options = options;
  }

  offer(raw: string, mayAsk: boolean): void {
    const paste = preparePaste(raw);
    if (paste.text === '') return;
    if (mayAsk && needsQuestion(paste, this.#options.isBracketed())) this.#options.events.pasteAsked(paste);
    else void this.send(paste.text);
  }

  /** Sends what `preparePaste` made of a text, before anything that is typed later. */
  async send(text: string): Promise<void> {
    const { events, isBracketed, type } = this.#options;
    const bytes = encodePaste(text, isBracketed());
    if (bytes.length > LARGEST_PASTE) {
      events.pasteTooLarge(bytes.length);
      return;
    }
    const stream = this.#options.stream();
    if (bytes.length <= SMALL_PASTE || stream === undefined) {
      type(bytes);
      return;
    }
    const total = bytes.length;
    const tell = (outcome: PasteOutcome | undefined) =>
      events.pasting({ sent: Math.max(0, total - stream.unsent), total, outcome });
    const timer = setInterval(() => tell(undefined), PASTE_PROGRESS);
    try {
      tell(await stream.paste(bytes));
    } finally {
      clearInterval(timer);
    }
  }
}
