/**
 * npm test: installs when stale, builds, static gates, then unit, integration and browser tests. `--long` runs the long
 * counts instead (TUIC_LONG=1), `--only gates,unit,integration,browser,soak` a part. The last line is always
 * `N passed, N failed, N skipped`; a gate counts as one item.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, describeFailure, projectRoot as root } from './build.mjs';
import { findBrowser } from './lib/find-program.mjs';
import { listFiles } from './lib/inputs.mjs';
import { requireNodeVersion } from './lib/node-version.mjs';
import { run } from './lib/run.mjs';
import { Tally } from './lib/tally.mjs';
import { ensureTestTools } from './lib/test-tools.mjs';

requireNodeVersion();

const isLong = process.argv.includes('--long');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1]?.split(',') : undefined;
const isWanted = (part) => only === undefined || only.includes(part);
const tally = new Tally();

function heading(text) {
  console.log(`\n── ${text}`);
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** A gate is one item of the closing line. `check` resolves to undefined, or to what is wrong. */
async function gate(name, check) {
  const since = performance.now();
  let problem;
  try {
    problem = await check();
  } catch (error) {
    problem = describeFailure(error);
  }
  if (problem === undefined) {
    tally.pass();
    console.log(`ok    ${name} (${seconds(since)})`);
    return true;
  }
  tally.fail(name, problem);
  console.log(`FAIL  ${name} (${seconds(since)})\n${problem}`);
  return false;
}

function tool(path, ...args) {
  return async () => {
    const { code, output } = await run(process.execPath, [join(root, 'node_modules', path), ...args], {
      cwd: root,
      capture: true,
    });
    return code === 0 ? undefined : output.trimEnd();
  };
}

/** Long counts: the long project, and every other test file that reads TUIC_LONG. */
function longSelections() {
  const readsLong = (file) => /\.test\.ts$/.test(file) && readFileSync(file, 'utf8').includes('TUIC_LONG');
  const unit = listFiles(join(root, 'src')).filter(readsLong);
  const integration = listFiles(join(root, 'test/integration')).filter(readsLong);
  return [
    { project: 'unit', files: unit },
    { project: 'integration', files: integration },
    { project: 'long', files: listFiles(join(root, 'test/long')).filter((file) => /\.test\.ts$/.test(file)) },
  ].filter((selection) => selection.files.length > 0);
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function runProject({ project, files = [] }, env) {
  heading(`${project} tests`);
  const report = join(root, '.cache/test-results', `${project}${isLong ? '-long' : ''}.json`);
  rmSync(report, { force: true });
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', project, ...files];
  args.push('--reporter=default', '--reporter=json', `--outputFile.json=${report}`);
  const since = performance.now();
  const { code } = await run(process.execPath, args, { cwd: root, env });
  console.log(`${project}: ${seconds(since)}`);
  tally.addReport(project, readReport(report), code);
}

mkdirSync(join(root, '.cache/test-results'), { recursive: true });
const started = performance.now();

heading('install and build');
const isBuilt = await gate('build', async () => {
  await build({ log: console.log });
});
const hasTools = await gate('programs the tests need', () => ensureTestTools(console.log));

if (isBuilt) {
  if (!isLong && isWanted('gates')) {
    heading('static gates');
    await Promise.all([
      gate('biome', tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings')),
      gate('types', tool('typescript/bin/tsc', '-b')),
      gate('unused files, exports and dependencies', tool('knip/bin/knip.js', '--no-progress')),
    ]);
  }
  // Tests decide by these alone: neither the person's own set-up nor a terminal may change a result.
  const env = { ...process.env, NODE_ENV: 'test', TUIC_NO_OPEN: '1' };
  for (const name of ['TUIC_CONFIG_DIR', 'TUIC_PORT', 'TUIC_INSTANCE', 'TUIC_SESSION', 'NO_COLOR', 'FORCE_COLOR'])
    delete env[name];
  const browser = findBrowser();
  if (browser !== undefined) env.TUIC_BROWSER = browser;
  if (isLong) env.TUIC_LONG = '1';
  const selections = isLong
    ? longSelections()
    : [{ project: 'unit' }, { project: 'integration' }, { project: 'browser' }];
  for (const selection of selections.filter(({ project }) => isWanted(project))) {
    // Without its browser the project could only fail in many ways; the missing program has been counted and named above.
    if (selection.project === 'browser' && !hasTools && browser === undefined) continue;
    await runProject(selection, env);
  }
}

// The soak judges what only shows over time: losses under kills, descriptors, memory. It needs a machine for itself.
if (isBuilt && isWanted('soak')) {
  const length = isLong ? 180 : 45;
  heading(`soak, ${length} s`);
  await gate('soak', async () => {
    const { code, output } = await run(
      process.execPath,
      [join(root, 'scripts/soak.mjs'), '--seconds', String(length)],
      {
        cwd: root,
        capture: true,
      },
    );
    if (code !== 0) return output.trimEnd();
    console.log(output.slice(output.indexOf('soak of')).trimEnd());
    return undefined;
  });
}

console.log(`\ntook ${seconds(started)}`);
if (tally.failures.length > 0) console.log(`\nfailed:\n${tally.summary}`);
console.log(`\n${tally.closingLine}`);
process.exitCode = tally.failed === 0 ? 0 : 1;
