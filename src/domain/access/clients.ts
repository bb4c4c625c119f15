/**
 * Owns the list of connected workspaces and phone pages (http.md 6.1). An entry lives exactly as long as its subscriptions: a
 * client that reconnects before its old connection ended keeps its entry.
 */
import { type Clock, type Disposable, Emitter, type Listener, toDisposable } from '../../base/index.ts';
import { AppError, type ClientInfo, type ClientKind, LIMITS } from '../../contract/index.ts';

interface Entry {
  info: ClientInfo;
  isLoggedIn: boolean;
  subscriptions: number;
}

export interface ConnectClient {
  clientId: string;
  kind: ClientKind;
  /** It came in by a login in the browser, not as a script of the same user. */
  isLoggedIn: boolean;
}

export class ConnectedClients {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #left = new Emitter<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  connect({ clientId, kind, isLoggedIn }: ConnectClient): Disposable {
    let entry = this.#entries.get(clientId);
    if (entry === undefined) {
      if (this.#entries.size >= LIMITS.clients) {
        throw new AppError('invalid_input', { detail: `more than ${LIMITS.clients} clients are connected` });
      }
      const info = { client_id: clientId, kind, connected_at: this.#clock.now(), last_focused_at: null };
      entry = { info, isLoggedIn, subscriptions: 0 };
      this.#entries.set(clientId, entry);
    }
    // Whoever shares an entry must have come in the same way: a script cannot borrow a workspace's id, nor lend it one.
    entry.isLoggedIn &&= isLoggedIn;
    entry.subscriptions++;
    const own = entry;
    return toDisposable(() => {
      own.subscriptions--;
      if (own.subscriptions > 0) return;
      this.#entries.delete(clientId);
      this.#left.emit(clientId);
    });
  }

  list(): ClientInfo[] {
    return [...this.#entries.values()].map(({ info }) => ({ ...info }));
  }

  setFocus(clientId: string, isFocused: boolean): void {
    const entry = this.#entries.get(clientId);
    if (entry === undefined) throw new AppError('not_found', { what: 'client' });
    if (isFocused) entry.info.last_focused_at = this.#clock.now();
  }

  /** Told when the last subscription of a client ended. */
  onLeave(listener: Listener<string>): Disposable {
    return this.#left.on(listener);
  }

  /** The workspace that a person looked at last; while nobody looked at one, the newest. */
  focusedWorkspace(): string | undefined {
    const workspaces = [...this.#entries.keys()].filter((id) => this.isWorkspace(id));
    const seenAt = (id: string) => this.#entries.get(id)?.info.last_focused_at ?? -1;
    return workspaces.sort((one, other) => seenAt(one) - seenAt(other)).at(-1);
  }

  /** A workspace that a person logged in to, by a ticket. */
  isWorkspace(clientId: string): boolean {
    const entry = this.#entries.get(clientId);
    return entry?.isLoggedIn === true && entry.info.kind === 'workspace';
  }
}
