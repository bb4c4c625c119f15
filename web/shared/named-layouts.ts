/**
 * Arrangements that were given a name, kept by the server in `pane-layout.json` (http.md 10.1) for all windows and browsers.
 * Owns `layouts` of the store. Each is kept with what its terminals were started with, so that ended ones can be had again.
 *
 * Ordering: one request at a time, in the order of the calls. A change is a function of the newest list: when another window
 * wrote meanwhile (412), the list is read and the change made to it again. The store shows what the server has taken, never
 * what it has not.
 */
import type { Clock } from '../../src/base/index.ts';
import { type Client, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import type { AppEvent, CreateSession, SessionInfo } from '../../src/contract/index.ts';
import { isAgentPanel } from './agent-tabs.ts';
import type { Arrangement } from './arrangement.ts';
import { cleanText } from './labels.ts';
import { allTabs, keepSessions, type Layout, panesOf, parseLayout, replaceSessions } from './layout.ts';
import type { NamedLayout, NoticeAction, SavedSession, WorkspaceStore } from './workspace-state.ts';

const FILE = 'pane-layout';
const MOST_LAYOUTS = 50;
export const LONGEST_LAYOUT_NAME = 60;
/** Times a change is made again when others write at the same time. */
const ATTEMPTS = 4;

export interface NamedLayoutsDependencies {
  client: { config: Pick<Client['config'], 'readFile' | 'writeFile'>; sessions: Pick<Client['sessions'], 'create'> };
  store: WorkspaceStore;
  clock: Clock;
  arrangement: Pick<Arrangement, 'layout' | 'use'>;
  /** Resolves once new sessions are in the store. */
  refresh(): Promise<void>;
  offer(text: string, actions: readonly NoticeAction[]): void;
  explain(error: unknown, what: string): void;
}

type Change = (layouts: readonly NamedLayout[]) => readonly NamedLayout[];

export class NamedLayouts {
  readonly #dependencies: NamedLayoutsDependencies;
  /** The whole document: what others keep in it is written back as it was. */
  #document: Readonly<Record<string, unknown>> = {};
  #etag: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: NamedLayoutsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reads the list. Without a server nothing is told: the next connection reads again. */
  load(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#read();
      } catch (error) {
        if (error instanceof RequestRefused) {
          // A missing credential is told by the list of sessions, which needs the same.
          if (error.status >= 500) this.#dependencies.explain(error, 'The layouts could not be read');
        } else if (!(error instanceof ServerUnreachable)) throw error;
      }
    });
  }

  onEvent(event: AppEvent): void {
    if (event.name === 'config-changed' && event.data.file === FILE && event.data.etag !== this.#etag) void this.load();
  }

  find(name: string): NamedLayout | undefined {
    return this.#dependencies.store.getState().layouts.find((one) => one.name === name);
  }

  /** Keeps the arrangement of this window under a name, in place of one that has it. Resolves to whether it is kept. */
  async save(wanted: string): Promise<boolean> {
    const { store, clock, arrangement, offer } = this.#dependencies;
    const name = cleanLayoutName(wanted);
    if (name === '') return false;
    // Tabs of agents go with what opened them; there is nothing to start again.
    const layout = keepSessions(arrangement.layout, (id) => !isAgentPanel(id));
    const before = this.find(name);
    const entry: NamedLayout = { name, layout, sessions: describeSessions(layout, store), savedAt: clock.now() };
    if (!(await this.#change(`“${name}” could not be saved`, (list) => put(list, entry)))) return false;
    offer(
      `Layout ${name} is saved.`,
      before === undefined ? [] : [{ label: 'Undo', run: () => void this.restore(before) }],
    );
    return true;
  }

  /** Resolves to what stands against it. */
  async rename(name: string, wanted: string): Promise<string | undefined> {
    const next = cleanLayoutName(wanted);
    if (next === '') return 'A layout needs a name.';
    if (next === name) return undefined;
    if (this.find(next) !== undefined) return `There is a layout ${next} already.`;
    const isDone = await this.#change(`“${name}” could not be renamed`, (list) =>
      list.some((one) => one.name === next)
        ? list
        : list.map((one) => (one.name === name ? { ...one, name: next } : one)),
    );
    return isDone ? undefined : 'It could not be renamed.';
  }

  async remove(name: string): Promise<boolean> {
    const before = this.find(name);
    if (before === undefined) return false;
    const isDone = await this.#change(`“${name}” could not be deleted`, (list) =>
      list.filter((one) => one.name !== name),
    );
    if (isDone)
      this.#dependencies.offer(`Layout ${name} is deleted.`, [{ label: 'Undo', run: () => void this.restore(before) }]);
    return isDone;
  }

  /** Arranges this window as it was saved. No program is started or ended by that; the notice leads back. */
  use(name: string): void {
    const { arrangement, offer } = this.#dependencies;
    const saved = this.find(name);
    if (saved === undefined) return;
    const missing = this.missing(saved);
    const count = allTabs(saved.layout).order.length;
    const start: NoticeAction = { label: 'Start again', run: () => void this.startMissing(name) };
    if (missing.length === count) {
      offer(`All terminals of layout ${name} have ended.`, [start]);
      return;
    }
    const before = arrangement.layout;
    arrangement.use(saved.layout);
    const back: NoticeAction = { label: 'Back', run: () => arrangement.use(before) };
    if (missing.length === 0) offer(`Layout ${name} is shown.`, [back]);
    else
      offer(`Layout ${name} is shown without ${missing.length} of ${count} terminals, which have ended.`, [
        start,
        back,
      ]);
  }

  /** Sessions of a layout that are no more. */
  missing({ layout }: NamedLayout): readonly string[] {
    const { sessions } = this.#dependencies.store.getState();
    return allTabs(layout).order.filter((id) => {
      const session = sessions.get(id);
      return session === undefined || session.isClosing;
    });
  }

  /** Starts what has ended of a layout as it was started before, shows the layout, and keeps it with the new sessions. */
  async startMissing(name: string): Promise<void> {
    const { client, arrangement, refresh, explain } = this.#dependencies;
    const saved = this.find(name);
    if (saved === undefined) return;
    const started = new Map<string, string>();
    for (const id of this.missing(saved)) {
      try {
        const created = await client.sessions.create(launchOf(saved.sessions[id]));
        started.set(id, created.session_id);
      } catch (error) {
        explain(error, `A terminal of layout ${name} could not be started`);
      }
    }
    if (started.size === 0) return;
    await refresh();
    const layout = replaceSessions(saved.layout, started);
    arrangement.use(layout);
    const sessions = Object.fromEntries(
      Object.entries(saved.sessions).map(([id, session]) => [started.get(id) ?? id, session]),
    );
    await this.#change(`“${name}” could not be saved`, (list) =>
      list.map((one) => (one.name === name ? { ...one, layout, sessions } : one)),
    );
  }

  /** Puts a deleted or replaced one back. */
  restore(entry: NamedLayout): Promise<boolean> {
    return this.#change(`“${entry.name}” could not be put back`, (list) => put(list, entry));
  }

  #change(what: string, change: Change): Promise<boolean> {
    return this.#inTurn(async () => {
      const { client, store, explain } = this.#dependencies;
      try {
        for (let attempt = 1; ; attempt++) {
          if (this.#etag === undefined) await this.#read();
          const layouts = change(store.getState().layouts).slice(0, MOST_LAYOUTS);
          const document = { ...this.#document, layouts: layouts.map(storedForm) };
          try {
            this.#etag = await client.config.writeFile(FILE, document, { ifMatch: this.#etag ?? '' });
          } catch (error) {
            if (!(error instanceof RequestRefused) || error.status !== 412 || attempt === ATTEMPTS) throw error;
            this.#etag = undefined;
            continue;
          }
          this.#document = document;
          store.setState({ layouts });
          return true;
        }
      } catch (error) {
        explain(error, what);
        return false;
      }
    });
  }

  async #read(): Promise<void> {
    const { value, etag } = await this.#dependencies.client.config.readFile(FILE);
    this.#document = isRecord(value) ? value : {};
    this.#etag = etag;
    this.#dependencies.store.setState({ layouts: parseLayouts(value) });
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#last.then(step);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

export function cleanLayoutName(name: string): string {
  return [...cleanText(name)].slice(0, LONGEST_LAYOUT_NAME).join('').trim();
}

/** What of a stored document can be used. Anybody who may write it could have written anything. */
export function parseLayouts(value: unknown): readonly NamedLayout[] {
  if (!isRecord(value) || !Array.isArray(value.layouts)) return [];
  const found = new Map<string, NamedLayout>();
  for (const one of value.layouts) {
    if (!isRecord(one) || typeof one.name !== 'string' || !isRecord(one.layout)) continue;
    const name = cleanLayoutName(one.name);
    const layout = parseLayout(one.layout);
    if (name === '' || layout === undefined || found.has(name)) continue;
    const stored = isRecord(one.sessions) ? one.sessions : {};
    const sessions = allTabs(layout).order.map((id) => [id, parseSession(stored[id])] as const);
    const savedAt = typeof one.saved_at === 'number' && Number.isFinite(one.saved_at) ? one.saved_at : 0;
    found.set(name, { name, layout, sessions: Object.fromEntries(sessions), savedAt });
  }
  return [...found.values()].slice(0, MOST_LAYOUTS);
}

function parseSession(value: unknown): SavedSession {
  if (!isRecord(value)) return {};
  const { cwd, shell, args, name } = value;
  const isText = (one: unknown): one is string => typeof one === 'string';
  return {
    ...(isText(cwd) ? { cwd } : {}),
    ...(isText(shell) ? { shell } : {}),
    ...(Array.isArray(args) && args.every(isText) ? { args } : {}),
    ...(isText(name) ? { name } : {}),
  };
}

function storedForm({ name, layout, sessions, savedAt }: NamedLayout): unknown {
  return { name, layout, sessions, saved_at: savedAt };
}

function put(list: readonly NamedLayout[], entry: NamedLayout): readonly NamedLayout[] {
  const isThere = list.some((one) => one.name === entry.name);
  return isThere ? list.map((one) => (one.name === entry.name ? entry : one)) : [...list, entry];
}

function describeSessions(layout: Layout, store: WorkspaceStore): Record<string, SavedSession> {
  const { sessions } = store.getState();
  return Object.fromEntries(
    panesOf(layout.root)
      .flatMap(({ tabs }) => tabs.order)
      .map((id) => [id, describeSession(sessions.get(id))]),
  );
}

function describeSession(session: SessionInfo | undefined): SavedSession {
  if (session === undefined) return {};
  const { cwd, shell, args, display_name: name, display_name_is_custom: isCustom } = session;
  return {
    ...(cwd === null ? {} : { cwd }),
    ...(shell === undefined ? {} : { shell }),
    ...(args === undefined ? {} : { args }),
    ...(isCustom === true && name ? { name } : {}),
  };
}

function launchOf({ cwd, shell, args, name }: SavedSession = {}): CreateSession {
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(shell === undefined ? {} : { shell }),
    ...(args === undefined ? {} : { args: [...args] }),
    ...(name === undefined ? {} : { display_name: name, display_name_is_custom: true }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
