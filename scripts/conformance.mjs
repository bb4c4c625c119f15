/**
 * npm run test:conformance: the public conformance suite of MCP against our own endpoint, for both protocol eras.
 *
 * The suite and the Node it needs are installed once into a cache outside the project. Families that need the tools of a
 * fixture server are listed, not run. `npm run test:conformance -- FAMILY` runs one; `--json` prints the rows as JSON.
 * Exit code 1: a scenario failed that is not in the baseline, or one passes that is.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { join } from 'node:path';
import { build, describeFailure } from './build.mjs';
import { run } from './lib/run.mjs';
import { withServer } from './lib/temporary-server.mjs';
import { installTools } from './lib/tool-cache.mjs';

const SUITE = '0.2.0-alpha.12';
const NODE = '22.23.3';
const REQUIREMENTS = ['2025-11-25', '2026-07-28'];

/** Families of the endpoint itself, and the scenarios they consist of. */
const FAMILIES = {
  initialize: ['server-initialize'],
  'session-lifecycle': ['server-session-lifecycle'],
  ping: ['ping'],
  'tools-list': ['tools-list'],
  'dns-rebinding': ['dns-rebinding-protection'],
  'sse-multiple-streams': ['server-sse-multiple-streams'],
  stateless: ['server-stateless'],
  'header-validation': ['http-header-validation'],
  caching: ['caching'],
  'unsupported-methods': ['input-required-result-unsupported-methods'],
  'result-type': ['input-required-result-result-type'],
};

/** Ended ids come to life again here (TRN-15, TRN-25): the specification of this product wins over that scenario. */
const BASELINE = new Set(['server-session-lifecycle']);

/**
 * Checks inside our families that look for a tool, a prompt or a resource of a fixture server. They are counted and told apart,
 * and run with the upstream that has those.
 */
const NEEDS_FIXTURE = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
  'sep-2322-result-type-included',
]);

const asJson = process.argv.includes('--json');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const say = (text) => void (asJson ? process.stderr : process.stdout).write(`${text}\n`);

/** The suite writes a folder with a checks.json for each scenario. */
function readChecks(folder) {
  const found = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'checks.json') continue;
    found.push(...JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8')));
  }
  return found;
}

const count = (checks, status) => checks.filter((check) => check.status === status).length;

async function runScenario(suite, url, scenario, requirement, folder) {
  const output = join(folder, `${scenario}-${requirement}`);
  mkdirSync(output, { recursive: true });
  const node = join(suite, 'node_modules/node/bin/node');
  const main = join(suite, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [main, 'server', '--url', url, '--scenario', scenario, '--spec-version', requirement, '-o', output];
  const result = await run(node, args, { cwd: suite, capture: true });
  const checks = readChecks(output);
  const failures = checks.filter(({ id, status }) => status === 'FAILURE' && !NEEDS_FIXTURE.has(id));
  const deferred = checks.filter(({ id, status }) => status === 'FAILURE' && NEEDS_FIXTURE.has(id)).length;
  return {
    scenario,
    requirement,
    passed: count(checks, 'SUCCESS'),
    failed: failures.length,
    deferred,
    // A scenario that ends without a verdict has not passed.
    error:
      checks.length === 0 || (result.code !== 0 && failures.length + deferred === 0) ? result.output.trim() : undefined,
    failures: failures.map(({ id, name, errorMessage }) => `${id ?? name}: ${errorMessage ?? 'failed'}`),
  };
}

async function listScenarios(suite) {
  const node = join(suite, 'node_modules/node/bin/node');
  const main = join(suite, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const { output } = await run(node, [main, 'list'], { cwd: suite, capture: true });
  const server = output.split(/^Client scenarios/m)[0];
  return [...server.matchAll(/^\s+- (\S+) \[(.*)\]$/gm)].map(([, name, versions]) => ({
    name,
    versions: versions.split(','),
  }));
}

function report(rows, others) {
  const width = Math.max(...rows.map(({ scenario }) => scenario.length));
  for (const { scenario, requirement, passed, failed, deferred, error, isBaselined } of rows) {
    const mark = isBaselined ? 'baseline' : failed > 0 || error !== undefined ? 'FAIL' : 'ok';
    say(
      `${mark.padEnd(8)}  ${scenario.padEnd(width)}  ${requirement}  ${passed} passed, ${failed} failed${deferred > 0 ? `, ${deferred} with the gateway issue` : ''}`,
    );
  }
  for (const { scenario, requirement, failures, error } of rows) {
    for (const line of failures) say(`\n${scenario} (${requirement})\n  ${line}`);
    if (error !== undefined) say(`\n${scenario} (${requirement})\n${error.split('\n').slice(0, 12).join('\n')}`);
  }
  say(
    `\n${others.length} scenarios need the tools of a fixture server or an extension; they come with the gateway issue.`,
  );
}

/**
 * The suite plays a client that says an Origin and knows no token: here it is one that its person gave the token of this
 * server, by a forwarder that adds it and changes nothing else but the port.
 */
async function forwardWithToken(url, token) {
  const to = new URL(url);
  const forwarder = createServer((request, response) => {
    const here = String(forwarder.address().port);
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    for (const name of ['host', 'origin']) headers[name] = headers[name]?.replace(`:${here}`, `:${to.port}`);
    if (headers.origin === undefined) delete headers.origin;
    const options = { host: '127.0.0.1', port: to.port, method: request.method, path: request.url, headers };
    const onward = forward(options, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await once(forwarder.listen(0, 'localhost'), 'listening');
  return forwarder;
}

async function main() {
  await build({ log: say });
  const packages = { '@modelcontextprotocol/conformance': SUITE, node: NODE };
  const suite = await installTools(`conformance-${SUITE}-node-${NODE}`, packages, say);
  return withServer('conformance', say, (server) => judge(suite, server));
}

async function judge(suite, { directory, workspace, token }) {
  const forwarder = await forwardWithToken(workspace, token);
  try {
    const url = `http://localhost:${forwarder.address().port}/mcp`;
    const all = await listScenarios(suite);
    const chosen = Object.entries(FAMILIES).filter(([family]) => wanted.length === 0 || wanted.includes(family));
    if (chosen.length === 0) throw new Error(`no such family; there are ${Object.keys(FAMILIES).join(', ')}`);
    const rows = [];
    for (const scenario of chosen.flatMap(([, names]) => names)) {
      const versions = all.find(({ name }) => name === scenario)?.versions ?? [];
      for (const requirement of REQUIREMENTS.filter((version) => versions.includes(version))) {
        const row = await runScenario(suite, url, scenario, requirement, directory);
        rows.push({ ...row, isBaselined: BASELINE.has(scenario) });
      }
    }
    const own = new Set(Object.values(FAMILIES).flat());
    const others = all.filter(({ name }) => !own.has(name));
    report(rows, others);
    if (asJson) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    const isBroken = (row) => row.failed > 0 || row.error !== undefined;
    const unexpected = rows.filter((row) => isBroken(row) !== row.isBaselined);
    for (const row of unexpected.filter(({ isBaselined }) => isBaselined))
      say(`${row.scenario} passes now: take it out of the baseline`);
    const passed = rows.reduce((sum, row) => sum + row.passed, 0);
    const deferred = rows.reduce((sum, row) => sum + row.deferred, 0);
    const failed = rows.filter(({ isBaselined }) => !isBaselined).reduce((sum, row) => sum + row.failed, 0);
    say(
      `\n${passed} checks passed, ${failed} failed, ${deferred} with the gateway issue, in ${rows.length} runs of ${chosen.length} families`,
    );
    return unexpected.length === 0;
  } finally {
    forwarder.close();
    forwarder.closeAllConnections();
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
