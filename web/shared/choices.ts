/**
 * The choices that agents offer on their screens (mcp.md STM-44), answered from beside the terminal.
 *
 * Promises: a key is typed only into the question that the person saw. Before it goes out the state of the session and the rows
 * above its options are read again, and whatever differs from what was shown refuses it. An answer is typed once; what asks the
 * same again later is another question, and needs an answer of its own.
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import { type Client, ServerUnreachable } from '../../src/client/index.ts';
import { type ChoicePrompt, DEADLINES, type SessionInfo } from '../../src/contract/index.ts';
import { plainRow, sessionLabel } from './labels.ts';
import { focusedPane, type Layout, panesOf } from './layout.ts';

export interface OpenChoice {
  /** All its words; the mark on one of them moves, and is none of them. */
  signature: string;
  /** Counts the questions of this page: the same words again are another one. */
  asked: number;
  /** The place among those that wait: the lowest is the first. */
  place: number;
  /** Rows of the screen above the options, without the title; undefined until they were read. */
  about: readonly string[] | undefined;
  /** `later`: put off by the person. `sending` and `sent`: it is being answered. */
  phase: 'open' | 'later' | 'sending' | 'sent';
}

/** By session. */
export type OpenChoices = ReadonlyMap<string, OpenChoice>;

type Sessions = ReadonlyMap<string, SessionInfo & { isClosing?: boolean }>;

export function choiceOf(session: (SessionInfo & { isClosing?: boolean }) | undefined): ChoicePrompt | undefined {
  if (session === undefined || session.lifecycle !== 'live' || session.isClosing === true) return undefined;
  const prompt = session.state?.choice_prompt;
  return prompt === undefined || prompt.options.length === 0 ? undefined : prompt;
}

export function signatureOf({ title, options, dismiss_key, amend_key }: ChoicePrompt): string {
  const choices = options.map(({ key, label, destructive, hint }) => [key, label, destructive, hint]);
  return JSON.stringify([title, choices, dismiss_key, amend_key]);
}

/** What is typed for a key as the server names it (http.md 4). */
export function typedFor(key: string): string {
  if (key === 'Esc') return '\x1b';
  return key === 'Tab' ? '\t' : key;
}

/** One page's questions after a change of its sessions. The same map when nothing changed. */
export function keepChoices(known: OpenChoices, sessions: Sessions, count: () => number): OpenChoices {
  const next = new Map<string, OpenChoice>();
  for (const [id, session] of sessions) {
    const prompt = choiceOf(session);
    if (prompt === undefined) continue;
    const signature = signatureOf(prompt);
    const before = known.get(id);
    if (before?.signature === signature) next.set(id, before);
    else {
      const asked = count();
      next.set(id, { signature, asked, place: asked, about: undefined, phase: 'open' });
    }
  }
  const isSame = next.size === known.size && [...next].every(([id, choice]) => known.get(id) === choice);
  return isSame ? known : next;
}

/** Ids of the sessions whose questions stand beside their terminals: open, and not on the screen anyway. */
export function cardsOf({ choices, layout }: { choices: OpenChoices; layout: Layout }, isSmall: boolean): string[] {
  const panes = isSmall ? [focusedPane(layout)] : panesOf(layout.root);
  const inView = panes.map(({ tabs }) => tabs.active);
  return [...choices]
    .filter(([id, { phase }]) => (phase === 'open' || phase === 'sending') && !inView.includes(id))
    .sort(([, a], [, b]) => a.place - b.place)
    .map(([id]) => id);
}

const MOST_ROWS = 16;
const SIDES = /^\s*[│┃║]\s?|\s*[│┃║]\s*$/gu;
/** Above a line, or a part of the conversation, begins something else. */
const EDGE = /^\s*[╭┌┏╔]?[─━═▔]{3,}|^\s?[•●⏺✦]\s/u;
const ONLY_LINES = /^[\s╌┄┈╎─━]*$/u;

/** What the question is about: the rows of its dialog above the options, as plain text with their indentation. */
export function aboutRows(screen: string, { title, options }: ChoicePrompt): string[] {
  const rows = screen.split('\n').map((row) => plainRow(row).replace(SIDES, '').trimEnd());
  const [first] = options;
  const label = (first?.label ?? '').slice(0, 24);
  const isFirst = (row: string) => row.includes(label) && (first?.key === '' || /(?:^|\s|[❯›»>●→▶])1[.)]\s/u.test(row));
  const found: string[] = [];
  for (let at = rows.findLastIndex(isFirst) - 1; at >= 0 && found.length < MOST_ROWS; at--) {
    const row = rows[at] ?? '';
    if (EDGE.test(row)) break;
    if (row.trim() === title) continue;
    const isGap = ONLY_LINES.test(row);
    if (!isGap) found.unshift(row);
    else if (found.length > 0 && found[0] !== '') found.unshift('');
  }
  if (found[0] === '') found.shift();
  const indent = Math.min(...found.filter((row) => row !== '').map((row) => row.length - row.trimStart().length));
  return found.map((row) => row.slice(Number.isFinite(indent) ? indent : 0));
}

/** The part of a page's store that this is about. */
interface ChoiceStore {
  getState(): { sessions: Sessions; choices: OpenChoices };
  setState(change: { choices: OpenChoices }): void;
  subscribe(listener: (state: { sessions: Sessions }, before: { sessions: Sessions }) => void): () => void;
}

export interface ChoiceDependencies {
  client: { sessions: Pick<Client['sessions'], 'list' | 'textOutput' | 'write'> };
  store: ChoiceStore;
  clock: Clock;
  /** A person has answered. */
  answered(id: string): void;
  tell(text: string): void;
  explain(error: unknown, what: string): void;
}

export class Choices implements Disposable {
  readonly #dependencies: ChoiceDependencies;
  readonly #unsubscribe: () => void;
  readonly #timers = new Set<Disposable>();
  #count = 0;

  constructor(dependencies: ChoiceDependencies) {
    this.#dependencies = dependencies;
    this.#unsubscribe = dependencies.store.subscribe(({ sessions }, before) => {
      if (sessions === before.sessions) return;
      const next = keepChoices(this.#choices, sessions, () => ++this.#count);
      if (next !== this.#choices) dependencies.store.setState({ choices: next });
    });
  }

  dispose(): void {
    this.#unsubscribe();
    for (const timer of this.#timers) timer.dispose();
  }

  get #choices(): OpenChoices {
    return this.#dependencies.store.getState().choices;
  }

  /** Reads what the question is about, for whoever shows it. */
  async look(id: string): Promise<void> {
    const asked = this.#choices.get(id)?.asked;
    try {
      const { data } = await this.#dependencies.client.sessions.textOutput(id);
      const prompt = choiceOf(this.#dependencies.store.getState().sessions.get(id));
      if (prompt === undefined || this.#choices.get(id)?.asked !== asked) return;
      this.#patch(id, { about: aboutRows(data, prompt) });
    } catch (error) {
      this.#dependencies.explain(error, `What ${this.#name(id)} asks could not be read`);
    }
  }

  /** Puts it away until it is asked for, or something else is asked. */
  putOff(id: string): void {
    this.#patch(id, { phase: 'later' });
  }

  /** Brings back what was put off. */
  recall(): void {
    for (const [id, { phase }] of this.#choices) if (phase === 'later') this.#patch(id, { phase: 'open' });
  }

  /** Behind all others. */
  turn(id: string): void {
    this.#patch(id, { place: ++this.#count });
  }

  /** `asked` says which question the person saw. False when nothing is known to have been typed. */
  async answer(id: string, asked: number, key: string): Promise<boolean> {
    const choice = this.#choices.get(id);
    if (choice === undefined || choice.asked !== asked || choice.phase === 'sending' || choice.phase === 'sent') {
      return false;
    }
    const { client, clock, tell, explain } = this.#dependencies;
    const name = this.#name(id);
    this.#patch(id, { phase: 'sending' });
    const limit = new AbortController();
    const timer = clock.after(DEADLINES.answerLost, () => limit.abort(new ServerUnreachable(undefined)));
    try {
      if (!(await this.#stillStands(id, asked, limit.signal))) {
        this.#reopen(id, asked);
        const why =
          choice.about === undefined ? 'What it asks about was not known yet' : `The screen of ${name} has changed`;
        tell(`${why}. Nothing was typed: look again.`);
        return false;
      }
      await client.sessions.write(id, typedFor(key), limit.signal);
      this.#dependencies.answered(id);
      this.#patchAsked(id, asked, { phase: 'sent' });
      // An agent that did not take the key still asks, or it asks the same of something else: to be seen anew.
      const again = clock.after(DEADLINES.choiceTaken, () => {
        this.#timers.delete(again);
        this.#patchAsked(id, asked, { phase: 'open', asked: ++this.#count, about: undefined });
      });
      this.#timers.add(again);
      return true;
    } catch (error) {
      this.#reopen(id, asked);
      explain(error, `${name} could not be answered`);
      return false;
    } finally {
      timer.dispose();
    }
  }

  /** Whether the server still tells what was shown. What is about it is shown anew. */
  async #stillStands(id: string, asked: number, signal: AbortSignal): Promise<boolean> {
    const { sessions } = this.#dependencies.client;
    const [listed, { data }] = await Promise.all([sessions.list({ signal }), sessions.textOutput(id, { signal })]);
    const prompt = choiceOf(listed.find(({ session_id }) => session_id === id));
    const choice = this.#choices.get(id);
    if (prompt === undefined || choice?.asked !== asked || choice.signature !== signatureOf(prompt)) return false;
    const about = aboutRows(data, prompt);
    if (choice.about !== undefined && about.join('\n') === choice.about.join('\n')) return true;
    this.#patch(id, { about });
    return false;
  }

  /** It is answered, or given up: asked anew unless something else is asked by now. */
  #reopen(id: string, asked: number): void {
    const phase = this.#choices.get(id)?.phase;
    if (phase === 'sending' || phase === 'sent') this.#patchAsked(id, asked, { phase: 'open' });
  }

  #patchAsked(id: string, asked: number, change: Partial<OpenChoice>): void {
    if (this.#choices.get(id)?.asked === asked) this.#patch(id, change);
  }

  #patch(id: string, change: Partial<OpenChoice>): void {
    const choice = this.#choices.get(id);
    if (choice === undefined) return;
    this.#dependencies.store.setState({ choices: new Map(this.#choices).set(id, { ...choice, ...change }) });
  }

  #name(id: string): string {
    const session = this.#dependencies.store.getState().sessions.get(id);
    return session === undefined ? 'The terminal' : sessionLabel(session);
  }
}
