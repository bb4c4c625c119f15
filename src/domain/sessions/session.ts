/** One session as the server knows it: its row, where its life stands, and its terminal once somebody needed it. */
import { type Disposable, Emitter } from '../../base/index.ts';
import type { Lifecycle, SessionInfo } from '../../contract/index.ts';
import type { ViewerSink } from './model.ts';
import type { SessionRecord } from './session-store.ts';
import type { Terminal } from './terminal.ts';

export class Session {
  /** What the table holds; changed only together with it. */
  record: SessionRecord;
  /** Pid of the first process while a host has the session. */
  pid: number | undefined;
  title: string | undefined;
  terminal: Terminal | undefined;
  /** The one opening under way, so that two who ask share it. */
  opening: Promise<Terminal> | undefined;
  /** An end was asked for and told; the processes may still be ending. */
  isClosing = false;
  /** Viewers that want this session's lifecycle events. */
  readonly eventSinks = new Set<ViewerSink>();

  readonly #ended = new Emitter<void>();

  constructor(record: SessionRecord) {
    this.record = record;
    this.title = record.title ?? undefined;
    this.isClosing = record.lifecycle === 'live' && record.close_reason === 'explicit_close';
  }

  get id(): string {
    return this.record.id;
  }

  get lifecycle(): Lifecycle {
    const { lifecycle } = this.record;
    if (this.isClosing) return 'exited';
    return lifecycle === 'starting' ? 'live' : lifecycle;
  }

  /** Tells once that it has exited or is lost; the row says so then. */
  onEnd(listener: () => void): Disposable {
    return this.#ended.on(listener);
  }

  tellEnd(): void {
    this.#ended.emit();
  }

  /** Its processes may run: it counts against the cap. */
  get isRunning(): boolean {
    return this.record.lifecycle === 'live' || this.record.lifecycle === 'starting';
  }

  /** Its alias and identity point to it. */
  get isAddressable(): boolean {
    return this.lifecycle !== 'exited' && this.record.lifecycle !== 'starting';
  }

  /** Built without spreads of what may be absent: lists are asked for all the time, and those cost five times as much. */
  info(): SessionInfo {
    const { record, title, lifecycle } = this;
    const info: SessionInfo = {
      session_id: record.id,
      cwd: record.cwd,
      worktree_path: null,
      worktree_branch: null,
      display_name_is_custom: record.display_name_is_custom,
      is_remote: record.is_remote,
      lifecycle,
      alias: record.alias,
      tuic_session: record.tuic_session,
      created_at: record.created_at,
      rows: record.rows,
      cols: record.cols,
      shell: record.file,
      args: record.args,
    };
    if (record.display_name !== null) info.display_name = record.display_name;
    if (record.exit_code !== null) info.exit_code = record.exit_code;
    if (lifecycle === 'exited' && record.close_reason !== null) info.close_reason = record.close_reason;
    if (title !== undefined) info.title = title;
    if (record.agent_type !== null) info.agent_type = record.agent_type;
    if (record.pty_description !== null) info.pty_description = record.pty_description;
    const state = this.#state();
    if (state !== undefined) info.state = state;
    return info;
  }

  /** A lost session has none (http.md 3); one whose output this server has not seen has none yet. */
  #state(): SessionInfo['state'] {
    const state = this.lifecycle === 'lost' ? undefined : this.terminal?.state;
    const isKnown = state !== undefined && (state.last_activity_ms > 0 || state.shell_state !== undefined);
    return isKnown ? state : undefined;
  }
}
