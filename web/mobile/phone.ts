/**
 * The phone page's actions and its link to the server. Owns the event stream, the list, the session on screen and what is
 * typed to it; the components only read the store and call what is here.
 *
 * Ordering: input is written piece by piece, each after the answer to the one before (`#writes`), so that it arrives in the
 * order it was given. The list is replaced as a whole by each answer; events only say when to ask.
 */
import { type Clock, type Disposable, DisposableStore } from '../../src/base/index.ts';
import {
  type Client,
  type EventStream,
  RequestRefused,
  ServerUnreachable,
  type StreamEnd,
} from '../../src/client/index.ts';
import { type CreateAgentSession, type CreateSession, DEADLINES, type SessionInfo } from '../../src/contract/index.ts';
import { Choices } from '../shared/choices.ts';
import { Failures, isRefusal } from '../shared/failures.ts';
import { cleanText, sessionLabel } from '../shared/labels.ts';
import { watchLimits } from '../shared/limits.ts';
import { type Memory, type Preferences, writePreferences } from '../shared/preferences.ts';
import { Questions } from '../shared/questions.ts';
import { Sounds } from '../shared/sound.ts';
import { Suggestions } from '../shared/suggestions.ts';
import { encodeKey, encodeText, type InputModes, type Key } from './keys.ts';
import { Liveness, type WakeReason } from './liveness.ts';
import { LogBuffer } from './log-buffer.ts';
import { LogFeed } from './log-feed.ts';
import { LogView } from './log-view.ts';
import { PendingCloses } from './pending-closes.ts';
import {
  FRESH_VIEWER,
  logTheme,
  type Notice,
  type PhoneState,
  type PhoneStore,
  type Route,
  type Sheet,
  shownSession,
  type ViewerState,
} from './phone-state.ts';
import { routePath } from './route.ts';

const NOTICE_TIME = 6_000;
const WRAP_KEY = 'tuicommander.phone.wrap';
/** Far above what anybody types, below what the server takes in one request. */
const LONGEST_TEXT = 1_000_000;

export interface PhoneDependencies {
  client: Client;
  clientId: string;
  store: PhoneStore;
  clock: Clock;
  memory: Memory;
  /** Puts the address of the page on show into the browser's history. */
  showAddress(path: string, how: 'push' | 'replace'): void;
}

export class Phone implements Disposable {
  readonly store: PhoneStore;
  readonly questions: Questions;
  readonly choices: Choices;
  readonly suggestions: Suggestions;
  readonly #sounds: Sounds;
  readonly #dependencies: PhoneDependencies;
  readonly #liveness: Liveness;
  readonly #failures: Failures;
  readonly #closes: PendingCloses;
  readonly #disposables = new DisposableStore();
  #events: EventStream | undefined;
  #feed: LogFeed | undefined;
  #view: LogView | undefined;
  #writes: Promise<void> = Promise.resolve();
  /** Ended sessions that somebody put away here; the server keeps their record for some minutes. */
  readonly #dismissed = new Set<string>();
  #lastNotice = 0;
  #reads = 0;
  #newestRead = 0;

  constructor(dependencies: PhoneDependencies) {
    const { clock, store } = dependencies;
    this.#dependencies = dependencies;
    this.store = store;
    this.#failures = new Failures({
      loggedOut: () => this.store.setState({ access: 'needed' }),
      tell: (text) => this.notify('error', text),
      unreachable: () => this.#liveness.suspect(),
    });
    this.#sounds = new Sounds(dependencies.client.config);
    this.questions = new Questions({
      client: dependencies.client,
      shown: () => store.getState().questions,
      show: (questions) => store.setState({ questions }),
      notify: (kind, text) => this.notify(kind, text),
      play: (sound) => this.#sounds.play(sound),
      explain: (error, what) => this.#failures.explain(error, what),
    });
    this.choices = new Choices({
      client: dependencies.client,
      store,
      clock,
      answered: () => undefined,
      tell: (text) => this.notify('info', text),
      explain: (error, what) => this.#failures.explain(error, what),
    });
    this.#disposables.add(this.choices);
    this.suggestions = new Suggestions({
      client: dependencies.client,
      find: (id) => store.getState().sessions.get(id),
      asked: () => undefined,
      tell: (text) => this.notify('info', text),
      explain: (error, what) => this.#failures.explain(error, what),
    });
    this.#liveness = new Liveness({
      clock,
      ask: (signal) => this.#readList(signal),
      reopen: () => {
        this.#events?.reconnect();
        this.#feed?.reopen();
      },
      changed: (liveness) => store.setState({ liveness }),
    });
    this.#closes = new PendingCloses(clock, {
      changed: (ids) => this.#showPendingCloses(ids),
      commit: (id) => void this.#close(id),
    });
    this.#disposables.add(this.#liveness);
    this.#disposables.add(this.#closes);
    this.#disposables.add({ dispose: store.subscribe((state, before) => this.#onChange(state, before)) });
  }

  start(): void {
    const { client, clientId } = this.#dependencies;
    this.#liveness.start();
    this.#events = client.openEvents(
      {
        event: (event) => {
          if (event.name === 'session-title') this.#patch(event.data.session_id, { title: event.data.title });
          else if (event.name === 'session-state') this.#patch(event.data.session_id, { state: event.data.state });
          else if ('session_id' in event.data) this.#liveness.refresh();
          this.questions.onEvent(event);
          this.#sounds.onEvent(event);
        },
        lagged: () => {
          this.#liveness.refresh();
          void this.questions.load();
        },
        connected: () => {
          this.#liveness.refresh();
          void this.questions.load();
          void this.#sounds.load();
          this.reportFocus(document.hasFocus());
        },
        disconnected: (_wait, cause) => {
          if (cause instanceof RequestRefused) this.#failures.refused(cause);
          else this.#liveness.suspect();
        },
      },
      { client: { id: clientId, kind: 'phone' }, longestWait: DEADLINES.retryMaximumWatched },
    );
    this.#disposables.add(this.#events);
    this.#disposables.add(watchLimits(this.store, this.#dependencies.clock));
  }

  dispose(): void {
    this.hideLog();
    this.#disposables.dispose();
  }

  get #state(): PhoneState {
    return this.store.getState();
  }

  // Connection

  wake(reason: WakeReason): void {
    this.#liveness.wake(reason);
  }

  hide(): void {
    this.#closes.commitAll();
    this.#liveness.hide();
  }

  goOffline(): void {
    this.#liveness.goOffline();
  }

  checkNow(): void {
    this.#liveness.suspect();
  }

  reportFocus(focused: boolean): void {
    const { client, clientId } = this.#dependencies;
    client.reportFocus(clientId, focused).catch((error: unknown) => {
      // Only a hint for the server; the next connection tells it again.
      if (!isRefusal(error)) throw error;
    });
  }

  // Pages

  go(route: Route, how: 'push' | 'replace' | 'none' = 'push'): void {
    this.store.setState({ route, sheet: undefined });
    if (how !== 'none') this.#dependencies.showAddress(routePath(route), how);
  }

  openSheet(sheet: Sheet): void {
    this.store.setState({ sheet });
  }

  closeSheet(): void {
    this.store.setState({ sheet: undefined });
  }

  // The session on screen

  /** Shows a session's output in an element; what was shown before is let go. */
  showLog(sessionId: string, scroller: HTMLElement): void {
    this.hideLog();
    const { client, clock } = this.#dependencies;
    const buffer = new LogBuffer();
    const view = new LogView(scroller, buffer, logTheme(this.#state), clock, {
      changed: (log) => this.#setViewer({ log }),
      nearTop: () => void feed.loadOlder(),
    });
    const feed = new LogFeed(
      client,
      clock,
      sessionId,
      buffer,
      {
        isFollowed: () => view.state.isFollowing,
        isOver: () => this.#state.sessions.get(sessionId)?.lifecycle === 'exited',
      },
      {
        changed: (isReset) => {
          if (isReset) view.redraw();
          else view.invalidate();
          if (!this.#state.viewer.hasOutput) this.#setViewer({ hasOutput: true });
        },
        connection: (connection) => this.#setViewer({ connection }),
        program: (state) =>
          this.#setViewer({
            applicationCursorKeys: state.application_cursor_keys === true,
            bracketedPaste: state.bracketed_paste === true,
            isFullScreen: state.terminal_mode?.mode === 'FullscreenTui',
          }),
        ended: (end) => {
          this.#setViewer({ end: describeEnd(end) });
          this.#liveness.refresh();
        },
        refused: (error) => this.#failures.refused(error),
      },
    );
    this.#view = view;
    this.#feed = feed;
    this.store.setState({ viewer: FRESH_VIEWER });
    void feed.open();
  }

  hideLog(): void {
    this.#feed?.dispose();
    this.#view?.dispose();
    this.#feed = undefined;
    this.#view = undefined;
  }

  /** Back to the newest line. */
  jumpToNewest(): void {
    this.#view?.follow();
    this.#feed?.catchUp();
  }

  screenText(): string {
    return this.#view?.screenText() ?? '';
  }

  sendKey(key: Key, isCtrl: boolean): void {
    void this.#write([encodeKey(key, isCtrl, this.#modes)]);
  }

  sendRaw(data: string): void {
    void this.#write([data]);
  }

  /** Sends text, with Enter. False when nothing was sent or nobody knows; the text is the caller's to keep then. */
  async sendText(text: string): Promise<boolean> {
    if (text.length > LONGEST_TEXT) {
      this.#failSend('The text is longer than 1 MB. Nothing of it was sent.', false);
      return false;
    }
    return this.#write(encodeText(text, true, this.#modes));
  }

  clearSendFailure(): void {
    if (this.#state.viewer.send.kind === 'failed') this.#setViewer({ send: { kind: 'idle' } });
  }

  get #modes(): InputModes {
    const { applicationCursorKeys, bracketedPaste } = this.#state.viewer;
    return { applicationCursorKeys, bracketedPaste };
  }

  #write(pieces: readonly string[]): Promise<boolean> {
    const session = shownSession(this.#state);
    if (session === undefined) return Promise.resolve(false);
    this.jumpToNewest();
    const work = this.#writes.then(() => this.#writePieces(session.session_id, pieces));
    this.#writes = work.then(() => undefined);
    return work;
  }

  async #writePieces(id: string, pieces: readonly string[]): Promise<boolean> {
    const { client, clock } = this.#dependencies;
    const { reach } = this.#state.liveness;
    if (reach === 'unreachable' || reach === 'offline') {
      this.#failSend('Not connected. Nothing was sent.', false);
      return false;
    }
    this.#setViewer({ send: { kind: 'sending' } });
    let written = 0;
    for (const piece of pieces) {
      const limit = new AbortController();
      const timer = clock.after(DEADLINES.answerLost, () => limit.abort(new ServerUnreachable(undefined)));
      try {
        await client.sessions.write(id, piece, limit.signal);
        written++;
      } catch (error) {
        if (error instanceof RequestRefused) {
          this.#failSend(`${written === 0 ? 'Not sent' : 'Sent in part'}: ${error.message}`, written > 0);
          if (error.status === 401 || error.status === 403) this.#failures.refused(error);
        } else if (error instanceof ServerUnreachable) {
          this.#failSend('No answer: it may have arrived. Look before you send it again.', true);
          this.#liveness.suspect();
        } else throw error;
        return false;
      } finally {
        timer.dispose();
      }
    }
    this.#setViewer({ send: { kind: 'idle' } });
    return true;
  }

  #failSend(reason: string, isUncertain: boolean): void {
    this.#setViewer({ send: { kind: 'failed', reason, isUncertain } });
  }

  // Sessions

  create(input: CreateSession): Promise<boolean> {
    return this.#open(
      async () => (await this.#dependencies.client.sessions.create(input)).session_id,
      'The terminal could not be opened',
    );
  }

  async #open(make: () => Promise<string>, failure: string): Promise<boolean> {
    if (this.#state.isCreating) return false;
    this.store.setState({ isCreating: true });
    try {
      const session_id = await make();
      await this.#readList();
      this.go({ page: 'session', reference: session_id });
      return true;
    } catch (error) {
      this.#failures.explain(error, failure);
      return false;
    } finally {
      this.store.setState({ isCreating: false });
    }
  }

  /** An agent with its task. */
  startAgent(input: CreateAgentSession): Promise<boolean> {
    return this.#open(async () => {
      const { session_id, launch_warning } = await this.#dependencies.client.agents.start(input);
      if (launch_warning !== undefined) this.notify('info', cleanText(launch_warning));
      return session_id;
    }, 'The agent could not be started');
  }

  /** The agents of this machine by their names; empty while the server does not say. */
  async agentsHere(): Promise<readonly string[]> {
    try {
      const { agents } = await this.#dependencies.client.agents.detect();
      return agents.filter(({ path }) => path !== null).map(({ name }) => name);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return [];
    }
  }

  async rename(id: string, name: string): Promise<void> {
    this.closeSheet();
    const session = this.#state.sessions.get(id);
    const text = name.trim();
    if (session === undefined || text === (session.display_name ?? '')) return;
    const before = {
      display_name: session.display_name ?? '',
      display_name_is_custom: session.display_name_is_custom ?? false,
    };
    this.#patch(id, { display_name: text, display_name_is_custom: text !== '' });
    try {
      await this.#dependencies.client.sessions.rename(id, text === '' ? null : text);
    } catch (error) {
      this.#patch(id, before);
      this.#failures.explain(error, `${sessionLabel(session)} could not be renamed`);
    }
  }

  /** Asks when a program would be ended by it. */
  async requestClose(id: string): Promise<void> {
    const session = this.#state.sessions.get(id);
    if (session === undefined) return;
    if (session.lifecycle === 'live') {
      let process: string | null;
      try {
        process = await this.#dependencies.client.sessions.foregroundProcess(id);
      } catch (error) {
        this.#failures.explain(error, `${sessionLabel(session)} could not be closed`);
        return;
      }
      if (process !== null) {
        this.openSheet({ kind: 'close', sessionId: id, process });
        return;
      }
    }
    this.beginClose(id);
  }

  /** The session goes from sight, and ends in some seconds unless that is taken back. */
  beginClose(id: string): void {
    const shown = shownSession(this.#state);
    this.closeSheet();
    this.#closes.add(id);
    if (shown?.session_id === id) this.go({ page: 'list' }, 'replace');
  }

  undoClose(id: string): void {
    this.#closes.undo(id);
  }

  async #close(id: string): Promise<void> {
    const session = this.#state.sessions.get(id);
    if (session === undefined) return;
    const sessions = new Map(this.#state.sessions);
    sessions.delete(id);
    this.store.setState({ sessions });
    try {
      // An exited session holds nothing any more; the server sweeps its record.
      if (session.lifecycle !== 'exited') await this.#dependencies.client.sessions.close(id);
    } catch (error) {
      if (!(error instanceof RequestRefused && error.status === 404)) {
        this.#failures.explain(error, `${sessionLabel(session)} could not be closed`);
      }
    }
    this.#dismissed.add(id);
    this.#liveness.refresh();
  }

  // Looks

  setPreferences(change: Partial<Preferences>): void {
    const preferences = { ...this.#state.preferences, ...change };
    this.store.setState({ preferences });
    writePreferences(this.#dependencies.memory, preferences);
  }

  setWrapping(wrapsLines: boolean): void {
    this.store.setState({ wrapsLines });
    this.#dependencies.memory.write(WRAP_KEY, wrapsLines ? 'yes' : 'no');
  }

  notify(kind: Notice['kind'], text: string): void {
    const id = ++this.#lastNotice;
    this.store.setState({ notices: [...this.#state.notices, { id, kind, text }].slice(-3) });
    if (kind === 'info') this.#dependencies.clock.after(NOTICE_TIME, () => this.dismissNotice(id));
  }

  dismissNotice(id: number): void {
    this.store.setState({ notices: this.#state.notices.filter((notice) => notice.id !== id) });
  }

  // Inside

  async #readList(signal?: AbortSignal): Promise<void> {
    const own = ++this.#reads;
    let listed: SessionInfo[];
    try {
      listed = await this.#dependencies.client.sessions.list({
        all: true,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      this.#failures.refused(error);
      return;
    }
    // Of two that overlapped the one asked later is the truth.
    if (own < this.#newestRead) return;
    this.#newestRead = own;
    const ids = new Set(listed.map((session) => session.session_id));
    for (const id of this.#dismissed) if (!ids.has(id)) this.#dismissed.delete(id);
    const sessions = new Map(
      listed
        .filter((session) => !this.#dismissed.has(session.session_id) && !wasClosed(session))
        .map((session) => [session.session_id, session]),
    );
    this.store.setState({ sessions, isLoaded: true, access: 'granted' });
    const shown = shownSession(this.#state);
    if (shown !== undefined) this.#feed?.noteActivity(shown.state?.last_activity_ms);
  }

  #patch(id: string, change: Partial<SessionInfo>): void {
    const session = this.#state.sessions.get(id);
    if (session === undefined) return;
    const sessions = new Map(this.#state.sessions);
    sessions.set(id, { ...session, ...change });
    this.store.setState({ sessions });
  }

  #setViewer(change: Partial<ViewerState>): void {
    this.store.setState({ viewer: { ...this.#state.viewer, ...change } });
  }

  #showPendingCloses(ids: readonly string[]): void {
    const { sessions } = this.#state;
    const pendingCloses = ids.map((sessionId) => {
      const session = sessions.get(sessionId);
      return { sessionId, label: session === undefined ? sessionId : sessionLabel(session) };
    });
    this.store.setState({ pendingCloses });
  }

  #onChange(state: PhoneState, before: PhoneState): void {
    if (logTheme(state) !== logTheme(before)) this.#view?.redraw(logTheme(state));
  }
}

export function readWrapping(memory: Memory): boolean {
  return memory.read(WRAP_KEY) !== 'no';
}

/** Somebody ended it on purpose; that is no news for them. */
function wasClosed({ close_reason }: SessionInfo): boolean {
  return close_reason === 'explicit_close' || close_reason === 'killed';
}

function describeEnd(end: StreamEnd): string {
  switch (end.kind) {
    case 'exit':
      return end.exitCode === undefined ? 'The program has ended.' : `Ended with exit code ${end.exitCode}.`;
    case 'closed':
      if (end.reason === 'host_lost') return 'Its terminal host ended. This is what was kept.';
      return end.reason === 'process_exit' ? 'The program has ended.' : 'It was closed from elsewhere.';
    case 'missing':
      return end.session?.exit_code === undefined
        ? 'It is not there any more.'
        : `Ended with exit code ${end.session.exit_code}.`;
    case 'gave-up':
      return 'The stream could not be opened.';
  }
}
