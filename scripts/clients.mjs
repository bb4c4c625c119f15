/**
 * npm run test:clients: the MCP Inspector, as a client on the command line, against our endpoint and our bridge, in both eras of the
 * protocol. It and the Node it needs are installed once into a cache outside the project (about 220 MB); no network afterwards.
 * The last line is always `N passed, N failed, N skipped`. What SDK clients do is in test/long/released-clients.test.ts.
 */
import { join } from 'node:path';
import { build, describeFailure, projectRoot as root } from './build.mjs';
import { run } from './lib/run.mjs';
import { Tally } from './lib/tally.mjs';
import { withServer } from './lib/temporary-server.mjs';
import { installTools } from './lib/tool-cache.mjs';

const INSPECTOR = '2.12.0';
const NODE = '22.23.3';
const ERAS = ['legacy', 'modern'];

const say = (text) => void process.stdout.write(`${text}\n`);
const tally = new Tally();

function textOf({ content }) {
  return JSON.parse(content?.[0]?.text ?? 'null');
}

/** What is asked, in this order, and what has to come of it. `memory` is handed from one to the next. */
const STEPS = [
  {
    name: 'tools/list',
    args: () => ['--method', 'tools/list'],
    check: ({ tools }) => tools.some(({ name }) => name === 'session') && tools.every(({ inputSchema }) => inputSchema),
  },
  {
    name: 'session create',
    args: () => call('session', { action: 'create', shell: '/bin/sh' }),
    check: (result, memory) => {
      memory.session = textOf(result).session_id;
      return typeof memory.session === 'string' && result.isError === false;
    },
  },
  {
    name: 'session list',
    args: () => call('session', { action: 'list' }),
    check: (result, memory) => textOf(result).some(({ session_id }) => session_id === memory.session),
  },
  {
    name: 'session output, a number among the arguments',
    args: ({ session }) => call('session', { action: 'output', session_id: session, limit: '100' }),
    check: (result) => textOf(result).exited === false,
  },
  {
    name: 'session kill',
    args: ({ session }) => call('session', { action: 'kill', session_id: session }),
    check: (result) => textOf(result).ok === true,
  },
  {
    name: 'a tool that refuses',
    args: () => call('session', { action: 'nothing' }),
    check: (result) => result.isError === true && textOf(result).error.includes('There are: list'),
    mayFail: true,
  },
];

function call(tool, input) {
  const args = Object.entries(input).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]);
  return ['--method', 'tools/call', '--tool-name', tool, ...args];
}

async function ask(folder, env, args) {
  const node = join(folder, 'node_modules/node/bin/node');
  const main = join(folder, 'node_modules/.bin/mcp-inspector');
  return run(node, [main, '--cli', ...args], { cwd: folder, env, capture: true });
}

async function judge(folder, { directory, workspace, token, env }) {
  // The Inspector hands its own environment on to nobody.
  const bridge = ['env', `TUIC_CONFIG_DIR=${directory}`, process.execPath, join(root, 'dist/bridge/main.js')];
  const doors = {
    'HTTP with the token': (args) => [
      `${new URL(workspace).origin}/mcp`,
      ...['--transport', 'http', '--header', `Authorization: Bearer ${token}`],
      ...args,
    ],
    'stdio through tuic-bridge': (args) => [...args, '--', ...bridge],
  };
  // A terminal of ours in which this runs is not the one under test.
  const clean = { ...env, NO_PROXY: '127.0.0.1,localhost' };
  for (const [door, compose] of Object.entries(doors)) {
    for (const era of ERAS) {
      const memory = {};
      for (const { name, args, check, mayFail = false } of STEPS) {
        const title = `${era} over ${door}: ${name}`;
        const { code, output } = await ask(folder, clean, compose([...args(memory), '--protocol-era', era]));
        const problem = judgeOutput(code, output, mayFail, (result) => check(result, memory));
        if (problem === undefined) tally.pass();
        else tally.fail(title, problem);
        say(`${problem === undefined ? 'ok  ' : 'FAIL'}  ${title}`);
      }
    }
  }
}

/** Undefined, or what is wrong. */
function judgeOutput(code, output, mayFail, check) {
  if (code !== 0 && !mayFail) return output;
  try {
    // Of a tool that refuses it tells the result first, and then on standard error that it refused.
    const result = JSON.parse(/^\{.*?^\}/ms.exec(output)?.[0] ?? output);
    return check(result) ? undefined : output;
  } catch (error) {
    return `${error.message}\n${output}`;
  }
}

try {
  await build({ log: say });
  const packages = { '@modelcontextprotocol/inspector': INSPECTOR, node: NODE };
  const folder = await installTools(`inspector-${INSPECTOR}-node-${NODE}`, packages, say);
  await withServer('clients', say, (server) => judge(folder, server));
} catch (error) {
  tally.fail('the run', describeFailure(error));
}
if (tally.failures.length > 0) say(`\nfailed:\n${tally.summary}`);
say(`\n${tally.closingLine}`);
process.exitCode = tally.failed === 0 ? 0 : 1;
