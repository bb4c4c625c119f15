/**
 * npm run build: installs and builds what is stale. Each step keeps the hash of its inputs in dist/.build and is skipped
 * while that hash holds; a lock keeps two builds in one working tree apart.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hashInputs } from './lib/inputs.mjs';
import { install } from './lib/install.mjs';
import { withLock } from './lib/lock.mjs';
import { requireNodeVersion } from './lib/node-version.mjs';
import { CommandFailed, runQuietly } from './lib/run.mjs';

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const COMMON = ['package-lock.json', 'package.json', 'tsconfig.base.json', 'scripts/build.mjs'];
const isProductFile = (name) => !/\.test\.tsx?$/.test(name);

/** The published client keeps its modules and types. Type checks of everything else are a gate of `npm test`. */
async function compileClient(root) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await runQuietly('tsc -b', process.execPath, [compiler, '-b', 'src/client'], { cwd: root });
}

/** Which commit this was built from, as far as git can tell; shown by the server. */
async function writeBuildInfo(root) {
  let hash = '';
  try {
    hash = (await runQuietly('git rev-parse', 'git', ['rev-parse', 'HEAD'], { cwd: root })).trim();
  } catch (error) {
    // No git, or no repository: an unpacked archive is built all the same.
    if (!(error instanceof CommandFailed) && error.code !== 'ENOENT') throw error;
  }
  writeFileSync(join(root, 'dist/build-info.json'), `${JSON.stringify({ git_hash: hash })}\n`);
}

async function bundleServer(root) {
  await runQuietly('bundling the server', process.execPath, [join(root, 'scripts/bundle.mjs'), 'daemon'], {
    cwd: root,
  });
  await writeBuildInfo(root);
}

async function bundleCommand(root) {
  await runQuietly('bundling tuic', process.execPath, [join(root, 'scripts/bundle.mjs'), 'cli'], { cwd: root });
}

async function bundleBridge(root) {
  await runQuietly('bundling tuic-bridge', process.execPath, [join(root, 'scripts/bundle.mjs'), 'bridge'], {
    cwd: root,
  });
}

/** The pty host is one file: it lives on while dist is replaced under it by an upgrade. */
async function bundleHost(root) {
  const script = join(root, 'scripts/bundle-pty-host.mjs');
  await runQuietly('bundling the pty host', process.execPath, [script], { cwd: root });
}

/** Built beside and moved into place, so that a running server is without its pages for an instant only. */
async function buildPages(root, source, name) {
  const fresh = join(root, `dist/.${name}-fresh`);
  const old = join(root, `dist/.${name}-old`);
  const target = join(root, 'dist', name);
  rmSync(fresh, { recursive: true, force: true });
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', source, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
  await runQuietly('vite build', process.execPath, args, {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  rmSync(old, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}

const STEPS = [
  {
    name: 'client',
    label: 'compiling the client',
    inputs: [...COMMON, 'src/base', 'src/contract', 'src/client'],
    result: 'dist/modules/client/index.js',
    build: compileClient,
  },
  {
    name: 'server',
    label: 'bundling the server',
    inputs: [
      ...COMMON,
      'src/base',
      'src/contract',
      'src/platform',
      'src/domain',
      'src/api',
      'src/client',
      'src/daemon',
      'scripts/bundle.mjs',
      'scripts/lib/code-cache.mjs',
    ],
    result: 'dist/daemon/main.js',
    build: bundleServer,
  },
  {
    name: 'pty-host',
    label: 'bundling the pty host',
    inputs: [...COMMON, 'src/base', 'src/contract', 'src/pty-host', 'scripts/bundle-pty-host.mjs'],
    result: 'dist/pty-host/main.cjs',
    build: bundleHost,
  },
  {
    name: 'cli',
    label: 'bundling tuic',
    inputs: [
      ...COMMON,
      'src/base',
      'src/contract',
      'src/client',
      'src/cli',
      'scripts/bundle.mjs',
      'scripts/lib/code-cache.mjs',
    ],
    result: 'dist/cli/main.js',
    build: bundleCommand,
  },
  {
    name: 'bridge',
    label: 'bundling tuic-bridge',
    inputs: [...COMMON, 'src/base', 'src/contract', 'src/bridge', 'scripts/bundle.mjs'],
    result: 'dist/bridge/main.js',
    build: bundleBridge,
  },
  {
    name: 'web',
    label: 'building the workspace',
    inputs: [...COMMON, 'src/base', 'src/contract', 'src/client', 'web'],
    result: 'dist/web/index.html',
    build: (root) => buildPages(root, 'web', 'web'),
  },
  {
    name: 'monitor',
    label: 'building the process monitor',
    inputs: [...COMMON, 'src/base', 'src/contract', 'web/monitor', 'web/shared', 'web/desktop/styles/tokens.css'],
    result: 'dist/monitor/index.html',
    build: (root) => buildPages(root, 'web/monitor', 'monitor'),
  },
];

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Brings node_modules and dist up to date. Resolves to the names of the steps that ran. */
export async function build({ root = projectRoot, log = console.error, force = false } = {}) {
  return withLock(
    join(root, '.cache/build.lock'),
    async () => {
      const ran = [];
      if (await install(root, log)) ran.push('install');
      const stamps = join(root, 'dist/.build');
      mkdirSync(stamps, { recursive: true });
      for (const step of STEPS) {
        const stamp = join(stamps, step.name);
        const hash = hashInputs(root, step.inputs, isProductFile);
        if (!force && readStamp(stamp) === hash && existsSync(join(root, step.result))) continue;
        log(step.label);
        rmSync(stamp, { force: true });
        await step.build(root);
        if (!existsSync(join(root, step.result))) throw new CommandFailed(step.label, `${step.result} is missing`, '');
        writeFileSync(stamp, hash);
        ran.push(step.name);
      }
      return ran;
    },
    (pid) => log(`waiting for another build (pid ${pid})`),
  );
}

/** One clear message for a failed step, with what the tool itself said. */
export function describeFailure(error) {
  if (!(error instanceof CommandFailed)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${error.output?.trimEnd() ?? ''}\n${error.message}`.trimStart();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  requireNodeVersion();
  try {
    const ran = await build({ force: process.argv.includes('--force') });
    console.log(ran.length === 0 ? 'everything is up to date' : `built: ${ran.join(', ')}`);
  } catch (error) {
    console.error(describeFailure(error));
    process.exitCode = 1;
  }
}
