/**
 * The workspace's actions and its link to the server. Owns the event stream, the session list and the terminals; the
 * components only read the store and call what is here.
 *
 * Ordering: a tab is shown only after its session is in the store. A close is shown at once and taken back when the server
 * refuses it.
 */
import { type Clock, type Disposable, DisposableStore } from '../../src/base/index.ts';
import {
  type Client,
  ConnectionSilent,
  type EventStream,
  RequestRefused,
  ServerUnreachable,
  type StreamEnd,
} from '../../src/client/index.ts';
import { type CreateAgentSession, type CreateSession, DEADLINES } from '../../src/contract/index.ts';
import type { CellCount } from '../terminal/cell-fit.ts';
import type { TerminalStatus, TerminalViewEvents } from '../terminal/terminal-model.ts';
import { TerminalStage } from '../terminal/terminal-stage.ts';
import { AgentTabList } from './agent-tabs.ts';
import { alertWays } from './alert-ways.ts';
import { Alerts, AskedSessions } from './alerts.ts';
import { Arrangement } from './arrangement.ts';
import { Choices, cardsOf } from './choices.ts';
import { Closing } from './closing.ts';
import { Failures, isRefusal } from './failures.ts';
import { ForegroundWatch } from './foreground.ts';
import { cleanText, sessionAlias } from './labels.ts';
import type { Side } from './layout.ts';
import { watchLimits } from './limits.ts';
import { Links } from './links.ts';
import { Looks } from './looks.ts';
import { NamedLayouts } from './named-layouts.ts';
import { takePicture } from './panel-pictures.ts';
import type { Memory, Preferences } from './preferences.ts';
import { Questions } from './questions.ts';
import { Resuming } from './resuming.ts';
import { SessionList } from './session-list.ts';
import { Sounds } from './sound.ts';
import { Suggestions } from './suggestions.ts';
import { TextTransfer } from './text-transfer.ts';
import { WaitingTour } from './waiting-tour.ts';
import { WindowAnswers } from './window-answers.ts';
import type { Notice, NoticeAction, OpenMenu, WorkspaceState, WorkspaceStore } from './workspace-state.ts';

const NOTICE_TIME = 6_000;
/** With something to press in it. */
const OFFER_TIME = 10_000;
const NOTICES_SHOWN = 4;

export interface WorkspaceDependencies {
  client: Client;
  clientId: string;
  store: WorkspaceStore;
  clock: Clock;
  /** Survives this window's reload only. */
  windowMemory: Memory;
  /** Survives the window. */
  browserMemory: Memory;
  reducedMotion(): boolean;
  /** The list of sessions is on the screen. */
  isListSeen(): boolean;
  isWorkspaceKey(event: KeyboardEvent): boolean;
  /** Imports a module of our own server. */
  load(path: string): Promise<unknown>;
  /** Shows another page, which learns nothing of this one. */
  openPage(url: string): void;
}

export class Workspace implements Disposable {
  readonly store: WorkspaceStore;
  readonly stage: TerminalStage;
  readonly looks: Looks;
  readonly arrangement: Arrangement;
  readonly closing: Closing;
  readonly layouts: NamedLayouts;
  readonly text: TextTransfer;
  readonly links: Links;
  readonly questions: Questions;
  readonly choices: Choices;
  readonly suggestions: Suggestions;
  readonly resuming: Resuming;
  readonly sounds: Sounds;
  readonly #asked: AskedSessions;
  readonly #alerts: Alerts;
  readonly waiting: WaitingTour;
  readonly #answers: WindowAnswers;
  readonly agentTabs: AgentTabList;
  readonly #dependencies: WorkspaceDependencies;
  readonly #list: SessionList;
  readonly #failures: Failures;
  readonly #foreground: ForegroundWatch;
  readonly #disposables = new DisposableStore();
  #events: EventStream | undefined;
  #lastNotice = 0;

  constructor(dependencies: WorkspaceDependencies) {
    this.#dependencies = dependencies;
    this.store = dependencies.store;
    this.#failures = new Failures({
      loggedOut: () => this.store.setState({ access: 'needed' }),
      tell: (text) => this.notify('error', text),
    });
    this.looks = new Looks({
      store: this.store,
      memory: dependencies.browserMemory,
      reducedMotion: dependencies.reducedMotion,
    });
    this.stage = new TerminalStage({
      client: dependencies.client,
      appearance: () => this.looks.appearance,
      events: (id) => this.#viewEvents(id),
      onDropped: (id) => this.#setTerminalStatus(id, undefined),
    });
    this.arrangement = new Arrangement(this.store, this.stage, {
      window: dependencies.windowMemory,
      browser: dependencies.browserMemory,
    });
    this.#list = new SessionList(dependencies.client, this.store, dependencies.clock, {
      loaded: () => this.arrangement.restore(),
      removed: (session) => {
        // Its tab waits for the terminal in which it goes on.
        if (this.resuming.isUnderWay(session.session_id)) return;
        const wasShown = this.#state.tabs.order.includes(session.session_id);
        this.#leave(session.session_id);
        if (wasShown && !session.isClosing) {
          this.notify('info', `${sessionAlias(session)} was closed from elsewhere.`);
        }
      },
      refused: (error) => this.#failures.refused(error),
    });
    const explain = (error: unknown, what: string) => this.#failures.explain(error, what);
    this.closing = new Closing({
      client: dependencies.client,
      store: this.store,
      clock: dependencies.clock,
      arrangement: this.arrangement,
      patch: (id, change) => this.#list.patch(id, change),
      remove: (id) => {
        this.#leave(id);
        this.#list.remove(id);
      },
      notify: (notice) => this.#announce(notice),
      dismiss: (id) => this.dismissNotice(id),
      explain,
    });
    this.#disposables.add(this.closing);
    this.#foreground = new ForegroundWatch({
      client: dependencies.client,
      store: this.store,
      clock: dependencies.clock,
      isListSeen: dependencies.isListSeen,
    });
    this.#disposables.add(this.#foreground);
    this.layouts = new NamedLayouts({
      client: dependencies.client,
      store: this.store,
      clock: dependencies.clock,
      arrangement: this.arrangement,
      refresh: () => this.#list.refresh(),
      offer: (text, actions) => this.offer(text, actions),
      explain,
    });
    this.sounds = new Sounds(dependencies.client.config);
    this.#asked = new AskedSessions(dependencies.browserMemory);
    this.#alerts = new Alerts(alertWays(this.store, this.sounds, this.#asked, (id) => this.arrangement.show(id)));
    this.#disposables.add(this.#alerts);
    this.questions = new Questions({
      client: dependencies.client,
      shown: () => this.#state.questions,
      show: (questions) => this.store.setState({ questions }),
      notify: (kind, text) => this.notify(kind, text),
      play: (sound) => this.sounds.play(sound),
      explain,
    });
    this.choices = new Choices({
      client: dependencies.client,
      store: this.store,
      clock: dependencies.clock,
      answered: (id) => this.#asked.add(id),
      tell: (text) => this.notify('info', text),
      explain,
    });
    this.#disposables.add(this.choices);
    this.suggestions = new Suggestions({
      client: dependencies.client,
      find: (id) => this.#state.sessions.get(id),
      asked: (id) => this.#asked.add(id),
      tell: (text) => this.notify('info', text),
      explain,
    });
    this.resuming = new Resuming({
      client: dependencies.client,
      store: this.store,
      refresh: () => this.#list.refresh(),
      replace: (id, by) => {
        const { active, order } = this.#state.tabs;
        this.arrangement.show(by);
        if (order.includes(id)) this.arrangement.replace(id, by);
        this.#leave(id);
        // The person stays where they are.
        if (active !== undefined && active !== id) this.arrangement.show(active);
      },
      explain,
      nameOf: sessionAlias,
    });
    this.waiting = new WaitingTour({
      store: this.store,
      show: (id) => this.arrangement.show(id),
      tell: (text) => this.notify('info', text),
    });
    this.#answers = new WindowAnswers({
      client: dependencies.client,
      clientId: dependencies.clientId,
      load: (path) => dependencies.load(path),
      takePicture: (id) =>
        takePicture(id, {
          store: this.store,
          stage: this.stage,
          draw: async (source) => (await import('../terminal/terminal-picture.ts')).drawTerminal(source),
        }),
      notify: (kind, text) => this.notify(kind, text),
    });
    this.agentTabs = new AgentTabList({
      client: dependencies.client,
      store: this.store,
      arrangement: this.arrangement,
      explain,
    });
    this.text = new TextTransfer({
      client: dependencies.client,
      store: this.store,
      stage: this.stage,
      notify: (kind, text) => this.notify(kind, text),
      explain,
    });
    this.links = new Links({
      client: dependencies.client,
      store: this.store,
      clock: dependencies.clock,
      text: this.text,
      createTerminal: (like) => this.createTerminal(like),
      openPage: (url) => dependencies.openPage(url),
    });
  }

  start(): void {
    const { client, clientId, clock } = this.#dependencies;
    void this.#list.refresh();
    void this.agentTabs.load();
    this.#events = client.openEvents(
      {
        event: (event) => {
          this.#list.onEvent(event);
          this.layouts.onEvent(event);
          this.questions.onEvent(event);
          this.sounds.onEvent(event);
          this.#alerts.onEvent(event);
          this.#answers.onEvent(event);
          this.agentTabs.onEvent(event);
        },
        lagged: () => {
          void this.#list.refresh();
          void this.questions.load();
          void this.agentTabs.load();
          void this.layouts.load();
        },
        connected: () => {
          this.store.setState({ connection: { kind: 'connected' }, access: 'granted' });
          void this.#list.refresh();
          void this.questions.load();
          void this.agentTabs.load();
          void this.layouts.load();
          void this.sounds.load();
          this.stage.retryNow();
          this.reportFocus(document.hasFocus());
        },
        disconnected: (wait, cause) => {
          this.store.setState({ connection: { kind: 'reconnecting', retryAt: clock.now() + wait } });
          if (cause instanceof RequestRefused) this.#failures.refused(cause);
          // The same network carries the terminals' sockets; they would not notice either.
          if (cause instanceof ConnectionSilent) this.stage.reconnect();
        },
      },
      { client: { id: clientId, kind: 'workspace' }, longestWait: DEADLINES.retryMaximumWatched },
    );
    this.#disposables.add(this.#events);
    this.#disposables.add(watchLimits(this.store, clock));
    this.#disposables.add(this.looks.start(() => this.stage.refreshAppearance()));
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** For parts of the page that ask the server about more than sessions. */
  get client(): Client {
    return this.#dependencies.client;
  }

  /** What this browser remembers. */
  get memory(): Memory {
    return this.#dependencies.browserMemory;
  }

  get #state(): WorkspaceState {
    return this.store.getState();
  }

  // Connection

  /** The page is seen again, or the network is back. */
  wake(): void {
    this.#events?.check();
    this.stage.retryNow();
  }

  retryNow(): void {
    this.#events?.retryNow();
    this.stage.retryNow();
    if (this.#state.access !== 'granted') void this.#list.refresh();
  }

  setPageVisible(visible: boolean): void {
    this.stage.setPageVisible(visible);
    if (!visible) return;
    this.wake();
    this.#foreground.look();
  }

  reportFocus(focused: boolean): void {
    if (this.#state.connection.kind !== 'connected') return;
    const { client, clientId } = this.#dependencies;
    client.reportFocus(clientId, focused).catch((error: unknown) => {
      // Only a hint for the server; the next connection tells it again.
      if (!isRefusal(error)) throw error;
    });
  }

  // Sessions

  /** Opens a terminal in a tab of the focused pane, or beside that pane. Resolves to the new session, if there is one. */
  async createTerminal(like?: CreateSession, side?: Side): Promise<string | undefined> {
    try {
      return await this.#create(like, side);
    } catch (error) {
      this.#failures.explain(error, 'The terminal could not be opened');
      return undefined;
    }
  }

  /** As a dialog asks for it: puts the dialog away when there is a terminal, else resolves to what stands against it. */
  launch(request: CreateSession, side?: Side): Promise<string | undefined> {
    return this.#launch(() => this.#create(request, side));
  }

  /** The same with an agent that has its task. */
  launchAgent(request: CreateAgentSession, side?: Side): Promise<string | undefined> {
    return this.#launch(() =>
      this.#open(async (cells) => {
        const created = await this.#dependencies.client.agents.start({ ...cells, ...request });
        this.#asked.add(created.session_id);
        if (created.launch_warning !== undefined) this.notify('info', cleanText(created.launch_warning));
        return created.session_id;
      }, side),
    );
  }

  async #launch(open: () => Promise<string | undefined>): Promise<string | undefined> {
    try {
      const id = await open();
      if (id === undefined) return 'Another terminal is being opened. Try again in a moment.';
      this.closeDialog();
      return undefined;
    } catch (error) {
      if (error instanceof RequestRefused && error.status !== 401 && error.status !== 403) return error.message;
      if (error instanceof ServerUnreachable)
        return 'The server does not answer. If the terminal was opened all the same, it will be in the list.';
      this.#failures.explain(error, 'The terminal could not be opened');
      return 'The terminal could not be opened.';
    }
  }

  #create(like?: CreateSession, side?: Side): Promise<string | undefined> {
    return this.#open(async (cells) => {
      const active = this.#activeSession();
      const place: CreateSession = active?.cwd ? { cwd: active.cwd } : {};
      return (await this.#dependencies.client.sessions.create({ ...cells, ...(like ?? place) })).session_id;
    }, side);
  }

  /** Makes a session in the size of its place to be, and gives it its tab. */
  async #open(make: (cells: Partial<CellCount>) => Promise<string>, side?: Side): Promise<string | undefined> {
    if (this.#state.isCreating) return undefined;
    this.store.setState({ isCreating: true });
    const pane = this.arrangement.layout.focused;
    try {
      const size = this.stage.estimateSize(pane, this.#state.preferences.fontSize);
      const cells = size === undefined ? {} : halveCells(size, side);
      const id = await make(cells);
      await this.#list.refresh();
      if (side === undefined || !this.arrangement.split(id, side, pane)) this.arrangement.show(id);
      return id;
    } finally {
      this.store.setState({ isCreating: false });
    }
  }

  splitTerminal(side: Side): void {
    void this.createTerminal(undefined, side);
  }

  /** Starts the same program in the same folder again and takes the ended session's place. */
  async restart(id: string): Promise<void> {
    const session = this.#state.sessions.get(id);
    if (session === undefined) return;
    const like: CreateSession = { cwd: session.cwd };
    if (session.shell !== undefined) like.shell = session.shell;
    if (session.args !== undefined) like.args = session.args;
    if (session.display_name_is_custom && session.display_name) {
      like.display_name = session.display_name;
      like.display_name_is_custom = true;
    }
    const created = await this.createTerminal(like);
    if (created === undefined) return;
    this.arrangement.replace(id, created);
    await this.closing.endNow(id);
  }

  requestClose(id: string): Promise<void> {
    return this.#state.agentTabs.has(id) ? this.agentTabs.close(id) : this.closing.request(id);
  }

  close(id: string): Promise<void> {
    this.closeDialog();
    return this.closing.close(id);
  }

  async rename(id: string, name: string): Promise<void> {
    this.store.setState({ renaming: undefined });
    const session = this.#state.sessions.get(id);
    const text = name.trim();
    if (session === undefined || text === (session.display_name ?? '')) return;
    const before = {
      display_name: session.display_name ?? '',
      display_name_is_custom: session.display_name_is_custom ?? false,
    };
    this.#list.patch(id, { display_name: text, display_name_is_custom: text !== '' });
    try {
      await this.#dependencies.client.sessions.rename(id, text === '' ? null : text);
    } catch (error) {
      this.#list.patch(id, before);
      this.#failures.explain(error, `${sessionAlias(session)} could not be renamed`);
    }
  }

  beginRename(id: string, place: 'tab' | 'list'): void {
    this.store.setState({ renaming: { sessionId: id, place } });
  }

  endRename(): void {
    this.store.setState({ renaming: undefined });
  }

  /** Gives the keyboard to the card of an agent that asks, to the next one when a card has it. False when there is none. */
  focusChoice(isSmall: boolean, focused?: string): boolean {
    if (focused !== undefined) this.choices.turn(focused);
    else if (cardsOf(this.#state, isSmall).length === 0) this.choices.recall();
    if (cardsOf(this.#state, isSmall).length === 0) return false;
    this.store.setState({ isChoiceFocusWanted: true });
    return true;
  }

  /** True for the one that shall take the keyboard. */
  takeChoiceFocus(): boolean {
    const isWanted = this.#state.isChoiceFocusWanted;
    if (isWanted) this.store.setState({ isChoiceFocusWanted: false });
    return isWanted;
  }

  // Looks

  setPreferences(change: Partial<Preferences>): void {
    this.looks.set(change);
  }

  toggleSidebar(isSmallScreen: boolean): void {
    if (isSmallScreen) this.store.setState({ drawerOpen: !this.#state.drawerOpen });
    else this.setPreferences({ sidebarOpen: !this.#state.preferences.sidebarOpen });
  }

  openDialog(kind: 'shortcuts' | 'preferences' | 'palette'): void {
    this.store.setState({ dialog: { kind } });
  }

  /** Asks where the new terminal starts and what runs in it. */
  openLauncher(side?: Side): void {
    this.store.setState({ dialog: { kind: 'new', side } });
  }

  /** Asks which agent is started, where, and what it is to do. */
  openAgentLauncher(side?: Side): void {
    this.store.setState({ dialog: { kind: 'new-agent', side } });
  }

  /** Lists what can be followed in the terminal that has the keyboard. */
  openLinks(): void {
    const { active } = this.#state.tabs;
    if (active !== undefined) this.store.setState({ dialog: { kind: 'links', sessionId: active } });
  }

  /** The saved layouts; with a name, that one is about to get another. */
  openLayouts(renaming?: string): void {
    this.store.setState({ dialog: { kind: 'layouts', renaming } });
  }

  openMenu(menu: OpenMenu): void {
    // A long touch may be told twice: by its own timer and by the browser.
    if (this.#state.menu === undefined && this.#state.dialog === undefined) this.store.setState({ menu });
  }

  closeMenu(): void {
    if (this.#state.menu !== undefined) this.store.setState({ menu: undefined });
  }

  closeDialog(): void {
    if (this.#state.dialog === undefined) return;
    this.store.setState({ dialog: undefined });
    this.arrangement.focus();
  }

  notify(kind: Notice['kind'], text: string): void {
    const id = this.#announce({ kind, text });
    if (kind === 'info')
      this.#disposables.add(this.#dependencies.clock.after(NOTICE_TIME, () => this.dismissNotice(id)));
  }

  /** Tells what was done, with what can be done about it for a while. */
  offer(text: string, actions: readonly NoticeAction[]): void {
    const { clock } = this.#dependencies;
    const id = this.#announce({
      kind: 'info',
      text,
      until: clock.now() + OFFER_TIME,
      actions: actions.map(({ label, run }) => ({
        label,
        run: () => {
          this.dismissNotice(id);
          run();
        },
      })),
    });
    this.#disposables.add(clock.after(OFFER_TIME, () => this.dismissNotice(id)));
  }

  dismissNotice(id: number): void {
    this.store.setState({ notices: this.#state.notices.filter((notice) => notice.id !== id) });
  }

  // Find

  openFind(): void {
    const id = this.#state.tabs.active;
    if (id === undefined || this.stage.view(id) === undefined) return;
    this.store.setState({ find: { sessionId: id, asked: (this.#state.find?.asked ?? 0) + 1 } });
  }

  closeFind(): void {
    if (this.#state.find === undefined) return;
    this.store.setState({ find: undefined });
    this.arrangement.focus();
  }

  /** To the next match below or above; opens find where it is not. */
  stepFind(by: 1 | -1): void {
    const finder = this.stage.current?.finder;
    if (finder === undefined) this.openFind();
    else finder.step(by);
  }

  // Inside

  #announce(notice: Omit<Notice, 'id'>): number {
    const id = ++this.#lastNotice;
    this.store.setState({ notices: [...this.#state.notices, { ...notice, id }].slice(-NOTICES_SHOWN) });
    return id;
  }

  #activeSession() {
    const { tabs, sessions } = this.#state;
    return tabs.active === undefined ? undefined : sessions.get(tabs.active);
  }

  /** Takes a session's tab and terminal away. */
  #leave(id: string): void {
    this.closing.forget(id);
    this.arrangement.leave(id);
    this.stage.drop(id);
  }

  #viewEvents(id: string): TerminalViewEvents {
    return {
      status: (status) => this.#setTerminalStatus(id, status),
      ended: (end) => this.#onStreamEnded(id, end),
      entered: () => this.#asked.add(id),
      inputRefused: () => this.store.setState({ refusedInputs: this.#state.refusedInputs + 1 }),
      pasted: (text) => this.text.offer(id, text),
      pasteAsked: (paste) => this.text.ask(id, paste),
      pasteTooLarge: (bytes) => this.text.tellTooLarge(bytes),
      pasting: (progress) => this.text.showProgress(id, progress),
      resolvePath: (written) => this.links.resolve(id, written),
      linkFollowed: (target) => this.links.follow(target),
      linkPointed: (target) => this.links.point(id, target),
      isWorkspaceKey: (event) => this.#dependencies.isWorkspaceKey(event),
    };
  }

  #onStreamEnded(id: string, end: StreamEnd): void {
    if (end.kind === 'exit') this.#list.end(id, 'process_exit', end.exitCode);
    else if (end.kind === 'closed') this.#list.end(id, end.reason);
    else if (end.kind === 'missing') this.#list.end(id, 'process_exit', end.session?.exit_code);
  }

  #setTerminalStatus(id: string, status: TerminalStatus | undefined): void {
    const terminals = new Map(this.#state.terminals);
    if (status === undefined) terminals.delete(id);
    else terminals.set(id, status);
    const isBack = status?.connection === 'live' && this.#state.refusedInputs > 0;
    this.store.setState(isBack ? { terminals, refusedInputs: 0 } : { terminals });
  }
}

/** The size that is left beside what was there. */
function halveCells({ rows, cols }: CellCount, side: Side | undefined): CellCount {
  if (side === undefined) return { rows, cols };
  return side === 'left' || side === 'right'
    ? { rows, cols: Math.max(2, Math.floor(cols / 2)) }
    : { rows: Math.max(1, Math.floor(rows / 2)), cols };
}
