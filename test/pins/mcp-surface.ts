/** What an MCP client is shown at a connection, rendered from fixtures: the size that every agent pays for (P5, INS-10, INS-11). */
import { type InstructionContext, renderInstructions } from '../../src/api/mcp/instructions.ts';
import { isVisible, listTool, META_TOOLS, NATIVE_TOOLS } from '../../src/contract/index.ts';

const EMPTY: InstructionContext = {
  version: '0.0.0',
  isCollapsed: false,
  isClaudeCode: false,
  markers: { intent: true, suggest: true },
  can: { submit: true, worktrees: true },
  repositories: [],
  sessions: [],
  services: [],
  peers: 0,
  unread: 0,
};

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const LOADED: InstructionContext = {
  ...EMPTY,
  repositories: numbers(8).map((number) => `/srv/projects/repository-${number}`),
  sessions: numbers(12).map((number) => ({
    id: `${String(number).padStart(8, '0')}-1111-4222-8333-444444444444`,
    cwd: `/srv/projects/repository-${(number % 8) + 1}`,
    branch: `feature/part-${number}`,
  })),
  peers: 6,
  unread: 3,
};

const NOW: InstructionContext = {
  ...EMPTY,
  can: {
    submit: NATIVE_TOOLS.some((tool) => tool.name === 'session' && tool.actions.submit?.isReady === true),
    worktrees: NATIVE_TOOLS.some((tool) => tool.name === 'repo' && tool.actions.worktree_create?.isReady === true),
  },
};

const DISABLED_BY_DEFAULT = ['config', 'debug'];
const everyTool = NATIVE_TOOLS.map((tool) => listTool(tool, true));
const visibleTools = NATIVE_TOOLS.filter((tool) => isVisible(tool) && !DISABLED_BY_DEFAULT.includes(tool.name)).map(
  (tool) => listTool(tool),
);
const collapsedTools = [...META_TOOLS, ...everyTool.filter(({ name }) => name === 'progress')];
const list = (tools: readonly object[]) => JSON.stringify({ tools });

/** Name of a surface → its text, as it goes over the wire. */
export const SURFACES: Readonly<Record<string, string>> = {
  'instructions classic, empty': renderInstructions(EMPTY),
  'instructions classic, loaded': renderInstructions(LOADED),
  'instructions collapsed, empty': renderInstructions({ ...EMPTY, isCollapsed: true }),
  'instructions collapsed, loaded': renderInstructions({ ...LOADED, isCollapsed: true }),
  'instructions today, empty': renderInstructions(NOW),
  ...Object.fromEntries(everyTool.map((tool) => [`schema ${tool.name}`, JSON.stringify(tool)])),
  'tools/list classic, all nine': list(everyTool),
  'tools/list collapsed': list(collapsedTools),
  'tools/list today': list(visibleTools),
};

const joined = (...names: string[]) => names.map((name) => SURFACES[name]).join('');

/** What one connection costs: the instructions and the list. */
export const CONNECTIONS: Readonly<Record<string, string>> = {
  classic: joined('instructions classic, empty', 'tools/list classic, all nine'),
  collapsed: joined('instructions collapsed, empty', 'tools/list collapsed'),
  today: joined('instructions today, empty', 'tools/list today'),
};

/** Bytes of a connection that no change may pass. */
export const CEILINGS = { classic: 18_000, collapsed: 3_600 } as const;

interface Size {
  bytes: number;
  tokens: number;
}

export type Measure = (text: string) => Size;

export function renderContextCost(measure: Measure): string {
  const row = (name: string, text: string, ceiling: number | undefined) => {
    const { bytes, tokens } = measure(text);
    const limit = ceiling === undefined ? '' : ceiling.toLocaleString('en');
    return `| ${name} | ${bytes.toLocaleString('en')} | ${tokens.toLocaleString('en')} | ${limit} |`;
  };
  return [
    '# Context cost',
    '',
    '<!-- Made from the tools and instructions by `TUIC_UPDATE_PINS=1 npx vitest run --project unit test/pins`. Do not edit. -->',
    '',
    'What an agent pays for a connection to `/mcp`, before it has called anything: the instructions of `initialize` and the list of',
    'tools. Bytes of UTF-8 as they go over the wire; tokens of the `o200k` encoding. "Classic" lists every tool, "collapsed" three',
    'meta tools and `progress`. "Loaded" is 8 repositories, 12 sessions, 6 peers and unread mail. "Today" is what is visible now,',
    'without the tools that are switched off by default; the others count every action, also those that are not built yet.',
    '',
    '| one connection | bytes | tokens | ceiling in bytes |',
    '|---|--:|--:|--:|',
    ...Object.entries(CONNECTIONS).map(([name, text]) => row(name, text, CEILINGS[name as keyof typeof CEILINGS])),
    '',
    '| surface | bytes | tokens | |',
    '|---|--:|--:|---|',
    ...Object.entries(SURFACES).map(([name, text]) => row(name, text, undefined)),
    '',
    'A test keeps the ceilings. To see the texts themselves: `TUIC_MCP_SURFACE_DUMP=/tmp/surface.json npx vitest run --project unit',
    'test/pins/mcp-surface.test.ts`.',
    '',
  ].join('\n');
}
