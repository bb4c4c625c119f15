/** How a session is called on screen. Titles and names come from programs and callers: they are shown as plain text. */
import type { SessionInfo } from '../../src/contract/index.ts';
import { type Layout, panesOf } from './layout.ts';

// Control characters, and those that turn the direction of the text around them.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LONGEST = 120;
const LONGEST_ROW = 300;

export function cleanText(text: string): string {
  const clean = text.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
  const letters = [...clean];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join('')}…` : clean;
}

/** A row of a screen: nothing in it turns the text around it or moves the cursor; its blanks stay. */
export function plainRow(row: string): string {
  return row.replace(UNSAFE, '').slice(0, LONGEST_ROW);
}

/** The given name, else the title the program set, else the alias. */
export function sessionLabel(session: SessionInfo): string {
  for (const candidate of [session.display_name, session.title, session.alias]) {
    const text = cleanText(candidate ?? '');
    if (text !== '') return text;
  }
  return session.session_id.slice(0, 8);
}

export function sessionAlias(session: SessionInfo): string {
  return session.alias ?? session.session_id.slice(0, 8);
}

/** The last part of the folder, `/` for the root, empty when unknown. */
export function folderName(cwd: string | null): string {
  if (cwd === null) return '';
  const parts = cwd.split(/[\\/]+/).filter((part) => part !== '');
  return parts.at(-1) ?? '/';
}

/** What runs in a terminal: the agent it was recognised as, else the program in front, else its shell. Undefined while unknown. */
export function describeProgram(session: SessionInfo, inFront: string | null | undefined): string | undefined {
  if (session.lifecycle !== 'live' || inFront === undefined) return undefined;
  const name = cleanText(session.state?.agent_type ?? inFront ?? folderName(session.shell ?? null));
  return name === '' ? undefined : name;
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Such as `3 terminals in 2 panes`. */
export function describeLayout(layout: Layout): string {
  const panes = panesOf(layout.root);
  const terminals = counted(panes.flatMap(({ tabs }) => tabs.order).length, 'terminal');
  return panes.length === 1 ? terminals : `${terminals} in ${counted(panes.length, 'pane')}`;
}

export function describeAge(createdAt: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - createdAt) / 1000));
  if (seconds < 60) return 'now';
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h`;
  return `${Math.floor(hours / 24)} d`;
}

export function describeBytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${Math.round(count / 1024)} KB`;
  return `${(count / 1024 / 1024).toFixed(1)} MB`;
}
