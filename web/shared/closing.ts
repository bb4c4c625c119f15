/**
 * Closing terminals, with a way back. A closed terminal leaves its pane at once; the program lives on for
 * DEADLINES.closeUndo, held by this window alone. So a reload or a crash of the page in between keeps the session.
 *
 * Ordering: a session is held at most once. Whatever ends the hold (the time, an undo, an end told by the server) takes it out
 * of the map first, so that only one of them acts.
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import { type Client, RequestRefused } from '../../src/client/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';
import type { Arrangement } from './arrangement.ts';
import { sessionAlias, sessionLabel } from './labels.ts';
import type { Layout } from './layout.ts';
import type { Notice, SessionEntry, WorkspaceStore } from './workspace-state.ts';

export interface ClosingDependencies {
  client: { sessions: Pick<Client['sessions'], 'close' | 'foregroundProcess'> };
  store: WorkspaceStore;
  clock: Clock;
  arrangement: Pick<Arrangement, 'layout' | 'leave' | 'use' | 'show'>;
  patch(id: string, change: Partial<SessionEntry>): void;
  /** Takes the session with its tab and terminal out of this window. */
  remove(id: string): void;
  notify(notice: Omit<Notice, 'id'>): number;
  dismiss(noticeId: number): void;
  explain(error: unknown, what: string): void;
}

interface Hold {
  timer: Disposable;
  notice: number;
  before: Layout;
  after: Layout;
}

export class Closing implements Disposable {
  readonly #dependencies: ClosingDependencies;
  /** Latest last. */
  readonly #holds = new Map<string, Hold>();

  constructor(dependencies: ClosingDependencies) {
    this.#dependencies = dependencies;
  }

  /** Closes a session, after asking when a program would be ended by it. */
  async request(id: string): Promise<void> {
    const { store, client, explain } = this.#dependencies;
    const session = store.getState().sessions.get(id);
    if (session === undefined || session.isClosing) return;
    if (session.lifecycle === 'live') {
      let process: string | null;
      try {
        process = await client.sessions.foregroundProcess(id);
      } catch (error) {
        explain(error, `${sessionAlias(session)} could not be closed`);
        return;
      }
      if (process !== null) {
        store.setState({ dialog: { kind: 'close', sessionId: id, process } });
        return;
      }
    }
    await this.close(id);
  }

  /** Closes without asking. What has ended is gone at once, as nothing can be lost. */
  async close(id: string): Promise<void> {
    const { store, clock, arrangement, patch, notify } = this.#dependencies;
    const session = store.getState().sessions.get(id);
    if (session === undefined || this.#holds.has(id)) return;
    if (session.lifecycle === 'exited') {
      await this.#end(id, arrangement.layout, arrangement.layout);
      return;
    }
    patch(id, { isClosing: true });
    const before = arrangement.layout;
    arrangement.leave(id);
    const after = arrangement.layout;
    const until = clock.now() + DEADLINES.closeUndo;
    const notice = notify({
      kind: 'info',
      text: `${sessionLabel(session)} is closed.`,
      until,
      actions: [
        { label: 'Undo', run: () => this.undo(id) },
        { label: 'End now', run: () => void this.finish(id) },
      ],
    });
    const timer = clock.after(DEADLINES.closeUndo, () => void this.finish(id));
    this.#holds.set(id, { timer, notice, before, after });
  }

  get canUndo(): boolean {
    return this.#holds.size > 0;
  }

  /** Brings a closed session back where it was; without an id the one closed last. */
  undo(id = [...this.#holds.keys()].at(-1)): void {
    if (id === undefined) return;
    const hold = this.#release(id);
    if (hold !== undefined) this.#bringBack(id, hold.before, hold.after);
  }

  /** Ends a held session at once. */
  async finish(id: string): Promise<void> {
    const hold = this.#release(id);
    if (hold !== undefined) await this.#end(id, hold.before, hold.after);
  }

  /** The session is gone anyway. */
  forget(id: string): void {
    this.#release(id);
  }

  /** Ends without a hold and without a way back. */
  async endNow(id: string): Promise<void> {
    const { arrangement, patch } = this.#dependencies;
    this.#release(id);
    patch(id, { isClosing: true });
    const before = arrangement.layout;
    arrangement.leave(id);
    await this.#end(id, before, arrangement.layout);
  }

  dispose(): void {
    for (const { timer } of this.#holds.values()) timer.dispose();
    this.#holds.clear();
  }

  #release(id: string): Hold | undefined {
    const hold = this.#holds.get(id);
    if (hold === undefined) return undefined;
    this.#holds.delete(id);
    hold.timer.dispose();
    this.#dependencies.dismiss(hold.notice);
    return hold;
  }

  async #end(id: string, before: Layout, after: Layout): Promise<void> {
    const { client, store, remove, explain } = this.#dependencies;
    const session = store.getState().sessions.get(id);
    if (session === undefined) return;
    try {
      // An exited session holds nothing any more; the server sweeps its record.
      if (session.lifecycle !== 'exited') await client.sessions.close(id);
      remove(id);
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 404) {
        remove(id);
        return;
      }
      this.#bringBack(id, before, after);
      explain(error, `${sessionAlias(session)} could not be closed`);
    }
  }

  #bringBack(id: string, before: Layout, after: Layout): void {
    const { arrangement, patch } = this.#dependencies;
    patch(id, { isClosing: false });
    if (arrangement.layout === after) arrangement.use(before);
    else arrangement.show(id);
  }
}
