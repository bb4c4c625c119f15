/**
 * Owns the inboxes: what lies in each, in which order, up to where it was read, and what was dropped (mcp.md 7.5).
 *
 * Promises: what `append` returned from survives a kill; stamps of one inbox rise strictly; nothing leaves but by overflow, which is
 * counted and told, by coalescing of machine notices, or with its inbox. Every change is one synchronous section, table first.
 *
 * What a read changes (position, observed) is written only after the answer had its turn to go out: an answer that a kill caught on its
 * way is given again, with the same ids, instead of being missing.
 */
import type { Clock } from '../../base/index.ts';
import { LIMITS, type MailMessage } from '../../contract/index.ts';
import type { MailStore } from './mail-store.ts';
import { type Box, isNotice, type Letter, openGate } from './model.ts';

/** States of a child whose newest notice takes the place of an older unread one (MSG-32). */
const REPEATABLE: readonly (string | null)[] = ['idle', 'completed', 'awaiting_input'];

export interface NewLetter {
  id: string;
  recipient: string;
  sender: string;
  senderName: string;
  content: string;
  replyTo?: string | null;
  thread?: string | null;
  priority?: 'interrupt' | null;
  child?: string | null;
  state?: string | null;
  exitCode?: number | null;
}

export interface MailboxDependencies {
  store: MailStore;
  clock: Clock;
  /** Runs `work` once what is being answered now has gone out. */
  afterAnswer: (work: () => void) => void;
  /** It is being typed right now, so nothing may take its place. */
  isBeingTyped: (id: string) => boolean;
  /** A newer notice took the place of this one. */
  onReplaced: (letter: Letter) => void;
  log: { error(fields: object, message: string): void };
}

export class Mailbox {
  readonly #dependencies: MailboxDependencies;
  readonly #boxes = new Map<string, { box: Box; letters: Letter[] }>();
  readonly #unwrittenBoxes = new Set<Box>();
  readonly #unwrittenLetters = new Set<Letter>();
  #isWriting = false;

  constructor(dependencies: MailboxDependencies) {
    this.#dependencies = dependencies;
    const { boxes, letters } = dependencies.store.load();
    for (const box of boxes) this.#boxes.set(box.identity, { box, letters: [] });
    for (const letter of letters) this.#open(letter.recipient).letters.push(letter);
  }

  get identities(): string[] {
    return [...this.#boxes.keys()];
  }

  box(identity: string): Readonly<Box> {
    return this.#boxes.get(identity)?.box ?? emptyBox(identity);
  }

  /** Oldest first. */
  letters(identity: string): readonly Letter[] {
    return this.#boxes.get(identity)?.letters ?? [];
  }

  find(id: string): Letter | undefined {
    for (const { letters } of this.#boxes.values()) {
      const letter = letters.find((each) => each.id === id);
      if (letter !== undefined) return letter;
    }
    return undefined;
  }

  /** Unread by the inbox, oldest first. */
  fresh(identity: string, since: number = this.box(identity).cursor): Letter[] {
    return this.letters(identity).filter(({ stamp }) => stamp > since);
  }

  message(letter: Letter): MailMessage {
    return {
      id: letter.id,
      from_tuic_session: letter.sender,
      from_name: letter.senderName,
      content: this.#dependencies.store.content(letter.id),
      timestamp: letter.stamp,
      ...(letter.replyTo === null ? {} : { reply_to: letter.replyTo }),
      ...(letter.thread === null ? {} : { thread: letter.thread }),
      ...(letter.priority === null ? {} : { priority: letter.priority }),
    };
  }

  content(letter: Letter): string {
    return this.#dependencies.store.content(letter.id);
  }

  /** Stores it at the end of the inbox; `also` is written in the same transaction. */
  append(input: NewLetter, also?: () => void): Letter {
    const { store, clock } = this.#dependencies;
    const { recipient } = input;
    const entry = this.#boxes.get(recipient) ?? { box: emptyBox(recipient), letters: [] };
    const now = clock.now();
    const letter: Letter = {
      id: input.id,
      recipient,
      stamp: Math.max(now, entry.box.newest + 1),
      sender: input.sender,
      senderName: input.senderName,
      replyTo: input.replyTo ?? null,
      thread: input.thread ?? null,
      priority: input.priority ?? null,
      child: input.child ?? null,
      state: input.state ?? null,
      exitCode: input.exitCode ?? null,
      bufferedAt: now,
      owner: 'none',
      shown: 'no',
      shownAt: null,
      observedAt: null,
    };
    const replaced = this.#replacedBy(letter, entry);
    const kept = entry.letters.filter((each) => each !== replaced);
    const evicted = kept.slice(0, Math.max(0, kept.length + 1 - LIMITS.inboxMessages));
    const box: Box = {
      ...entry.box,
      newest: letter.stamp,
      missed: entry.box.missed + evicted.filter((each) => isUnread(each, entry.box)).length,
    };
    store.transaction(() => {
      store.add(letter, input.content);
      for (const gone of replaced === undefined ? evicted : [replaced, ...evicted]) store.leave(gone.id, now);
      store.saveBox(box);
      also?.();
    });
    Object.assign(entry.box, box);
    entry.letters = [...kept.slice(evicted.length), letter];
    this.#boxes.set(recipient, entry);
    for (const gone of evicted) this.#unwrittenLetters.delete(gone);
    if (replaced !== undefined) this.#dependencies.onReplaced(replaced);
    return letter;
  }

  /** MSG-32: an older unread notice of the same child, that nobody has begun to show. */
  #replacedBy(letter: Letter, { box, letters }: { box: Box; letters: Letter[] }): Letter | undefined {
    if (!isNotice(letter) || !REPEATABLE.includes(letter.state)) return undefined;
    return letters.find(
      (each) =>
        isNotice(each) &&
        each.child === letter.child &&
        REPEATABLE.includes(each.state) &&
        isUnread(each, box) &&
        each.owner !== 'channel' &&
        each.shown === 'no' &&
        !this.#dependencies.isBeingTyped(each.id),
    );
  }

  /** Changes how its announcement stands. */
  mark(letter: Letter, change: Partial<Pick<Letter, 'owner' | 'shown' | 'shownAt'>>): void {
    const next = { ...letter, ...change };
    this.#dependencies.store.save(next);
    Object.assign(letter, change);
  }

  /** As `mark`, also for one that has left its inbox meanwhile: its sender may still ask. */
  markById(id: string, change: Partial<Pick<Letter, 'owner' | 'shown' | 'shownAt'>>): void {
    const letter = this.find(id) ?? this.#dependencies.store.find(id)?.letter;
    if (letter !== undefined) this.mark(letter, change);
  }

  saveGate(identity: string, change: Partial<Box['gate']>): void {
    const { box } = this.#open(identity);
    const gate = { ...box.gate, ...change };
    this.#dependencies.store.saveBox({ ...box, gate });
    box.gate = gate;
  }

  /** MSG-36, MSG-38: the reader has these, and its position is `cursor` at least. Gives what was told of dropped ones. */
  read(identity: string, returned: readonly Letter[], cursor: number): number {
    const { box } = this.#open(identity);
    const { missed } = box;
    this.observe(returned);
    box.missed = 0;
    box.cursor = Math.max(box.cursor, cursor);
    this.#writeLater(box);
    return missed;
  }

  observe(returned: readonly Letter[]): void {
    const now = this.#dependencies.clock.now();
    for (const letter of returned) {
      if (letter.observedAt !== null) continue;
      letter.observedAt = now;
      this.#unwrittenLetters.add(letter);
    }
    if (returned.length > 0) this.#writeLater();
  }

  /** MSG-18: everything of `from` lies behind what `to` has, unread, with new stamps. How many were carried. */
  migrate(from: string, to: string): number {
    const source = this.#boxes.get(from);
    if (source === undefined) return 0;
    const { store, clock } = this.#dependencies;
    this.flush();
    const now = clock.now();
    const target = this.#boxes.get(to) ?? { box: emptyBox(to), letters: [] };
    const carried = source.letters.filter((letter) => isUnread(letter, source.box));
    let newest = target.box.newest;
    const moved = carried.map((letter) => {
      newest = Math.max(now, newest + 1);
      return { letter, place: { recipient: to, stamp: newest } };
    });
    const all = [...target.letters, ...carried];
    const evicted = all.slice(0, Math.max(0, all.length - LIMITS.inboxMessages));
    const box: Box = {
      ...target.box,
      newest,
      missed:
        target.box.missed +
        source.box.missed +
        evicted.filter((letter) => carried.includes(letter) || isUnread(letter, target.box)).length,
    };
    store.transaction(() => {
      for (const { letter, place } of moved) store.save({ ...letter, ...place });
      for (const letter of evicted) store.leave(letter.id, now);
      for (const letter of source.letters) if (!carried.includes(letter)) store.leave(letter.id, now);
      store.saveBox(box);
      store.removeBox(from);
    });
    for (const { letter, place } of moved) Object.assign(letter, place);
    Object.assign(target.box, box);
    target.letters = all.slice(evicted.length);
    this.#boxes.set(to, target);
    this.#boxes.delete(from);
    return carried.length;
  }

  /** The identity is over; the status of its mail is kept for a while. */
  remove(identity: string): void {
    const entry = this.#boxes.get(identity);
    if (entry === undefined) return;
    const { store, clock } = this.#dependencies;
    this.flush();
    store.transaction(() => {
      for (const letter of entry.letters) store.leave(letter.id, clock.now());
      store.removeBox(identity);
    });
    this.#boxes.delete(identity);
  }

  /** Writes what reads have changed. */
  flush(): void {
    if (this.#unwrittenBoxes.size === 0 && this.#unwrittenLetters.size === 0) return;
    const { store } = this.#dependencies;
    store.transaction(() => {
      for (const box of this.#unwrittenBoxes) store.saveBox(box);
      for (const letter of this.#unwrittenLetters) store.save(letter);
    });
    this.#unwrittenBoxes.clear();
    this.#unwrittenLetters.clear();
  }

  #writeLater(box?: Box): void {
    if (box !== undefined) this.#unwrittenBoxes.add(box);
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#dependencies.afterAnswer(() => {
      this.#isWriting = false;
      try {
        this.flush();
      } catch (error) {
        // Kept, and tried again with the next one: a reader is given it once more at worst.
        this.#dependencies.log.error({ err: error }, 'the position of a reader was not written');
      }
    });
  }

  #open(identity: string): { box: Box; letters: Letter[] } {
    let entry = this.#boxes.get(identity);
    if (entry === undefined) {
      entry = { box: emptyBox(identity), letters: [] };
      this.#boxes.set(identity, entry);
    }
    return entry;
  }
}

function emptyBox(identity: string): Box {
  return { identity, newest: 0, cursor: 0, missed: 0, gate: openGate() };
}

/** Neither read from the inbox nor returned by a wait. */
export function isUnread(letter: Letter, box: Pick<Box, 'cursor'>): boolean {
  return letter.stamp > box.cursor && letter.observedAt === null;
}
