/**
 * Following the links of terminals: web addresses open in a tab of the browser, folders as a terminal, and the path of a file
 * goes to the clipboard, as files are the business of the programs on that machine.
 */
import { type Client, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { type CreateSession, DEADLINES } from '../../src/contract/index.ts';
import type { LinkTarget, ResolvedTarget } from '../terminal/terminal-links.ts';
import { cleanText } from './labels.ts';
import type { TextTransfer } from './text-transfer.ts';
import type { WorkspaceStore } from './workspace-state.ts';

/** Answers that are remembered for a moment, so that moving the pointer along a line asks once. */
const MOST_REMEMBERED = 500;

export interface LinksDependencies {
  client: { folders: Pick<Client['folders'], 'resolvePath'> };
  store: WorkspaceStore;
  clock: { monotonic(): number };
  text: Pick<TextTransfer, 'copy'>;
  createTerminal(like: CreateSession): Promise<unknown>;
  openPage(url: string): void;
}

export class Links {
  readonly #dependencies: LinksDependencies;
  readonly #answers = new Map<string, { at: number; answer: Promise<ResolvedTarget | undefined> }>();

  constructor(dependencies: LinksDependencies) {
    this.#dependencies = dependencies;
  }

  /** What a written path names on the server's machine. Nothing while the server does not answer: it is only no link then. */
  resolve(sessionId: string, written: string): Promise<ResolvedTarget | undefined> {
    const key = `${sessionId} ${written}`;
    const now = this.#dependencies.clock.monotonic();
    const known = this.#answers.get(key);
    if (known !== undefined && now - known.at < DEADLINES.linkAnswer) return known.answer;
    const answer = this.#ask(sessionId, written);
    this.#answers.delete(key);
    this.#answers.set(key, { at: now, answer });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_REMEMBERED && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  async #ask(session: string, candidate: string): Promise<ResolvedTarget | undefined> {
    const { client, store } = this.#dependencies;
    const cwd = store.getState().sessions.get(session)?.cwd ?? '';
    try {
      const found = await client.folders.resolvePath({ cwd, candidate, session });
      return found === null ? undefined : { path: found.absolute_path, isFolder: found.is_directory };
    } catch (error) {
      if (error instanceof ServerUnreachable || error instanceof RequestRefused) return undefined;
      throw error;
    }
  }

  /** The pointer is on a link of the session, or left it. */
  point(sessionId: string, target: LinkTarget | undefined): void {
    const { store } = this.#dependencies;
    if (target === undefined && store.getState().pointedLink?.sessionId !== sessionId) return;
    store.setState({ pointedLink: target === undefined ? undefined : { sessionId, target } });
  }

  follow(target: LinkTarget): void {
    if (target.kind === 'web') this.#dependencies.openPage(target.url);
    else if (target.isFolder) void this.#dependencies.createTerminal({ cwd: target.path });
    else this.copy(target);
  }

  copy(target: LinkTarget): void {
    const text = copyText(target);
    void this.#dependencies.text.copy(text, `${cleanText(text)} is copied.`);
  }
}

/** What a link stands for, as text for the clipboard: an address, or a path with the place in it. */
export function copyText(target: LinkTarget): string {
  if (target.kind === 'web') return target.url;
  if (target.isFolder) return target.path;
  return [target.path, target.line, target.column].filter((part) => part !== undefined).join(':');
}

/** What following it does. */
export function describeFollow(target: LinkTarget): string {
  if (target.kind === 'web') return 'open the page';
  return target.isFolder ? 'open a terminal there' : 'copy the path';
}
