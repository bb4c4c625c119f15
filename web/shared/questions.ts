/**
 * What agents ask the person, in every window at once (mcp.md UI-6). The list always comes from the server: an event only says when to
 * ask for it, so a reload, a break or a second window never show another truth. Of two readings that overlap the one asked later counts.
 */
import { type Client, RequestRefused } from '../../src/client/index.ts';
import type { AppEvent, PendingConfirm, Toast } from '../../src/contract/index.ts';
import { isRefusal } from './failures.ts';
import { cleanText } from './labels.ts';
import type { SoundName } from './sound.ts';

export interface QuestionDependencies {
  client: Pick<Client, 'confirms'>;
  shown: () => readonly PendingConfirm[];
  show: (questions: readonly PendingConfirm[]) => void;
  notify: (kind: 'info' | 'error', text: string) => void;
  play: (sound: SoundName) => void;
  explain: (error: unknown, what: string) => void;
}

export class Questions {
  readonly #dependencies: QuestionDependencies;
  #asked = 0;
  #newest = 0;

  constructor(dependencies: QuestionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reads the list again; after a break nobody knows what was missed. */
  async load(): Promise<void> {
    const own = ++this.#asked;
    let questions: PendingConfirm[];
    try {
      questions = await this.#dependencies.client.confirms.list();
    } catch (error) {
      // The next connection asks again, and whoever is logged out is told by the list of sessions.
      if (!isRefusal(error)) throw error;
      return;
    }
    if (own < this.#newest) return;
    this.#newest = own;
    this.#dependencies.show(questions);
  }

  onEvent(event: AppEvent): void {
    if (event.name === 'mcp-confirm') {
      this.#dependencies.play('question');
      void this.load();
    } else if (event.name === 'mcp-confirm-resolved') {
      const { request_id, reason } = event.data;
      const question = this.#dependencies.shown().find((one) => one.request_id === request_id);
      if (question !== undefined && reason !== undefined) {
        this.#dependencies.notify('info', `“${cleanText(question.title)}” was not decided: ${cleanText(reason)}.`);
      }
      void this.load();
    } else if (event.name === 'mcp-toast') this.#toast(event.data);
  }

  /** The first answer counts, from whichever window it comes. */
  async answer(question: PendingConfirm, confirmed: boolean): Promise<void> {
    const { client, notify, explain } = this.#dependencies;
    try {
      await client.confirms.answer(question.request_id, confirmed);
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 404) {
        notify('info', `“${cleanText(question.title)}” had ended already; this answer did not count.`);
      } else explain(error, `“${cleanText(question.title)}” could not be answered`);
    }
    await this.load();
  }

  #toast({ title, message, level, sound }: Toast): void {
    const text = message === null ? cleanText(title) : `${cleanText(title)}: ${cleanText(message)}`;
    this.#dependencies.notify(level === 'info' ? 'info' : 'error', text);
    if (sound !== false) this.#dependencies.play(sound);
  }
}
