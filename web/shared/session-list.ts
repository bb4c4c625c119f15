/**
 * Keeps the store's sessions true to the server's: the list is the truth, events say when to look again or what changed.
 *
 * Ordering: at most one list request runs; an event that comes while it runs makes it run once more, so the last list is
 * always newer than the last event. A session never comes back to life: an older answer cannot undo an end that was told.
 */

import type { Clock } from '../../src/base/index.ts';
import { type Client, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { type AppEvent, type CloseReason, DEADLINES, type SessionInfo } from '../../src/contract/index.ts';
import type { SessionEntry, WorkspaceStore } from './workspace-state.ts';

export interface SessionListEvents {
  /** The list was read. */
  loaded(): void;
  /** Somebody closed or killed the session; it is gone from the store. */
  removed(session: SessionEntry, reason: CloseReason): void;
  refused(error: RequestRefused): void;
}

export class SessionList {
  readonly #client: Client;
  readonly #store: WorkspaceStore;
  readonly #clock: Clock;
  readonly #events: SessionListEvents;
  /** Titles not shown yet: programs that draw a spinner there set many a second. */
  readonly #titles = new Map<string, string>();
  #reading: Promise<void> | undefined;
  #isStale = false;

  constructor(client: Client, store: WorkspaceStore, clock: Clock, events: SessionListEvents) {
    this.#client = client;
    this.#store = store;
    this.#clock = clock;
    this.#events = events;
  }

  /** Resolves once the store is as new as this call. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false;
        this.#replace(await this.#client.sessions.list({ all: true }));
      }
      this.#events.loaded();
    } catch (error) {
      if (error instanceof RequestRefused) this.#events.refused(error);
      // Without a server the event stream says so, and a new connection reads the list again.
      else if (!(error instanceof ServerUnreachable)) throw error;
    } finally {
      // In the same turn as the last look at the flag: a call in between would go unheard.
      this.#reading = undefined;
    }
  }

  onEvent(event: AppEvent): void {
    if (!('session_id' in event.data)) return;
    const id = event.data.session_id;
    if (this.#reading !== undefined) this.#isStale = true;
    switch (event.name) {
      case 'session-created':
        void this.refresh();
        return;
      case 'term-alias-assigned':
        this.patch(id, { alias: event.data.alias });
        return;
      case 'session-renamed':
        this.patch(id, {
          display_name: event.data.display_name ?? '',
          display_name_is_custom: event.data.display_name_is_custom,
        });
        return;
      case 'session-title':
        if (this.#titles.size === 0) this.#clock.after(DEADLINES.titleBatch, () => this.#showTitles());
        this.#titles.set(id, event.data.title);
        return;
      case 'session-state':
        this.patch(id, { state: event.data.state });
        return;
      case 'session-closed':
        this.end(id, event.data.reason);
        return;
      case 'pty-exit':
        return;
    }
  }

  #showTitles(): void {
    const sessions = new Map(this.#store.getState().sessions);
    for (const [id, title] of this.#titles) {
      const session = sessions.get(id);
      if (session !== undefined) sessions.set(id, { ...session, title });
    }
    this.#titles.clear();
    this.#store.setState({ sessions });
  }

  /** A session is over. Told by an event or by its stream, whichever comes first. */
  end(id: string, reason: CloseReason, exitCode?: number): void {
    const session = this.#store.getState().sessions.get(id);
    if (session === undefined) return;
    if (reason === 'explicit_close' || reason === 'killed') {
      this.remove(id);
      this.#events.removed(session, reason);
      return;
    }
    if (reason === 'host_lost') this.patch(id, { lifecycle: 'lost' });
    else {
      this.patch(id, exitCode === undefined ? { lifecycle: 'exited' } : { lifecycle: 'exited', exit_code: exitCode });
      if (exitCode === undefined && session.exit_code === undefined) void this.refresh();
    }
  }

  patch(id: string, change: Partial<SessionEntry>): void {
    const { sessions } = this.#store.getState();
    const session = sessions.get(id);
    if (session === undefined) return;
    const next = new Map(sessions);
    next.set(id, { ...session, ...change });
    this.#store.setState({ sessions: next });
  }

  remove(id: string): void {
    const { sessions } = this.#store.getState();
    if (!sessions.has(id)) return;
    const next = new Map(sessions);
    next.delete(id);
    this.#store.setState({ sessions: next });
  }

  #replace(listed: SessionInfo[]): void {
    const { sessions, tabs } = this.#store.getState();
    const next = new Map<string, SessionEntry>();
    for (const session of listed) next.set(session.session_id, mergeSession(sessions.get(session.session_id), session));
    for (const [id, known] of sessions) {
      // Ended and swept on the server, but still on show here.
      if (!next.has(id) && tabs.order.includes(id) && !known.isClosing) next.set(id, { ...known, lifecycle: 'exited' });
    }
    this.#store.setState({ sessions: next, isLoaded: true, access: 'granted' });
  }
}

function mergeSession(known: SessionEntry | undefined, listed: SessionInfo): SessionEntry {
  if (known === undefined || known.created_at !== listed.created_at) return { ...listed, isClosing: false };
  if (known.lifecycle === 'live' || listed.lifecycle !== 'live') return { ...listed, isClosing: known.isClosing };
  // The answer is older than the end that was told.
  const { lifecycle, exit_code, isClosing } = known;
  return { ...listed, lifecycle, isClosing, ...(exit_code === undefined ? {} : { exit_code }) };
}
