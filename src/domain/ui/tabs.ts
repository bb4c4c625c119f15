/**
 * Owns the tabs that agents open (UI-1, UI-2): what each shows, whose it is, and the ticket that its content is read by.
 *
 * Ordering: calls for one id run one after the other. A tab is looked at, put into the map and told in one synchronous step, after
 * everything that waits; so a tab of a session that ended meanwhile is not opened, and of two callers with one id one is refused.
 * A tab leaves the map before its end is told, so each end is told once, and its ticket opens nothing from then on. New content has
 * a new ticket: windows load it anew, and what was shown before is gone.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Clock, KeyedMutex } from '../../base/index.ts';
import { type AgentTab, AppError, type EventData, LIMITS, type OpenTab } from '../../contract/index.ts';
import { parseTabAddress, type TabAddress } from './tab-address.ts';
import { type OpenedFile, type ReadRepositories, type ShownFile, TabFiles } from './tab-files.ts';

export type TabPublish = <N extends 'ui-tab' | 'close-html-tabs'>(name: N, data: EventData[N]) => void;

export interface TabDependencies {
  clock: Clock;
  publish: TabPublish;
  readRepositories: ReadRepositories;
  /** The session is in the list, running or lost. */
  isSessionThere: (sessionId: string) => boolean;
}

/** What stands at an address under the ticket of a tab. */
export type TabContent = { kind: 'html'; html: string } | ({ kind: 'file'; isPreview: boolean } & ShownFile);

type Source =
  | { kind: 'html'; html: string; bytes: number }
  | { kind: 'web'; url: string }
  | { kind: 'files' | 'preview'; opened: OpenedFile; suffix: string };

interface Entry {
  tab: AgentTab;
  source: Source;
  /** Digest of the ticket. */
  key: string | undefined;
}

const TICKET_BYTES = 32;

/** A look-up by the ticket itself would tell by its duration how much of it is right. */
function digest(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url');
}

export class AgentTabs {
  readonly #dependencies: TabDependencies;
  readonly #files: TabFiles;
  readonly #mutex = new KeyedMutex();
  /** By id, oldest first; new content keeps the place. */
  readonly #entries = new Map<string, Entry>();
  readonly #tickets = new Map<string, string>();

  constructor(dependencies: TabDependencies) {
    this.#dependencies = dependencies;
    this.#files = new TabFiles(dependencies.readRepositories);
  }

  list(): AgentTab[] {
    return [...this.#entries.values()].map(({ tab }) => ({ ...tab }));
  }

  open(input: OpenTab): Promise<{ ok: true; id: string }> {
    return this.#mutex.run(input.id, async () => {
      this.#record(input, await this.#sourceOf(input));
      return { ok: true, id: input.id } as const;
    });
  }

  /** By a person. */
  close(id: string): void {
    if (!this.#entries.has(id)) throw new AppError('not_found', { what: 'tab; it was closed already' });
    this.#drop([id]);
  }

  /** The session is over. */
  closeOf(sessionId: string): void {
    this.#drop(this.#idsWhere((owner) => owner === sessionId));
  }

  /** After events were missed. */
  closeOrphans(): void {
    this.#drop(this.#idsWhere((owner) => owner !== undefined && !this.#dependencies.isSessionThere(owner)));
  }

  /** Throws tab_ticket_invalid for a ticket of no tab, and what tab-files.ts says of its files. */
  async read(ticket: string, rest: string): Promise<TabContent> {
    const entry = this.#entries.get(this.#tickets.get(digest(ticket)) ?? '');
    if (entry === undefined || entry.source.kind === 'web') throw new AppError('tab_ticket_invalid');
    const { source } = entry;
    if (source.kind === 'html') {
      if (rest !== '') throw new AppError('not_found', { what: 'file of this tab' });
      return { kind: 'html', html: source.html };
    }
    const isPreview = source.kind === 'preview';
    return { kind: 'file', isPreview, ...(await this.#files.open(source.opened, rest, isPreview)) };
  }

  async #sourceOf({ html, url }: OpenTab): Promise<Source> {
    // Models fill in what they do not use with an empty text.
    const hasUrl = url !== undefined && url !== '';
    const hasHtml = html !== undefined && (html !== '' || !hasUrl);
    if (hasUrl === hasHtml) throw new AppError('invalid_input', { detail: 'exactly one of html and url is needed' });
    if (!hasUrl) {
      const text = html ?? '';
      const bytes = Buffer.byteLength(text);
      if (bytes > LIMITS.tabHtml) {
        throw new AppError('invalid_input', {
          detail: `html is ${bytes} bytes long, ${LIMITS.tabHtml} are possible. Write a file and open it by its file URL`,
        });
      }
      return { kind: 'html', html: text, bytes };
    }
    const address: TabAddress = parseTabAddress(url);
    if (address.kind === 'web') return address;
    const opened = await this.#files.find(address.path);
    return { kind: address.kind, opened, suffix: address.kind === 'files' ? address.suffix : '' };
  }

  #record(input: OpenTab, source: Source): void {
    const { clock, publish, isSessionThere } = this.#dependencies;
    const { id, title, pinned, focus, origin_session_id: owner, origin_repo_path: place } = input;
    const before = this.#entries.get(id);
    const owned = before?.tab.origin_session_id;
    if (owner !== undefined && !isSessionThere(owner)) throw new AppError('session_not_found');
    if (owned !== undefined && owned !== owner) {
      throw new AppError('forbidden', {
        reason: `the tab ${JSON.stringify(id)} belongs to another session; use another id`,
      });
    }
    this.#refuseTooMuch(before, source);
    const ticket = source.kind === 'web' ? undefined : randomBytes(TICKET_BYTES).toString('base64url');
    const frameUrl = source.kind === 'web' ? source.url : addressOf(ticket ?? '', source);
    const now = clock.now();
    const tab: AgentTab = {
      id,
      title,
      kind: source.kind,
      pinned,
      frame_url: frameUrl,
      ...('opened' in source ? { path: source.opened.path } : {}),
      ...(owner === undefined ? {} : { origin_session_id: owner }),
      ...(place === undefined ? {} : { origin_repo_path: place }),
      opened_at: before?.tab.opened_at ?? now,
      changed_at: now,
    };
    const key = ticket === undefined ? undefined : digest(ticket);
    if (before?.key !== undefined) this.#tickets.delete(before.key);
    if (key !== undefined) this.#tickets.set(key, id);
    this.#entries.set(id, { tab, source, key });
    const isShort = source.kind === 'html' && source.bytes <= LIMITS.tabEventHtml;
    publish('ui-tab', {
      ...tab,
      html: isShort ? source.html : '',
      focus,
      ...(source.kind === 'html' ? {} : { url: frameUrl }),
    });
  }

  #refuseTooMuch(before: Entry | undefined, source: Source): void {
    if (before === undefined && this.#entries.size >= LIMITS.tabs) {
      throw new AppError('tab_limit', { detail: `${LIMITS.tabs} tabs` });
    }
    if (source.kind !== 'html') return;
    let bytes = source.bytes;
    for (const entry of this.#entries.values()) {
      if (entry !== before && entry.source.kind === 'html') bytes += entry.source.bytes;
    }
    if (bytes > LIMITS.tabHtmlTotal)
      throw new AppError('tab_limit', { detail: `${LIMITS.tabHtmlTotal} bytes of html` });
  }

  #idsWhere(isMeant: (owner: string | undefined) => boolean): string[] {
    return this.list().flatMap(({ id, origin_session_id: owner }) => (isMeant(owner) ? [id] : []));
  }

  #drop(ids: string[]): void {
    if (ids.length === 0) return;
    for (const id of ids) {
      const key = this.#entries.get(id)?.key;
      if (key !== undefined) this.#tickets.delete(key);
      this.#entries.delete(id);
    }
    this.#dependencies.publish('close-html-tabs', { tab_ids: ids });
  }
}

function addressOf(ticket: string, source: Exclude<Source, { kind: 'web' }>): string {
  const base = `/ui/files/${ticket}/`;
  return source.kind === 'html' ? base : `${base}${encodeURIComponent(source.opened.name)}${source.suffix}`;
}
