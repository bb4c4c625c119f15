/** Reads and changes our hooks in the settings of an agent. Entries of others are never touched. */
import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { Place } from '../mcp-clients/clients.ts';
import { applyChange, type EntryChange, isThere, readIfThere } from '../mcp-clients/entries.ts';
import { appendItem, editJson, readJson, removeItem } from '../mcp-clients/json-file.ts';
import { UnreadableFile } from '../mcp-clients/unreadable-file.ts';
import type { HookEvent, HookedAgent } from './agents.ts';
import { SENTINEL } from './hook-command.ts';

export interface HookStatus {
  agent: string;
  name: string;
  /** The agent's folder is on this machine. */
  present: boolean;
  /** `different`: ours are there, but not as this version writes them. */
  state: 'installed' | 'different' | 'absent' | 'unreadable';
  file: string;
  detail?: string;
}

/** One group of hooks in the settings; both known formats have it. */
function groupOf({ matcher, command }: HookEvent): JsonObject {
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command }] };
}

const hooksOf = (group: unknown): unknown[] => (isJsonObject(group) && Array.isArray(group.hooks) ? group.hooks : []);
const isOwnHook = (hook: unknown) =>
  isJsonObject(hook) && typeof hook.command === 'string' && hook.command.includes(SENTINEL);
const isOwn = (group: unknown) => hooksOf(group).some(isOwnHook);

/** Our groups by event. Throws UnreadableFile for a form that nobody could add to. */
function ownGroups(document: JsonObject): Map<string, unknown[]> {
  const { hooks = {} } = document;
  if (!isJsonObject(hooks)) throw new UnreadableFile(1, 'hooks is no object');
  const own = new Map<string, unknown[]>();
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) continue;
    const found: unknown[] = groups.filter(isOwn);
    if (found.length > 0) own.set(event, found);
  }
  return own;
}

function wantedGroups(events: readonly HookEvent[]): Map<string, unknown[]> {
  return new Map(events.map((event) => [event.event, [groupOf(event)]]));
}

function withoutOwn(text: string): string {
  let result = text;
  for (const event of ownGroups(readJson(text)).keys()) {
    const path = ['hooks', event];
    const groups = () => (readJson(result).hooks as JsonObject)[event] as unknown[];
    for (let at = groups().length - 1; at >= 0; at--) {
      const hooks = hooksOf(groups()[at]);
      if (!hooks.some(isOwnHook)) continue;
      // Somebody may have put a hook of theirs into our group.
      if (hooks.every(isOwnHook)) result = removeItem(result, path, at);
      else {
        for (let own = hooks.length - 1; own >= 0; own--) {
          if (isOwnHook(hooks[own])) result = removeItem(result, [...path, at, 'hooks'], own);
        }
      }
    }
    if (groups().length === 0) result = editJson(result, path, undefined);
  }
  const { hooks } = readJson(result);
  const isEmptied = result !== text && isJsonObject(hooks) && Object.keys(hooks).length === 0;
  return isEmptied ? editJson(result, ['hooks'], undefined) : result;
}

function withOwn(text: string, events: readonly HookEvent[]): string {
  let result = text;
  for (const event of events) {
    const path = ['hooks', event.event];
    const { hooks } = readJson(result);
    const isThereAlready = isJsonObject(hooks) && hooks[event.event] !== undefined;
    result = isThereAlready ? appendItem(result, path, groupOf(event)) : editJson(result, path, [groupOf(event)]);
  }
  return result;
}

function stateOf({ kind }: HookedAgent, text: string | undefined): 'installed' | 'different' | 'absent' {
  if (text === undefined) return 'absent';
  if ('text' in kind) {
    if (!text.includes(SENTINEL)) throw new UnreadableFile(1, 'a file of this name is there, and is not ours');
    return text === kind.text ? 'installed' : 'different';
  }
  const own = ownGroups(readJson(text));
  if (own.size === 0) return 'absent';
  return isDeepStrictEqual(own, wantedGroups(kind.events)) ? 'installed' : 'different';
}

export async function readHooks(agent: HookedAgent, place: Place): Promise<HookStatus> {
  const file = agent.file(place);
  const status = { agent: agent.id, name: agent.name, present: await isThere(agent.folder(place)), file };
  try {
    return { ...status, state: stateOf(agent, await readIfThere(file)) };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { ...status, state: 'unreadable', detail: `line ${error.line}: ${error.message}` };
  }
}

/** What `tuic agents hooks install` or `remove` would do. Throws UnreadableFile. */
export async function planHooks(agent: HookedAgent, place: Place, isInstall: boolean): Promise<EntryChange> {
  const file = agent.file(place);
  const text = await readIfThere(file);
  const before = text ?? '';
  const state = stateOf(agent, text);
  const plan = { client: agent.id, name: agent.name, file, before, isNewFile: text === undefined };
  if (state === (isInstall ? 'installed' : 'absent')) return { ...plan, change: 'none', after: before };
  const change = isInstall ? (state === 'absent' ? 'added' : 'repaired') : 'removed';
  const { kind } = agent;
  if ('text' in kind) return { ...plan, change, after: isInstall ? kind.text : '' };
  const cleared = withoutOwn(before);
  return { ...plan, change, after: isInstall ? withOwn(cleared, kind.events) : cleared };
}

/** Resolves to the path of the copy of the old file, if there is one. */
export async function applyHooks(agent: HookedAgent, change: EntryChange): Promise<string | undefined> {
  // A file that is only ours needs no copy, and nobody needs an empty one.
  if ('text' in agent.kind && change.change === 'removed') {
    await rm(change.file, { force: true });
    return undefined;
  }
  return applyChange(change);
}
