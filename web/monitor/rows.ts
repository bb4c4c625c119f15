/** From the list of the server to the rows on screen: groups, trees, order, filter. Pure. */
import type { ProcessStats } from '../../src/contract/index.ts';

export type SortKey = 'name' | 'pid' | 'cpu' | 'memory' | 'age';

export interface View {
  /** Undefined: as the server lists them. */
  sort: SortKey | undefined;
  isDescending: boolean;
  layout: 'tree' | 'list';
  /** Words that all must occur. */
  filter: string;
  /** Group that alone is shown. */
  only: string | undefined;
  /** Keys of rows whose children are hidden. */
  collapsed: ReadonlySet<string>;
}

export interface Load {
  cpu: number;
  memory: number;
}

export interface GroupRow extends Load {
  kind: 'group';
  key: string;
  /** Session id; empty for the server and its terminal host. */
  group: string;
  name: string;
  count: number;
  age: number;
  isCollapsed: boolean;
}

export interface ProcessRow extends Load {
  kind: 'process';
  key: string;
  group: string;
  stats: ProcessStats;
  /** 0 for the top of a tree. */
  depth: number;
  /** For each level above: whether a line goes on below it. */
  lines: boolean[];
  isLast: boolean;
  /** Processes below it. */
  below: number;
  isCollapsed: boolean;
}

export type Row = GroupRow | ProcessRow;

export const OWN_GROUP = '';
const OWN_NAME = 'TUICommander';

interface Node extends Load {
  stats: ProcessStats;
  children: Node[];
  below: number;
}

interface Group extends Load {
  id: string;
  name: string;
  age: number;
  members: ProcessStats[];
  tops: Node[];
}

export function processKey({ pid, start_ticks }: ProcessStats): string {
  return `${pid}:${start_ticks}`;
}

export function groupKey(group: string): string {
  return `group:${group}`;
}

function groupsOf(list: readonly ProcessStats[]): Group[] {
  const groups = new Map<string, Group>();
  for (const stats of list) {
    const id = stats.session_id ?? OWN_GROUP;
    let group = groups.get(id);
    if (group === undefined) {
      group = {
        id,
        name: id === OWN_GROUP ? OWN_NAME : id.slice(0, 8),
        age: 0,
        cpu: 0,
        memory: 0,
        members: [],
        tops: [],
      };
      groups.set(id, group);
    }
    if (stats.kind === 'session') group.name = stats.name;
    group.cpu += stats.cpu_pct;
    group.memory += stats.rss_kb;
    group.age = Math.max(group.age, stats.age_secs);
    group.members.push(stats);
  }
  for (const group of groups.values()) group.tops = treeOf(group);
  return [...groups.values()];
}

/** The server's order is depth first, so a parent always stands before its children. */
function treeOf({ id, members }: Group): Node[] {
  const nodes = new Map<number, Node>();
  const tops: Node[] = [];
  for (const stats of members) {
    const node: Node = { stats, children: [], cpu: stats.cpu_pct, memory: stats.rss_kb, below: 0 };
    // The server and the host stand side by side, whoever started whom.
    const parent = id === OWN_GROUP ? undefined : nodes.get(stats.parent_pid);
    (parent?.children ?? tops).push(node);
    nodes.set(stats.pid, node);
  }
  const total = (node: Node): void => {
    for (const child of node.children) {
      total(child);
      node.cpu += child.cpu;
      node.memory += child.memory;
      node.below += child.below + 1;
    }
  };
  for (const top of tops) total(top);
  return tops;
}

function textOf({ name, program, command, pid, session_id }: ProcessStats): string {
  return `${name} ${program} ${command} ${pid} ${session_id ?? ''}`.toLowerCase();
}

export function createFilter(filter: string): (text: string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}

/** What matches, and what leads to it. */
function filterTree(nodes: readonly Node[], matches: (stats: ProcessStats) => boolean): Node[] {
  return nodes.flatMap((node) => {
    const children = filterTree(node.children, matches);
    return children.length > 0 || matches(node.stats) ? [{ ...node, children }] : [];
  });
}

type Sorted = Load & { stats: ProcessStats };

function compare(a: Sorted, b: Sorted, sort: SortKey): number {
  switch (sort) {
    case 'name':
      return a.stats.program.localeCompare(b.stats.program);
    case 'pid':
      return a.stats.pid - b.stats.pid;
    case 'cpu':
      return a.cpu - b.cpu;
    case 'memory':
      return a.memory - b.memory;
    case 'age':
      return a.stats.age_secs - b.stats.age_secs;
  }
}

function sortNodes<T extends Sorted>(nodes: readonly T[], { sort, isDescending }: View): readonly T[] {
  if (sort === undefined) return nodes;
  const direction = isDescending ? -1 : 1;
  return [...nodes].sort((a, b) => direction * compare(a, b, sort));
}

function sortGroups(groups: readonly Group[], { sort, isDescending }: View): readonly Group[] {
  if (sort === undefined || sort === 'pid') return groups;
  const direction = isDescending ? -1 : 1;
  return [...groups].sort((a, b) => {
    return direction * (sort === 'name' ? a.name.localeCompare(b.name) : a[sort] - b[sort]);
  });
}

export function buildRows(list: readonly ProcessStats[], view: View): Row[] {
  const matches = createFilter(view.filter);
  const isFiltered = view.filter.trim() !== '';
  const groups = groupsOf(list).filter(({ id }) => view.only === undefined || id === view.only);
  const isMatch = (group: Group) => (stats: ProcessStats) => matches(`${group.name.toLowerCase()} ${textOf(stats)}`);
  if (view.layout === 'list') {
    const found = groups.flatMap((group) => group.members.filter(isMatch(group)));
    const plain = found.map((stats) => ({ stats, cpu: stats.cpu_pct, memory: stats.rss_kb }));
    return sortNodes(plain, view).map(({ stats, cpu, memory }) => ({
      kind: 'process',
      key: processKey(stats),
      group: stats.session_id ?? OWN_GROUP,
      stats,
      cpu,
      memory,
      depth: 0,
      lines: [],
      isLast: true,
      below: 0,
      isCollapsed: false,
    }));
  }
  const rows: Row[] = [];
  for (const group of sortGroups(groups, view)) {
    const tops = filterTree(group.tops, isMatch(group));
    if (tops.length === 0) continue;
    // A match that is folded away would look like none.
    const isHidden = (key: string) => !isFiltered && view.collapsed.has(key);
    const key = groupKey(group.id);
    const { id, name, cpu, memory, age, members } = group;
    const isCollapsed = isHidden(key);
    rows.push({ kind: 'group', key, group: id, name, cpu, memory, age, count: members.length, isCollapsed });
    const walk = (nodes: readonly Node[], depth: number, lines: boolean[]): void => {
      const sorted = sortNodes(nodes, view);
      sorted.forEach((node, at) => {
        const isLast = at === sorted.length - 1;
        const key = processKey(node.stats);
        const isFolded = node.children.length > 0 && isHidden(key);
        rows.push({
          kind: 'process',
          key,
          group: group.id,
          stats: node.stats,
          // Folded, it stands for all that it hides.
          cpu: isFolded ? node.cpu : node.stats.cpu_pct,
          memory: isFolded ? node.memory : node.stats.rss_kb,
          depth,
          lines,
          isLast,
          below: node.children.length === 0 ? 0 : node.below,
          isCollapsed: isFolded,
        });
        if (!isFolded) walk(node.children, depth + 1, [...lines, !isLast]);
      });
    };
    if (!isCollapsed) walk(tops, 0, []);
  }
  return rows;
}

/** Class of a CPU figure (http.md 7). */
export function heatOf(cpu: number): 'hot' | 'warm' | 'calm' {
  if (cpu > 80) return 'hot';
  return cpu > 40 ? 'warm' : 'calm';
}
