/**
 * Owns how a message that lies in its inbox is announced to its recipient: by a wait, the channel, a typed line or a notice
 * (mcp.md 7.7 to 7.10).
 *
 * A state machine over plain data: what has to be done follows from the inbox, the gate and the terminal as they stand, so whatever
 * changed (a message, a read, a wait that left, an idle edge, a role, a restart), `arrange` finds the same next step. Every method is
 * one synchronous section; after the one await, for a line that is typed, the attempt is compared and a stale one changes nothing.
 *
 * Promises: a message has one announcement that is certain, at most; none is typed at an orchestrator but notices without payload; one
 * that was read or returned by a wait is not announced any more.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES, type DeliveryPath } from '../../contract/index.ts';
import { channelMessage, GENERIC_NOTICE, messageLine, summaryLine } from './lines.ts';
import { isUnread, type Mailbox } from './mailbox.ts';
import { isNotice, type Letter, openGate } from './model.ts';
import type { MailSessions, MailTerminal, Presence, TypingOutcome } from './ports.ts';
import type { QueuedLine, TypingQueue } from './typing-queue.ts';
import type { Waits } from './waits.ts';

export interface DeliveryPeer {
  readonly owner: string | null;
  readonly orchestrator: boolean;
}

export interface DeliveryDependencies {
  mailbox: Mailbox;
  waits: Waits;
  queue: TypingQueue;
  peer: (identity: string) => DeliveryPeer | undefined;
  sessions: MailSessions;
  presence: Presence;
  clock: Clock;
  log: { error(fields: object, message: string): void };
}

const WAKEABLE: readonly unknown[] = ['idle', 'completed'];
/** MSG-76: uncertain attempts for one group of unread mail. */
const NOTICE_ATTEMPTS = 2;

type NoticeResult = 'generic' | 'summary' | 'failed';

export class Delivery implements Disposable {
  readonly #dependencies: DeliveryDependencies;
  /** Notices that are being typed. */
  readonly #attempts = new Map<string, { kind: 'generic' | 'summary' }>();
  /** Until an uncertain notice may be tried again. */
  readonly #retries = new Map<string, Disposable>();

  constructor(dependencies: DeliveryDependencies) {
    this.#dependencies = dependencies;
  }

  /** The live terminal of an identity; of several the newest. */
  terminalOf(identity: string): MailTerminal | undefined {
    return this.#dependencies.sessions
      .list()
      .findLast(({ tuic_session, lifecycle }) => tuic_session === identity && lifecycle === 'live');
  }

  /** Its terminal, when an agent is known to be in it. */
  managedTerminalOf(identity: string): MailTerminal | undefined {
    const terminal = this.terminalOf(identity);
    return terminal?.state?.agent_type === undefined ? undefined : terminal;
  }

  /** What a wait would return: what no read has returned, and no terminal or channel owns (MSG-44). */
  freshForWait(identity: string, since: number): Letter[] {
    const isOrchestrator = this.#dependencies.peer(identity)?.orchestrator === true;
    return this.#dependencies.mailbox
      .fresh(identity, since)
      .filter(({ observedAt, owner }) => observedAt === null && (isOrchestrator || owner === 'none'));
  }

  /** A wait returns these now. */
  takeByWait(identity: string, letters: readonly Letter[]): void {
    const { mailbox, clock } = this.#dependencies;
    for (const letter of letters) {
      letter.owner = 'waiter';
      if (letter.shown !== 'yes') Object.assign(letter, { shown: 'yes', shownAt: clock.now() });
    }
    mailbox.observe(letters);
    this.acknowledged(identity);
  }

  /** The first announcement of a message that was buffered in this section. */
  route(letter: Letter): DeliveryPath | Promise<DeliveryPath> {
    const { waits, peer } = this.#dependencies;
    const { recipient } = letter;
    const known = peer(recipient);
    // A parent that has no identity yet.
    if (known === undefined) return 'inbox_only';
    const taken = waits.offer(letter, this.freshForWait(recipient, 0));
    if (taken !== undefined) {
      this.takeByWait(recipient, taken);
      return 'waiter_and_inbox';
    }
    if (known.orchestrator) return this.#routeToOrchestrator(recipient);
    if (this.#pushToChannel(letter, known)) return 'sse_channel_and_inbox';
    return this.#enqueue(letter) ? 'terminal_or_queued_and_inbox' : 'inbox_only';
  }

  /** Does for all its mail what can be done now. */
  arrange(identity: string): void {
    const known = this.#dependencies.peer(identity);
    if (known === undefined) return;
    if (known.orchestrator) {
      this.#tryNotice(identity)?.catch(() => undefined);
      return;
    }
    for (const letter of this.#unannounced(identity)) {
      const taken = this.#dependencies.waits.offer(letter, this.freshForWait(identity, 0));
      if (taken !== undefined) this.takeByWait(identity, taken);
      else this.#enqueue(letter);
    }
  }

  #unannounced(identity: string): Letter[] {
    const { mailbox } = this.#dependencies;
    const box = mailbox.box(identity);
    return mailbox
      .letters(identity)
      .filter((letter) => isUnread(letter, box) && letter.shown === 'no' && letter.owner === 'none');
  }

  /** MSG-60. */
  #pushToChannel(letter: Letter, { owner }: DeliveryPeer): boolean {
    const { presence, mailbox, clock } = this.#dependencies;
    if (owner === null || !presence.hasChannel(owner)) return false;
    const terminal = this.terminalOf(letter.recipient);
    const { agent_type, agent_state } = terminal?.state ?? {};
    const isWanted = terminal === undefined || (agent_type === 'claude' && agent_state === 'working');
    if (!isWanted || !presence.send(owner, channelMessage(letter, mailbox.content(letter)))) return false;
    mailbox.mark(letter, { owner: 'channel', shown: 'yes', shownAt: clock.now() });
    return true;
  }

  #enqueue(letter: Letter): boolean {
    const { mailbox, queue } = this.#dependencies;
    const terminal = this.managedTerminalOf(letter.recipient);
    if (terminal === undefined || queue.isOff) return false;
    if (!queue.hasMessage(letter.id)) {
      queue.push(terminal.session_id, {
        kind: 'peer',
        text: messageLine(letter, mailbox.content(letter)),
        message_id: letter.id,
        from_name: letter.senderName,
      });
    }
    mailbox.mark(letter, { owner: 'terminal' });
    // MSG-69: an idle edge may have passed in between.
    queue.pump(terminal.session_id);
    return true;
  }

  /** How a typed message ended. */
  lineSettled(entry: QueuedLine, outcome: Exclude<TypingOutcome, 'untouched'>): void {
    if (entry.message_id === null) return;
    const shown = outcome === 'typed' ? 'yes' : 'uncertain';
    this.#dependencies.mailbox.markById(entry.message_id, {
      owner: 'terminal',
      shown,
      shownAt: this.#dependencies.clock.now(),
    });
  }

  /** MSG-38, MSG-78: reads have changed what is unread. */
  acknowledged(identity: string): void {
    const { mailbox, queue, peer } = this.#dependencies;
    const box = mailbox.box(identity);
    const read = mailbox.letters(identity).filter((letter) => !isUnread(letter, box));
    queue.removeMessages(read.map(({ id }) => id));
    if (peer(identity)?.orchestrator !== true) return;
    const { gate } = box;
    const isCovered = mailbox.letters(identity).every((letter) => !isUnread(letter, box));
    if (isCovered) {
      this.#stopRetry(identity);
      if (gate.isPending || gate.attempts > 0 || gate.exhausted !== null || gate.uncertainAt !== null) {
        mailbox.saveGate(identity, { isPending: false, attempts: 0, exhausted: null, uncertainAt: null });
      }
    } else if (gate.isPending) {
      mailbox.saveGate(identity, { isPending: false });
    }
  }

  // --- orchestrators ------------------------------------------------------------------------------------------------

  async #routeToOrchestrator(identity: string): Promise<DeliveryPath> {
    const { gate } = this.#dependencies.mailbox.box(identity);
    if (gate.isPending || this.#attempts.get(identity)?.kind === 'generic') {
      for (const letter of this.#open(identity)) this.#markShown(letter, 'yes');
      return 'coalesced_wake_and_inbox';
    }
    const result = await this.#tryNotice(identity);
    if (result === 'generic') return 'wake_notification_and_inbox';
    return result === 'summary' ? 'lifecycle_summary_and_inbox' : 'inbox_only';
  }

  /** What a notice would tell of. */
  #open(identity: string): Letter[] {
    const { mailbox } = this.#dependencies;
    const box = mailbox.box(identity);
    return mailbox
      .letters(identity)
      .filter((letter) => isUnread(letter, box) && !(isNotice(letter) && letter.shown === 'yes'));
  }

  #tryNotice(identity: string): Promise<NoticeResult> | undefined {
    const { mailbox, queue, waits, clock } = this.#dependencies;
    const { gate } = mailbox.box(identity);
    if (gate.isPending || gate.exhausted !== null || this.#attempts.has(identity) || waits.has(identity)) {
      return undefined;
    }
    const window = this.#open(identity);
    if (window.length === 0) return undefined;
    const terminal = this.managedTerminalOf(identity);
    if (terminal === undefined || !WAKEABLE.includes(terminal.state?.agent_state)) return undefined;
    if (gate.uncertainAt !== null) {
      const left = gate.uncertainAt + DEADLINES.noticeUncertain - clock.now();
      if (left > 0) {
        this.#retryAfter(identity, left);
        return undefined;
      }
    }
    if (!queue.canTypeNow(terminal.session_id)) return undefined;
    return this.#typeNotice(identity, terminal.session_id, window);
  }

  async #typeNotice(identity: string, sessionId: string, window: readonly Letter[]): Promise<NoticeResult> {
    const { mailbox, queue, clock, log } = this.#dependencies;
    const summary = summaryLine(window);
    const attempt = { kind: summary === undefined ? ('generic' as const) : ('summary' as const) };
    this.#attempts.set(identity, attempt);
    let outcome: TypingOutcome;
    try {
      mailbox.saveGate(identity, { startedAt: clock.now() });
      outcome = await queue.typeNow(sessionId, summary ?? GENERIC_NOTICE);
    } catch (error) {
      log.error({ err: error, session: sessionId }, 'whether a notice was typed is not known');
      outcome = 'uncertain';
    }
    if (this.#attempts.get(identity) !== attempt) return 'failed';
    this.#attempts.delete(identity);
    this.#noticeSettled(identity, attempt.kind, outcome, window);
    return outcome === 'typed' ? attempt.kind : 'failed';
  }

  #noticeSettled(
    identity: string,
    kind: 'generic' | 'summary',
    outcome: TypingOutcome,
    window: readonly Letter[],
  ): void {
    const { mailbox } = this.#dependencies;
    if (outcome === 'typed') {
      const told = kind === 'generic' ? this.#open(identity) : window;
      for (const letter of told) this.#markShown(letter, 'yes');
      mailbox.saveGate(identity, { ...openGate(), isPending: kind === 'generic' });
    } else if (outcome === 'untouched') {
      mailbox.saveGate(identity, { startedAt: null, exhausted: 'untouched' });
    } else {
      for (const letter of window) if (letter.shown === 'no') this.#markShown(letter, 'uncertain');
      this.#noticeUncertain(identity);
    }
  }

  #noticeUncertain(identity: string): void {
    const { mailbox, clock } = this.#dependencies;
    const attempts = mailbox.box(identity).gate.attempts + 1;
    const isExhausted = attempts >= NOTICE_ATTEMPTS;
    mailbox.saveGate(identity, {
      startedAt: null,
      attempts,
      exhausted: isExhausted ? 'uncertain' : null,
      uncertainAt: isExhausted ? null : clock.now(),
    });
    if (!isExhausted) this.#retryAfter(identity, DEADLINES.noticeUncertain);
  }

  #markShown(letter: Letter, shown: 'yes' | 'uncertain'): void {
    if (letter.shown === 'yes') return;
    this.#dependencies.mailbox.markById(letter.id, {
      owner: 'terminal',
      shown,
      shownAt: this.#dependencies.clock.now(),
    });
  }

  #retryAfter(identity: string, milliseconds: number): void {
    if (this.#retries.has(identity)) return;
    const timer = this.#dependencies.clock.after(milliseconds, () => {
      this.#retries.delete(identity);
      this.arrange(identity);
    });
    this.#retries.set(identity, timer);
  }

  #stopRetry(identity: string): void {
    this.#retries.get(identity)?.dispose();
    this.#retries.delete(identity);
  }

  // --- what happens around ------------------------------------------------------------------------------------------

  /** Its program did something, or takes lines again. `hasBecomeIdle`: a turn has ended. */
  terminalChanged(sessionId: string, hasBecomeIdle: boolean): void {
    const { mailbox, queue, sessions } = this.#dependencies;
    const identity = sessions.list().find(({ session_id }) => session_id === sessionId)?.tuic_session;
    if (identity !== undefined) {
      const { gate } = mailbox.box(identity);
      // MSG-77; an exhausted uncertain one waits for a read (AMB-4).
      if (hasBecomeIdle && gate.exhausted === 'untouched') mailbox.saveGate(identity, { exhausted: null });
      this.arrange(identity);
    }
    queue.pump(sessionId);
  }

  /** MSG-45: what was not begun at a terminal that is over is free again. */
  terminalEnded(sessionId: string): void {
    const { mailbox, queue } = this.#dependencies;
    for (const { message_id } of queue.drop(sessionId)) {
      const letter = message_id === null ? undefined : mailbox.find(message_id);
      if (letter !== undefined) mailbox.mark(letter, { owner: 'none' });
    }
  }

  /** MSG-22: the role of an identity has changed. */
  roleChanged(identity: string): void {
    const { mailbox, queue, peer } = this.#dependencies;
    this.#attempts.delete(identity);
    this.#stopRetry(identity);
    mailbox.saveGate(identity, openGate());
    if (peer(identity)?.orchestrator === true) {
      const box = mailbox.box(identity);
      const queued = mailbox
        .letters(identity)
        .filter((letter) => isUnread(letter, box) && letter.owner === 'terminal' && letter.shown === 'no')
        .filter(({ id }) => !queue.isBeingTyped(id));
      // MSG-71: no payload stays in the queue of an orchestrator.
      queue.removeMessages(queued.map(({ id }) => id));
      for (const letter of queued) mailbox.mark(letter, { owner: 'none' });
    }
    this.arrange(identity);
  }

  /** MSG-8: takes up where a server that is no more has stopped. */
  restore(): void {
    const { mailbox, queue } = this.#dependencies;
    queue.settleBegun();
    for (const identity of mailbox.identities) {
      const { gate } = mailbox.box(identity);
      // One that this server has begun already ends by itself.
      if (gate.startedAt !== null && !this.#attempts.has(identity)) {
        for (const letter of this.#open(identity)) if (letter.shown === 'no') this.#markShown(letter, 'uncertain');
        this.#noticeUncertain(identity);
      }
      for (const letter of mailbox.letters(identity)) {
        const isFree = letter.owner === 'terminal' && letter.shown === 'no' && !queue.hasMessage(letter.id);
        if (isFree) mailbox.mark(letter, { owner: 'none' });
      }
      this.arrange(identity);
    }
  }

  dispose(): void {
    for (const timer of this.#retries.values()) timer.dispose();
    this.#retries.clear();
  }
}
