/**
 * Asks the server: every three seconds while the page is seen and not paused. One question at a time; an answer that comes after a pause
 * or a newer start is dropped.
 */
import type { KillProcess, ProcessHistory, ProcessStats } from '../../src/contract/index.ts';

const EVERY = 3_000;
const LONGEST_ANSWER = 20_000;

export interface Answer {
  stats: ProcessStats[];
  history: ProcessHistory;
}

/** What went wrong, in words for a person. */
export class AskError extends Error {
  readonly isLoginMissing: boolean;

  constructor(message: string, isLoginMissing = false) {
    super(message);
    this.name = 'AskError';
    this.isLoginMissing = isLoginMissing;
  }
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    const post = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const signal = AbortSignal.timeout(LONGEST_ANSWER);
    response = await fetch(path, { signal, ...(body === undefined ? {} : post) });
  } catch (error) {
    // A network error is a TypeError; neither tells a person anything.
    if (error instanceof TypeError || error instanceof DOMException) throw new AskError('The server does not answer.');
    throw error;
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as T;
  if (response.status === 401) throw new AskError('This browser is not logged in any more. Run “tuic open”.', true);
  throw new AskError(messageOf(text) ?? `The server answered ${response.status}.`);
}

function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function killProcess(input: KillProcess): Promise<void> {
  await ask('/process/kill', input);
}

export interface SourceListener {
  onAnswer(answer: Answer): void;
  onFailure(error: AskError): void;
  /** Highest id of a sample that is known. */
  newestId(): number;
}

export class Source {
  readonly #listener: SourceListener;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Grows with each start and stop; an answer of an older one is nobody's. */
  #generation = 0;

  constructor(listener: SourceListener) {
    this.#listener = listener;
  }

  start(): void {
    this.stop();
    void this.#run(this.#generation);
  }

  stop(): void {
    this.#generation++;
    clearTimeout(this.#timer);
  }

  async #run(generation: number): Promise<void> {
    try {
      const [stats, history] = await Promise.all([
        ask<ProcessStats[]>('/process/stats'),
        ask<ProcessHistory>(`/process/history?after=${this.#listener.newestId()}`),
      ]);
      if (generation === this.#generation) this.#listener.onAnswer({ stats, history });
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      if (generation === this.#generation) this.#listener.onFailure(error);
    } finally {
      if (generation === this.#generation) this.#timer = setTimeout(() => void this.#run(generation), EVERY);
    }
  }
}
