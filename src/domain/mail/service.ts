/**
 * The mail room's front: peers with their inboxes, sends, reads, waits and notices to parents (mcp.md 7). Owns nothing but its parts; each
 * call is one synchronous section over them, a line that is typed apart.
 */
import { createHash } from 'node:crypto';
import type { Clock, Ids } from '../../base/index.ts';
import {
  AppError,
  DEADLINES,
  type DeliveryPath,
  type InboxPage,
  LIMITS,
  type MailStatus,
  type PeerList,
  type ReadInbox,
  type RegisterPeer,
  type SearchInbox,
  type SendMail,
  type SentMail,
  type WaitForMail,
} from '../../contract/index.ts';
import { isPendingMarker, type PeerService } from '../peers/index.ts';
import type { Delivery } from './delivery.ts';
import { noticeContent } from './lines.ts';
import type { MailStore } from './mail-store.ts';
import { isUnread, type Mailbox } from './mailbox.ts';
import { type ChildNotice, type Letter, NOTICE_ID, SENDER_OF_NOTICES } from './model.ts';
import type { Parents } from './parents.ts';
import type { MailSessions } from './ports.ts';
import type { Registration } from './registration.ts';
import type { Waits } from './waits.ts';

export interface MailServiceParts {
  peers: PeerService;
  mailbox: Mailbox;
  store: MailStore;
  waits: Waits;
  delivery: Delivery;
  parents: Parents;
  registration: Registration;
  sessions: MailSessions;
  clock: Clock;
  ids: Ids;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

export type Registered = ReturnType<Registration['register']>;

export interface WaitOutcome extends Partial<Pick<InboxPage, 'messages'>> {
  met: boolean;
  timed_out: boolean;
  new_messages: number;
  next_since: number;
}

const NO_WAKE =
  'Nothing wakes the recipient: it reads this when it calls agent action=wait or action=inbox. Ask with inbox message_id';

export class MailService {
  readonly #parts: MailServiceParts;

  constructor(parts: MailServiceParts) {
    this.#parts = parts;
  }

  register(input: RegisterPeer): Registered {
    return this.#parts.registration.register(input);
  }

  /** Of a caller whose identity is asserted with each request, and bound to no session. */
  ensurePeer(identity: string): void {
    const { peers } = this.#parts;
    if (peers.get(identity) === undefined) peers.introduce(identity);
  }

  /** MSG-87. */
  list(project?: string): PeerList {
    const { peers, delivery } = this.#parts;
    return {
      peers: peers
        .list()
        .filter((peer) => project === undefined || peer.project === project)
        .map((peer) => {
          const terminal = delivery.terminalOf(peer.tuic_session);
          return {
            tuic_session: peer.tuic_session,
            name: peer.name,
            orchestrator: peer.orchestrator,
            ...(terminal?.alias === undefined ? {} : { alias: terminal.alias }),
            ...(terminal === undefined ? {} : { session_id: terminal.session_id }),
            ...(peer.project === null ? {} : { project: peer.project }),
          };
        }),
    };
  }

  unread(identity: string): number {
    const { mailbox } = this.#parts;
    const box = mailbox.box(identity);
    return mailbox.letters(identity).filter((letter) => isUnread(letter, box)).length;
  }

  /** ADR-1: the identity behind a session id, an identity or an alias; undefined when nobody is registered there. */
  resolvePeer(ref: string): string | undefined {
    const { peers, sessions } = this.#parts;
    const id = sessions.resolve(ref);
    const session = sessions.list().find(({ session_id }) => session_id === id);
    const identity = session?.tuic_session ?? ref;
    return peers.get(identity) === undefined ? undefined : identity;
  }

  async send(input: SendMail): Promise<SentMail> {
    const { peers, mailbox, store, delivery, ids, clock, log } = this.#parts;
    const sender = this.#known(input.from);
    const recipient = this.resolvePeer(input.to);
    if (recipient === undefined) throw new AppError('recipient_unknown', { to: JSON.stringify(input.to) });
    if (recipient === input.from) {
      throw new AppError('invalid_input', { detail: 'to: this is you; a message to yourself would only come back' });
    }
    if (Buffer.byteLength(input.message) > LIMITS.mailMessage) {
      throw new AppError('invalid_input', { detail: `message: it has more than ${LIMITS.mailMessage} bytes` });
    }
    const thread = this.#threadOf(input);
    const { client_key: key } = input;
    const digest = createHash('sha256')
      .update(JSON.stringify([recipient, input.message, input.reply_to, thread, input.priority]))
      .digest('hex');
    const repeated = key === undefined ? undefined : this.#repeated(input.from, key, digest);
    if (repeated !== undefined) return repeated;

    const id = ids.uuid();
    const sent = { digest, message_id: id, answer: '', created_at: clock.now() };
    const letter = mailbox.append(
      {
        id,
        recipient,
        sender: input.from,
        senderName: sender.name,
        content: input.message,
        replyTo: input.reply_to ?? null,
        thread,
        priority: input.priority === 'interrupt' ? 'interrupt' : null,
      },
      () => {
        if (key !== undefined) store.saveKey(input.from, key, sent);
      },
    );
    const path = await delivery.route(letter);
    const answer = this.#answer(id, recipient, path, input.priority);
    if (key !== undefined) store.saveKey(input.from, key, { ...sent, answer: JSON.stringify(answer) });
    log.info(
      {
        from: input.from,
        to: recipient,
        bytes: Buffer.byteLength(input.message),
        path,
        id,
        peers: peers.list().length,
      },
      'mail',
    );
    return answer;
  }

  #answer(id: string, recipient: string, path: DeliveryPath, priority: SendMail['priority']): SentMail {
    const { delivery } = this.#parts;
    const { agent_type, agent_state, shell_state } = delivery.terminalOf(recipient)?.state ?? {};
    const delivered = path !== 'inbox_only';
    const warnings = [
      ...(delivered ? [] : [NO_WAKE]),
      ...(priority === 'interrupt' ? ['It interrupts nobody here, and went as a normal message'] : []),
    ];
    return {
      ok: true,
      accepted: true,
      message_id: id,
      buffered_in_inbox: true,
      delivered,
      delivery_path: path,
      ...(agent_type === undefined
        ? {}
        : {
            recipient_state: {
              ...(shell_state === undefined ? {} : { shell_state }),
              ...(agent_state === undefined ? {} : { agent_state }),
            },
          }),
      ...(delivered ? {} : { recipient_has_terminal: delivery.terminalOf(recipient) !== undefined }),
      ...(warnings.length === 0 ? {} : { warning: warnings.join('. ') }),
    };
  }

  /** MSG-91. */
  #repeated(from: string, key: string, digest: string): SentMail | undefined {
    const { store, clock } = this.#parts;
    const known = store.findKey(from, key);
    if (known === undefined || known.created_at <= clock.now() - DEADLINES.mailStatusKept) return undefined;
    if (known.digest !== digest) {
      throw new AppError('invalid_input', { detail: 'client_key: it was used for another message or recipient' });
    }
    // A server that ended between the message and its answer left no answer behind.
    const first =
      known.answer === ''
        ? {
            ok: true as const,
            accepted: true as const,
            message_id: known.message_id,
            buffered_in_inbox: true as const,
            delivered: false,
            delivery_path: 'inbox_only' as const,
          }
        : (JSON.parse(known.answer) as SentMail);
    return { ...first, duplicate: true };
  }

  /** MSG-92. */
  #threadOf({ from, reply_to, thread }: SendMail): string | null {
    if (reply_to === undefined) return thread ?? null;
    const letter = this.#parts.store.find(reply_to)?.letter;
    if (letter === undefined || (letter.sender !== from && letter.recipient !== from)) {
      throw new AppError('invalid_input', { detail: 'reply_to: you neither sent nor received a message of that id' });
    }
    return thread ?? letter.thread;
  }

  /** MSG-34 to MSG-38. */
  inbox({ identity, since, limit }: ReadInbox): InboxPage {
    const { mailbox, delivery } = this.#parts;
    this.#known(identity);
    const fresh = mailbox.fresh(identity, since);
    const page = fresh.slice(0, limit);
    const messages = page.map((letter) => mailbox.message(letter));
    const last = page.at(-1)?.stamp;
    const missed = mailbox.read(identity, page, last ?? 0);
    delivery.acknowledged(identity);
    return {
      messages,
      count: messages.length,
      next_since: last ?? mailbox.box(identity).cursor,
      ...(fresh.length > page.length ? { has_more: true as const } : {}),
      ...(missed > 0 ? { missed_count: missed } : {}),
    };
  }

  /** MSG-97: newest first; nothing is acknowledged. */
  search({ identity, query, limit }: SearchInbox): InboxPage {
    const { mailbox } = this.#parts;
    this.#known(identity);
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const messages = [...mailbox.letters(identity)]
      .reverse()
      .map((letter) => mailbox.message(letter))
      .filter(({ content, from_name }) => {
        const text = `${from_name}\n${content}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
    const page = messages.slice(0, limit);
    return {
      messages: page,
      count: page.length,
      next_since: mailbox.box(identity).cursor,
      ...(messages.length > page.length ? { has_more: true as const } : {}),
    };
  }

  /** MSG-90. */
  status(identity: string, messageId: string): MailStatus {
    const found = this.#parts.store.find(messageId);
    const letter = this.#parts.mailbox.find(messageId) ?? found?.letter;
    if (found === undefined || letter === undefined) {
      throw new AppError('not_found', {
        what: `message ${messageId}; it never was, or left the inbox more than a day ago`,
      });
    }
    if (letter.sender !== identity && letter.recipient !== identity) {
      throw new AppError('forbidden', { reason: 'this message is not yours' });
    }
    return statusOf(letter, found.leftAt === null);
  }

  /** WAIT-1 to WAIT-4. */
  async wait(
    { identity, protocol_session, timeout_ms, since }: WaitForMail,
    signal: AbortSignal,
  ): Promise<WaitOutcome> {
    const { mailbox, delivery, waits } = this.#parts;
    this.#known(identity);
    const start = since ?? mailbox.box(identity).cursor;
    const ready = delivery.freshForWait(identity, start);
    if (ready.length > 0) {
      delivery.takeByWait(identity, ready);
      return this.#met(ready);
    }
    // MSG-78: an empty look has covered what was announced and read before it.
    delivery.acknowledged(identity);
    const asked = timeout_ms === undefined || timeout_ms === 0 ? DEADLINES.waitStandard : timeout_ms;
    const timeout = Math.min(asked, DEADLINES.wait);
    const letters = await waits.open({ identity, protocolSession: protocol_session, since: start, timeout, signal });
    if (letters !== undefined) return this.#met(letters);
    // What it kept from being announced otherwise is free now.
    delivery.arrange(identity);
    return {
      met: false,
      timed_out: true,
      new_messages: 0,
      next_since: Math.max(mailbox.box(identity).cursor, since ?? 0),
    };
  }

  #met(letters: readonly Letter[]): WaitOutcome {
    const messages = letters.map((letter) => this.#parts.mailbox.message(letter));
    return {
      met: true,
      timed_out: false,
      new_messages: messages.length,
      messages,
      next_since: messages.at(-1)?.timestamp ?? 0,
    };
  }

  /** MSG-81, MSG-83. */
  notifyParent(notice: ChildNotice): void {
    const { parents, peers, mailbox, delivery, ids, log } = this.#parts;
    const parent = parents.of(notice.child);
    if (parent === undefined) return;
    // MSG-19: nothing is buffered under an address that is gone.
    if (!isPendingMarker(parent) && peers.get(parent) === undefined) return;
    const letter = mailbox.append({
      id: `${NOTICE_ID}${ids.uuid()}`,
      recipient: parent,
      sender: SENDER_OF_NOTICES,
      senderName: SENDER_OF_NOTICES,
      content: noticeContent(notice),
      child: notice.child,
      state: notice.state,
      exitCode: notice.exitCode ?? null,
    });
    Promise.resolve(delivery.route(letter)).catch((error: unknown) => {
      log.error({ err: error, child: notice.child }, 'a parent was not woken');
    });
  }

  sweep(): void {
    const { store, clock } = this.#parts;
    store.forgetBefore(clock.now() - DEADLINES.mailStatusKept);
  }

  #known(identity: string) {
    const peer = this.#parts.peers.get(identity);
    if (peer === undefined) throw new AppError('mail_not_registered');
    return peer;
  }
}

function statusOf(letter: Letter, buffered: boolean): MailStatus {
  return {
    message_id: letter.id,
    to: letter.recipient,
    buffered,
    owner: letter.owner,
    shown: letter.shown,
    observed: letter.observedAt !== null,
    times: {
      buffered_at: letter.bufferedAt,
      ...(letter.shownAt === null ? {} : { shown_at: letter.shownAt }),
      ...(letter.observedAt === null ? {} : { observed_at: letter.observedAt }),
    },
  };
}
