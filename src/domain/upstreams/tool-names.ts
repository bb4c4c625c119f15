/**
 * The one table of names (UPX-9, DESIGN D9): what clients call ↔ which server, and what that server calls it. A name follows from the
 * two parts alone, so it is the same after a restart and in any order of connecting; a call is looked up here and never split. Of two
 * tools that come to the same name the one whose server stands first in the configuration has it; the other is set aside, with a reason.
 */
import { createHash } from 'node:crypto';
import { META_TOOL_NAMES, NATIVE_TOOLS } from '../../contract/index.ts';

const HASH_DIGITS = 6;
const OTHER = /[^A-Za-z0-9_-]/g;

/** Native and meta names win, whether they are switched on or not; the family of terminal tools is reserved as a whole. */
export function isReservedName(name: string): boolean {
  return (
    META_TOOL_NAMES.some((meta) => meta === name) ||
    NATIVE_TOOLS.some((tool) => tool.name === name) ||
    name.startsWith('ai_terminal_')
  );
}

export function visibleName(upstream: string, tool: string, { bare, longest }: { bare: boolean; longest: number }) {
  const whole = bare ? tool : `${upstream}__${tool}`;
  const escaped = whole.replace(OTHER, '_');
  if (escaped === whole && whole !== '' && whole.length <= longest) return whole;
  const hash = createHash('sha256')
    .update(JSON.stringify([upstream, tool]))
    .digest('hex')
    .slice(0, HASH_DIGITS);
  return `${escaped.slice(0, longest - HASH_DIGITS - 1)}_${hash}`;
}

export interface NamedTool<Tool> {
  readonly upstream: string;
  readonly tool: Tool;
}

export interface NameTable<Tool> {
  readonly byName: ReadonlyMap<string, NamedTool<Tool>>;
  /** By upstream. */
  readonly setAside: ReadonlyMap<string, readonly { tool: string; reason: string }[]>;
}

export interface TableInput<Tool> {
  /** In the order of the configuration. */
  readonly upstreams: readonly { name: string; bare: boolean; tools: readonly Tool[] }[];
  readonly longest: number;
  /** Names of our own; those of our tools when absent. */
  readonly isReserved?: (name: string) => boolean;
}

export function buildNameTable<Tool extends { readonly name: string }>(input: TableInput<Tool>): NameTable<Tool> {
  const { isReserved = isReservedName } = input;
  const byName = new Map<string, NamedTool<Tool>>();
  const setAside = new Map<string, { tool: string; reason: string }[]>();
  for (const { name: upstream, bare, tools } of input.upstreams) {
    const aside = (tool: string, reason: string) =>
      setAside.set(upstream, [...(setAside.get(upstream) ?? []), { tool, reason }]);
    for (const tool of tools) {
      const name = visibleName(upstream, tool.name, { bare, longest: input.longest });
      const holder = byName.get(name);
      if (isReserved(name)) aside(tool.name, `the name ${name} is one of our own`);
      else if (holder !== undefined) {
        aside(tool.name, `the name ${name} belongs to the tool ${holder.tool.name} of ${holder.upstream}`);
      } else byName.set(name, { upstream, tool });
    }
  }
  return { byName, setAside };
}

/** An exact name, or its beginning with `*` at the end. */
export function passesFilter(
  tool: string,
  filter: { mode: 'allow' | 'deny'; patterns: readonly string[] } | undefined,
): boolean {
  if (filter === undefined) return true;
  const isNamed = filter.patterns.some((pattern) =>
    pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
  return isNamed === (filter.mode === 'allow');
}
