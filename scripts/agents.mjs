/**
 * npm run test:agents: real coding agents, in pinned releases, against a model API on loopback. They are installed once into a
 * cache outside the project (about 1.3 GB). Arguments go to the test runner: `npm run test:agents -- headless`. Two words do something
 * else: `record` writes test/captures, `score` writes docs/agent-state.md.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, describeFailure, projectRoot as root } from './build.mjs';
import { run } from './lib/run.mjs';
import { installTools } from './lib/tool-cache.mjs';

const versions = JSON.parse(readFileSync(join(root, 'test/agents/versions.json'), 'utf8'));

try {
  await build({ log: console.log });
  const key = createHash('sha256').update(JSON.stringify(versions)).digest('hex').slice(0, 8);
  const folder = await installTools(`agents-${key}`, versions, console.log);
  const env = { ...process.env, NODE_ENV: 'test', TUIC_AGENTS: join(folder, 'node_modules/.bin'), TUIC_NO_OPEN: '1' };
  for (const name of ['TUIC_CONFIG_DIR', 'TUIC_PORT', 'TUIC_INSTANCE', 'TUIC_SESSION']) delete env[name];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const [word = '', ...rest] = process.argv.slice(2);
  const isRun = word === 'record' || word === 'score';
  const what = isRun ? ['agent-runs', `test/agents/${word}.run.ts`, ...rest] : ['agents', ...process.argv.slice(2)];
  const args = [vitest, 'run', '--project', ...what];
  const { code } = await run(process.execPath, args, { cwd: root, env });
  process.exitCode = code;
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
