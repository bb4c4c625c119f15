/**
 * What of an agent is worth a sound, and a notice of the browser: steps of its state that this page saw, never what it finds.
 *
 * Promises: nothing is told of what the person has in front of them. The browser shows no notice of an agent that the person has
 * asked nothing (S06), and a turn of such an agent ends in silence.
 */
import type { Disposable } from '../../src/base/index.ts';
import type { AppEvent } from '../../src/contract/index.ts';
import { sessionLabel } from './labels.ts';
import { type Memory, parseObject } from './preferences.ts';
import { describeStatus, statusDetail, statusOf } from './session-status.ts';
import type { SoundName } from './sound.ts';
import type { SessionEntry } from './workspace-state.ts';

/** The sound of a step; undefined when nobody needs to know of it. */
export function alertOf(before: SessionEntry | undefined, after: SessionEntry): SoundName | undefined {
  if (before === undefined) return undefined;
  const was = statusOf(before);
  const is = statusOf(after);
  if (was === is) return undefined;
  const isAgent = (before.state ?? after.state)?.agent_type !== undefined;
  if (is === 'asks') return 'question';
  if (!isAgent) return undefined;
  switch (is) {
    case 'limited':
      return 'warning';
    case 'error':
    case 'failed':
    case 'lost':
      return 'error';
    case 'idle':
    case 'ended':
      return was === 'working' ? 'completion' : undefined;
    // What it offers may be told a moment after its rest.
    case 'done':
      return was === 'idle' ? undefined : 'completion';
    default:
      return undefined;
  }
}

const KEY = 'tuicommander.asked';
const MOST_REMEMBERED = 200;

/** The sessions that a person in this browser has asked something. */
export class AskedSessions {
  readonly #memory: Memory;
  readonly #ids: Set<string>;

  constructor(memory: Memory) {
    this.#memory = memory;
    const { ids } = parseObject(memory.read(KEY));
    this.#ids = new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#memory.write(KEY, JSON.stringify({ ids: [...this.#ids].slice(-MOST_REMEMBERED) }));
  }
}

interface AlertState {
  isLoaded: boolean;
  sessions: ReadonlyMap<string, SessionEntry>;
}

export interface AlertDependencies {
  store: { subscribe(listener: (state: AlertState, before: AlertState) => void): () => void };
  /** It is on the screen of a page that has the focus. */
  isSeen(id: string): boolean;
  wasAsked(id: string): boolean;
  /** Turns of sessions that were not made at the workspace end in silence. */
  silencesRemote(): boolean;
  play(sound: SoundName): void;
  /** Shows a notice of the browser, if the person wants those and looks elsewhere. */
  show(id: string, title: string, text: string): void;
}

export class Alerts implements Disposable {
  readonly #dependencies: AlertDependencies;
  readonly #unsubscribe: () => void;

  constructor(dependencies: AlertDependencies) {
    this.#dependencies = dependencies;
    this.#unsubscribe = dependencies.store.subscribe((state, before) => {
      if (state.sessions === before.sessions || !before.isLoaded) return;
      for (const [id, session] of state.sessions) {
        const known = before.sessions.get(id);
        if (known !== session) this.#step(known, session);
      }
    });
  }

  dispose(): void {
    this.#unsubscribe();
  }

  /** An agent that somebody else has started. */
  onEvent(event: AppEvent): void {
    if (event.name === 'session-created' && event.data.is_remote && event.data.agent_type !== null) {
      this.#dependencies.play('info');
    }
  }

  #step(before: SessionEntry | undefined, after: SessionEntry): void {
    const id = after.session_id;
    const sound = alertOf(before, after);
    const { isSeen, wasAsked, silencesRemote, play, show } = this.#dependencies;
    if (sound === undefined || isSeen(id)) return;
    const isAsked = wasAsked(id);
    if (sound !== 'completion' || isAsked || (after.is_remote && !silencesRemote())) play(sound);
    if (isAsked) show(id, `${sessionLabel(after)}: ${describeStatus(after)}`, statusDetail(after) ?? '');
  }
}
