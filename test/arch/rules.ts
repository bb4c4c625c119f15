/** The rules of docs/architecture.md as functions: each takes a source tree and returns what breaks it, one line a fault. */
import { findImports, maskText, resolveImport, type SourceTree } from './source.ts';

/** What each layer may import, besides itself. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'src/base': [],
  'src/contract': ['src/base'],
  'src/platform': ['src/base', 'src/contract'],
  'src/domain': ['src/base', 'src/contract', 'src/platform'],
  'src/api': ['src/base', 'src/contract', 'src/platform', 'src/domain'],
  'src/daemon': ['src/base', 'src/contract', 'src/platform', 'src/domain', 'src/api', 'src/client'],
  'src/pty-host': ['src/base', 'src/contract'],
  'src/bridge': ['src/base', 'src/contract'],
  'src/client': ['src/base', 'src/contract'],
  'src/cli': ['src/base', 'src/contract', 'src/client'],
  web: ['src/base', 'src/contract', 'src/client'],
};

/** Layers that consist of rooms, one folder each; a file of another room enters through index.ts only. */
const LAYERS_OF_ROOMS = ['src/platform', 'src/domain', 'src/api'];

/** Doors of the layers that are one room. */
export const DOORS: Readonly<Record<string, readonly string[]>> = {
  'src/base': ['src/base/index.ts'],
  'src/contract': [
    'src/contract/index.ts',
    'src/contract/routes.ts',
    'src/contract/protocol/frame-codec.ts',
    'src/contract/api-description/index.ts',
  ],
  'src/client': ['src/client/index.ts', 'src/client/node.ts'],
  'src/daemon': [],
  'src/pty-host': [],
  'src/bridge': [],
  'src/cli': [],
  web: [],
};

/** Which room of a layer may import which other room of the same layer. Everything not listed is refused. */
export const ROOM_ORDER: Readonly<Record<string, readonly string[]>> = {
  'src/domain/agents': ['src/domain/sessions'],
  'src/platform/net': ['src/platform/fs'],
  'src/platform/secrets': ['src/platform/fs'],
  'src/platform/git': ['src/platform/fs'],
  'src/platform/mcp-links': ['src/platform/process'],
  'src/api/http': ['src/api/mcp'],
  'src/domain/capture': ['src/domain/sessions'],
  'src/domain/mail': ['src/domain/peers'],
  'src/domain/folders': ['src/domain/sessions'],
  'src/domain/processes': ['src/domain/sessions'],
  'src/domain/repositories': ['src/domain/sessions'],
};

/** Packages that only one place may import. */
export const PACKAGE_HOMES: readonly { readonly names: RegExp; readonly home: RegExp }[] = [
  { names: /^libsql$/, home: /^src\/platform\/database\// },
  { names: /^@(lydell|replit)\//, home: /^src\/pty-host\/pty\// },
  { names: /^@xterm\/(headless|addon-serialize|addon-unicode11)$/, home: /^(src\/domain\/sessions\/screen|web)\// },
  { names: /^@xterm\/(xterm|addon-webgl|addon-fit|addon-search)/, home: /^web\// },
  { names: /^(fastify|@fastify\/.*)$/, home: /^src\/api\// },
  { names: /^@(node-rs|napi-rs)\//, home: /^src\/platform\/secrets\// },
  { names: /^ws$/, home: /^src\/(api|client)\// },
  { names: /^@modelcontextprotocol\/server$/, home: /^src\/api\/mcp\/modern\.ts$/ },
  { names: /^pino$/, home: /^src\/platform\/log\// },
  { names: /^commander$/, home: /^src\/cli\// },
  { names: /^swagger-ui-dist\//, home: /^web\/api\// },
  { names: /^(react|react-dom)(\/.*)?$|^zustand(\/.*)?$/, home: /^web\// },
  { names: /^node:(http|https|http2)$/, home: /^src\/(api|bridge|client|platform\/net)\// },
];

const XTERM_INTERNALS_HOME = 'src/domain/sessions/screen/xterm-adapter.ts';

/** Code that runs while requests wait. The pty host and the CLI have no requests to hold up. */
const REQUEST_PATHS = /^src\/(platform|domain|api|daemon|client)\//;

const isTest = (path: string) => /\.test\.tsx?$/.test(path);

/** Product sources only: tests may reach everywhere. */
function* sources(tree: SourceTree): Generator<[string, string]> {
  for (const [path, text] of tree) if (/^(src|web)\/.*\.tsx?$/.test(path) && !isTest(path)) yield [path, text];
}

function layerOf(path: string): string | undefined {
  return Object.keys(LAYERS).find((layer) => path.startsWith(`${layer}/`));
}

function roomOf(path: string): string | undefined {
  const layer = LAYERS_OF_ROOMS.find((candidate) => path.startsWith(`${candidate}/`));
  if (layer === undefined) return undefined;
  const rest = path.slice(layer.length + 1).split('/');
  return rest.length > 1 ? `${layer}/${rest[0]}` : undefined;
}

export function checkLayers(tree: SourceTree): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources(tree)) {
    const own = layerOf(path);
    if (own === undefined) {
      faults.push(`${path}: belongs to no layer of docs/architecture.md`);
      continue;
    }
    for (const name of findImports(text)) {
      const target = resolveImport(path, name);
      if (target === undefined) continue;
      const layer = layerOf(target);
      if (layer === own || (own === 'web' && target.startsWith('web/'))) continue;
      if (layer === undefined || LAYERS[own]?.includes(layer) !== true)
        faults.push(`${path}: ${own} must not import ${target}`);
    }
  }
  return faults;
}

export function checkDoors(tree: SourceTree): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources(tree)) {
    for (const name of findImports(text)) {
      const target = resolveImport(path, name);
      if (target === undefined) continue;
      const [ownRoom, room] = [roomOf(path), roomOf(target)];
      if (room !== undefined) {
        if (room === ownRoom) continue;
        if (target !== `${room}/index.ts`)
          faults.push(`${path}: enters ${room} through ${target} instead of its index.ts`);
        const isSameLayer = ownRoom !== undefined && layerOf(ownRoom) === layerOf(room);
        if (isSameLayer && ROOM_ORDER[ownRoom]?.includes(room) !== true) {
          faults.push(`${path}: the room order has no ${ownRoom} → ${room}`);
        }
        continue;
      }
      const layer = layerOf(target);
      if (layer === undefined || layer === layerOf(path)) continue;
      const doors = DOORS[layer] ?? [`${layer}/index.ts`];
      if (!doors.includes(target)) faults.push(`${path}: enters ${layer} through ${target}, which is no door`);
    }
    if (roomOf(path) !== undefined && path.endsWith('/index.ts') && /\bexport\s*\*/.test(maskText(text))) {
      faults.push(`${path}: a room's index.ts names what it exports`);
    }
  }
  return faults;
}

/** Each cycle once, as the list of its files. */
export function checkCycles(tree: SourceTree): string[] {
  const edges = new Map<string, string[]>();
  for (const [path, text] of sources(tree)) {
    const targets = findImports(text).map((name) => resolveImport(path, name));
    edges.set(
      path,
      targets.filter((target): target is string => target !== undefined && tree.has(target)),
    );
  }
  const faults: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const stack: string[] = [];
  const visit = (path: string) => {
    state.set(path, 'open');
    stack.push(path);
    for (const next of edges.get(path) ?? []) {
      if (state.get(next) === 'open') faults.push(`cycle: ${[...stack.slice(stack.indexOf(next)), next].join(' → ')}`);
      else if (!state.has(next)) visit(next);
    }
    stack.pop();
    state.set(path, 'done');
  };
  for (const path of edges.keys()) if (!state.has(path)) visit(path);
  return faults;
}

const RUNTIME_WORDS =
  /(?<![.\w$])(process|Buffer|require|__dirname|__filename|window|document|localStorage|navigator|HTMLElement)\b(?!\s*[:?])/;

export function checkRuntimeWords(tree: SourceTree): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources(tree)) {
    if (!/^src\/(base|contract)\//.test(path)) continue;
    for (const name of findImports(text)) if (name.startsWith('node:')) faults.push(`${path}: imports ${name}`);
    const word = RUNTIME_WORDS.exec(maskText(text));
    if (word !== null) faults.push(`${path}: uses ${word[1]}`);
  }
  return faults;
}

export function checkPackageHomes(tree: SourceTree): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources(tree)) {
    for (const name of findImports(text)) {
      for (const rule of PACKAGE_HOMES) {
        if (rule.names.test(name) && !rule.home.test(path))
          faults.push(`${path}: ${name} belongs into ${rule.home.source}`);
      }
    }
  }
  return faults;
}

export function checkXtermInternals(tree: SourceTree): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources(tree)) {
    if (path !== XTERM_INTERNALS_HOME && /\b_core\b/.test(maskText(text, true))) {
      faults.push(`${path}: xterm internals are touched in ${XTERM_INTERNALS_HOME} only`);
    }
  }
  return faults;
}

/** Calls of node:fs and node:child_process functions that block the loop, per file. */
export function countBlockingCalls(tree: SourceTree): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [path, text] of sources(tree)) {
    if (!REQUEST_PATHS.test(path)) continue;
    const code = maskText(text, true);
    let count = 0;
    for (const match of code.matchAll(
      /import\s+(?:(\w+)|\*\s*as\s+(\w+)|\{([^}]*)\})\s*from\s*['"]node:(?:fs|child_process)['"]/g,
    )) {
      const space = match[1] ?? match[2];
      const names = (match[3] ?? '').split(',').map((part) => part.trim().split(/\s+as\s+/));
      const locals = names
        .filter(([imported]) => imported?.endsWith('Sync'))
        .map(([imported, local]) => local ?? imported ?? '');
      const calls = space === undefined ? locals : [`${space}\\.\\w+Sync`];
      for (const call of calls)
        count += [...maskText(text).matchAll(new RegExp(`(?<![.\\w$])${call}\\s*\\(`, 'g'))].length;
    }
    if (count > 0) counts[path] = count;
  }
  return counts;
}

/** The ratchet: more than allowed is a fault, and so is an allowance that is larger than needed. */
export function checkBlockingCalls(tree: SourceTree, allowed: Readonly<Record<string, number>>): string[] {
  const counts = countBlockingCalls(tree);
  const faults: string[] = [];
  for (const path of new Set([...Object.keys(counts), ...Object.keys(allowed)])) {
    const [found, limit] = [counts[path] ?? 0, allowed[path] ?? 0];
    if (found > limit) faults.push(`${path}: ${found} blocking calls, ${limit} allowed; use the asynchronous form`);
    if (found < limit) faults.push(`${path}: ${found} blocking calls, but ${limit} allowed; lower the allowance`);
  }
  return faults;
}

export function checkExports(tree: SourceTree): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources(tree)) {
    // Declarations tell what a package of others exports.
    if (path.endsWith('vite.config.ts') || path.endsWith('.d.ts')) continue;
    if (/\bexport\s+default\b/.test(maskText(text))) faults.push(`${path}: named exports only`);
  }
  return faults;
}

/** Paths of somebody's machine and hosts of somebody's registry. Works on every text of the project, not on code alone. */
const PLACES = [
  { name: 'a home folder', pattern: /\/(?:home|Users)\/(?!(?:me|user|you)\b)[a-z][\w.-]*/ },
  { name: "root's home folder", pattern: /(?<![\w.])\/root\/[\w.]/ },
  { name: 'a work folder of one machine', pattern: /(?<![\w.)\]}])\/work\/[\w.]/ },
  { name: 'a registry that is not the public one', pattern: /"resolved": "https?:\/\/(?!registry\.npmjs\.org\/)/ },
];

export function checkPlaces(tree: SourceTree): string[] {
  const faults: string[] = [];
  for (const [path, text] of tree) {
    for (const { name, pattern } of PLACES) {
      const found = pattern.exec(text);
      if (found !== null) faults.push(`${path}: names ${name} (${found[0]})`);
    }
  }
  return faults;
}
