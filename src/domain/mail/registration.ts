/**
 * Registers, renames, repairs and replaces identities (mcp.md 7.3). One synchronous section: mail of an identity that is given up is
 * carried over before its peer goes, so a send finds either the one or the other (MSG-19).
 */
import { type Ids, isCanonicalUuid } from '../../base/index.ts';
import { AppError, type RegisterPeer } from '../../contract/index.ts';
import { type PeerService, pendingMarker } from '../peers/index.ts';
import type { Delivery } from './delivery.ts';
import { isUnread, type Mailbox } from './mailbox.ts';
import type { Parents } from './parents.ts';
import type { MailSessions } from './ports.ts';
import type { RefusalLog } from './refusal-log.ts';

export interface RegistrationDependencies {
  peers: PeerService;
  mailbox: Mailbox;
  parents: Parents;
  delivery: Delivery;
  sessions: Pick<MailSessions, 'list'>;
  ids: Ids;
  refusals: RefusalLog;
  /** Tasks of the one belong to the other. */
  moveTasks: (from: string, to: string) => void;
}

interface Outcome {
  superseded_identity?: string;
  mail_migrated?: number;
  mail_stranded?: number;
  identity_warning?: string;
}

export class Registration {
  readonly #dependencies: RegistrationDependencies;

  constructor(dependencies: RegistrationDependencies) {
    this.#dependencies = dependencies;
  }

  register(input: RegisterPeer) {
    const { peers, ids, delivery, mailbox } = this.#dependencies;
    const session = input.protocol_session;
    const announced = input.tuic_session;
    if (announced !== undefined && !isCanonicalUuid(announced)) throw new AppError('invalid_identity');
    const bound = peers.identityOf(session);
    const identity = announced ?? bound ?? ids.uuid();
    this.#checkOwner(identity, session);
    if (bound !== undefined && bound !== identity) this.#checkRepair(bound, identity);

    const outcome: Outcome = {};
    const wasOrchestrator = peers.get(identity)?.orchestrator === true;
    let inheritsRole = false;
    if (bound !== undefined && bound !== identity) {
      inheritsRole = peers.get(bound)?.orchestrator === true;
      outcome.superseded_identity = bound;
      outcome.mail_migrated = this.#giveUp(bound, identity);
    }
    const linked = this.linkPending(session, identity);
    peers.bind(session, identity);
    if (input.replaces !== undefined) Object.assign(outcome, this.#replace(input.replaces, identity, session));
    const known = peers.get(identity);
    if (known === undefined) throw new Error('a peer that was bound is not there');
    const orchestrator = input.orchestrator ?? (known.orchestrator || inheritsRole);
    const peer = peers.change(identity, {
      name: input.name ?? known.name,
      project: input.project ?? known.project,
      orchestrator,
    });
    if (orchestrator === wasOrchestrator) delivery.arrange(identity);
    else delivery.roleChanged(identity);

    const hasTerminal = delivery.terminalOf(identity) !== undefined;
    const wake = orchestrator && delivery.managedTerminalOf(identity) !== undefined;
    const box = mailbox.box(identity);
    return {
      ok: true as const,
      tuic_session: identity,
      name: peer.name,
      ...(peer.project === null ? {} : { project: peer.project }),
      linked_children: linked,
      identity_generated: announced === undefined && bound === undefined,
      terminal: hasTerminal,
      orchestrator,
      mail_wake: wake ? ('managed_pty_lifecycle' as const) : ('none' as const),
      unread: mailbox.letters(identity).filter((letter) => isUnread(letter, box)).length,
      identity: describe(identity, hasTerminal, orchestrator, wake),
      ...outcome,
    };
  }

  /** MSG-14: an address is never taken from somebody who is there. */
  #checkOwner(identity: string, session: string): void {
    const { peers, refusals } = this.#dependencies;
    if (!peers.isOwnedByOther(identity, session)) return;
    refusals.note(identity, session);
    throw new AppError('identity_taken', { identity });
  }

  /** MSG-17. */
  #checkRepair(bound: string, announced: string): void {
    if (this.#hasTerminal(bound)) throw new AppError('identity_bound', { identity: bound });
    if (!this.#hasTerminal(announced)) throw new AppError('identity_bound', { identity: bound });
  }

  /** A lost terminal counts as a live one (MSG-29). */
  #hasTerminal(identity: string): boolean {
    return this.#dependencies.sessions.list().some(({ tuic_session }) => tuic_session === identity);
  }

  /** MSG-18: `to` has what `from` had, and `from` is gone. */
  #giveUp(from: string, to: string): number {
    const { mailbox, parents, peers, moveTasks } = this.#dependencies;
    const migrated = mailbox.migrate(from, to);
    parents.relink(from, to);
    moveTasks(from, to);
    peers.remove(from);
    return migrated;
  }

  /** MSG-20, MSG-21. */
  #replace(old: string, identity: string, session: string): Outcome {
    const { peers, mailbox } = this.#dependencies;
    const peer = peers.get(old);
    if (peer === undefined || old === identity) return {};
    if (this.#hasTerminal(old) || peers.isOwnedByOther(old, session)) {
      const box = mailbox.box(old);
      return {
        mail_migrated: 0,
        mail_stranded: mailbox.letters(old).filter((letter) => isUnread(letter, box)).length,
        identity_warning: `${old} still works under its own address, so nothing was taken from it`,
      };
    }
    const migrated = this.#giveUp(old, identity);
    if (peer.orchestrator) peers.change(identity, { orchestrator: true });
    return { superseded_identity: old, mail_migrated: migrated };
  }

  /** MSG-80: what a session began before it had an identity is that of its identity. */
  linkPending(session: string, identity: string): number {
    const { mailbox, parents, moveTasks } = this.#dependencies;
    const marker = pendingMarker(session);
    const linked = parents.relink(marker, identity);
    mailbox.migrate(marker, identity);
    if (linked > 0) moveTasks(marker, identity);
    return linked;
  }
}

function describe(identity: string, hasTerminal: boolean, orchestrator: boolean, wake: boolean): string {
  const who = hasTerminal ? `You are ${identity}, in a terminal of TUICommander.` : `You are ${identity}.`;
  if (wake) return `${who} Mail stays in your inbox; your idle terminal gets one line that says to read it.`;
  if (orchestrator || !hasTerminal) return `${who} Nothing wakes you: call agent action=wait or action=inbox.`;
  return `${who} Mail is typed at your prompt when you are idle.`;
}
