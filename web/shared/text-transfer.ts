/**
 * Text between a terminal and the rest of the machine: copied, pasted, saved as a file. Says what came of it, because nobody
 * sees a clipboard.
 */
import type { Client, PasteOutcome } from '../../src/client/index.ts';
import { LIMITS } from '../../src/contract/index.ts';
import { renderLine } from '../terminal/history.ts';
import type { PasteProgress } from '../terminal/paste-sender.ts';
import { LARGEST_PASTE, type PreparedPaste } from '../terminal/paste-text.ts';
import type { TerminalStage } from '../terminal/terminal-stage.ts';

import { readClipboard, writeClipboard } from './clipboard.ts';
import { describeBytes, sessionLabel } from './labels.ts';
import { readLogPages } from './log-pages.ts';
import { plainLine, textFileName } from './saved-text.ts';
import type { WorkspaceStore } from './workspace-state.ts';

export interface TextTransferDependencies {
  client: Client;
  store: WorkspaceStore;
  stage: TerminalStage;
  notify(kind: 'info' | 'error', text: string): void;
  explain(error: unknown, what: string): void;
}

export class TextTransfer {
  readonly #dependencies: TextTransferDependencies;

  constructor(dependencies: TextTransferDependencies) {
    this.#dependencies = dependencies;
  }

  async copySelection(): Promise<void> {
    const text = this.#dependencies.stage.current?.terminal.getSelection() ?? '';
    if (text === '') this.#dependencies.notify('info', 'Nothing is selected.');
    else await this.copy(text);
  }

  /** `said` is told when it worked; a selection needs no words. */
  async copy(text: string, said?: string): Promise<void> {
    const { notify } = this.#dependencies;
    if (!(await writeClipboard(text))) notify('error', 'The browser does not let this page write to the clipboard.');
    else if (said !== undefined) notify('info', said);
  }

  selectAll(): void {
    this.#dependencies.stage.current?.terminal.selectAll();
  }

  /** From the clipboard itself, where the browser allows it. The paste key needs no permission. */
  async pasteClipboard(): Promise<void> {
    const { stage, store, notify } = this.#dependencies;
    const id = store.getState().tabs.active;
    const text = await readClipboard();
    if (text === undefined)
      notify('error', 'The browser does not let this page read the clipboard. Ctrl+Shift+V pastes without asking it.');
    else if (id !== undefined) this.offer(id, text);
    stage.focus();
  }

  offer(id: string, raw: string): void {
    const { stage, store } = this.#dependencies;
    stage.view(id)?.offerPaste(raw, store.getState().preferences.confirmPaste);
  }

  ask(id: string, paste: PreparedPaste): void {
    this.#dependencies.store.setState({ dialog: { kind: 'paste', sessionId: id, paste } });
  }

  paste(id: string, text: string): void {
    const { stage, notify } = this.#dependencies;
    const view = stage.view(id);
    if (view === undefined) notify('error', 'The terminal is closed. Nothing was pasted.');
    else void view.paste(text);
  }

  tellTooLarge(bytes: number): void {
    const most = describeBytes(LARGEST_PASTE);
    this.#dependencies.notify(
      'error',
      `What you pasted is ${describeBytes(bytes)}; a terminal takes at most ${most} at once. Nothing of it was sent. Save it as a file and let the program read that.`,
    );
  }

  showProgress(id: string, { sent, total, outcome }: PasteProgress): void {
    const { store, notify } = this.#dependencies;
    const pasting = new Map(store.getState().pasting);
    if (outcome === undefined) pasting.set(id, { sent, total });
    else pasting.delete(id);
    store.setState({ pasting });
    if (outcome !== undefined) notify(outcome.kind === 'written' ? 'info' : 'error', describeOutcome(outcome, total));
  }

  /** Saves the log and the screen as a file of this browser, with or without colours. */
  async save(id: string, hasColors: boolean): Promise<void> {
    const { client, store, notify, explain } = this.#dependencies;
    const session = store.getState().sessions.get(id);
    if (session === undefined) return;
    const label = sessionLabel(session);
    try {
      const newest = await client.sessions.logOutput(id, { limit: 1 });
      const from = Math.max(0, newest.total_lines - LIMITS.logLines);
      const { lines, screen } = await readLogPages(client, id, { from });
      const all = [...lines, ...trimEnd(screen.map((line) => ({ line, text: plainLine(line) })))];
      const text = `${all.map(hasColors ? renderLine : plainLine).join('\n')}\n`;
      const name = textFileName(label, hasColors, new Date());
      download(name, text);
      notify('info', `${all.length.toLocaleString('en')} lines of ${label} are saved as ${name}.`);
    } catch (error) {
      explain(error, `The text of ${label} could not be saved`);
    }
  }
}

function describeOutcome(outcome: PasteOutcome, total: number): string {
  const size = describeBytes(total);
  switch (outcome.kind) {
    case 'written':
      return `${size} are pasted.`;
    case 'refused':
      return `Nothing of the ${size} was pasted: ${outcome.reason}.`;
    case 'not connected':
      return `Nothing of the ${size} was pasted: the server does not answer.`;
    case 'unknown':
      return `The connection broke before the server said whether it took the ${size}. Look before you paste again: it took all or nothing.`;
  }
}

/** Without the empty rows below the text. */
function trimEnd<Line>(rows: readonly { line: Line; text: string }[]): Line[] {
  const last = rows.findLastIndex(({ text }) => text !== '');
  return rows.slice(0, last + 1).map(({ line }) => line);
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the text by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
