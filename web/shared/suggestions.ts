/** What agents offer to do next, given to them as a prompt (mcp.md MRK-3, SUB-1). */
import type { Client } from '../../src/client/index.ts';
import type { SessionInfo, SubmitReason } from '../../src/contract/index.ts';
import { sessionLabel } from './labels.ts';
import { suggestionsOf } from './session-status.ts';

export interface SuggestionDependencies {
  client: { sessions: Pick<Client['sessions'], 'submit'> };
  find(id: string): (SessionInfo & { isClosing?: boolean }) | undefined;
  /** A person has given it work. */
  asked(id: string): void;
  tell(text: string): void;
  explain(error: unknown, what: string): void;
}

/** Why it was not given to the agent, in a person's words; others need no telling apart. */
const REASONS: Partial<Record<SubmitReason, string>> = {
  not_idle: 'it is at work',
  unconfirmed: 'it is not certain yet that it is idle',
  composer_not_empty: 'something stands in its input line already',
  dialog_open: 'it asks something',
};

export class Suggestions {
  readonly #dependencies: SuggestionDependencies;
  readonly #underWay = new Set<string>();

  constructor(dependencies: SuggestionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Gives it to the agent if it still offers it. Nothing is typed otherwise, or a second time. */
  async take(id: string, text: string): Promise<void> {
    const { client, find, asked, tell, explain } = this.#dependencies;
    const session = find(id);
    if (session === undefined || this.#underWay.has(id) || !suggestionsOf(session).includes(text)) return;
    this.#underWay.add(id);
    try {
      const { submitted, write_state, reason } = await client.sessions.submit(id, text);
      const name = sessionLabel(session);
      if (submitted) asked(id);
      else if (write_state === 'not_started') {
        tell(`“${text}” was not given to ${name}: ${(reason && REASONS[reason]) ?? 'it takes nothing now'}.`);
      } else tell(`Whether “${text}” reached ${name} is not known. Look before you send it again.`);
    } catch (error) {
      explain(error, `“${text}” could not be given to ${sessionLabel(session)}`);
    } finally {
      this.#underWay.delete(id);
    }
  }
}
