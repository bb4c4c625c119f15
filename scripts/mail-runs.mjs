/**
 * npm run test:mail [-- --runs 100000] [--seed 1]: the delivery of mail under so many random interleavings, the first with that seed.
 * A run that held its promises is written into docs/status.md with its seed, date and commit.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeFailure, projectRoot as root } from './build.mjs';
import { run, runQuietly } from './lib/run.mjs';

const PLACE = /<!-- mail runs -->.*/;

function count(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} is a whole number from 1 on, not "${text}"`);
  return text;
}

try {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
  });
  const [runs, seed] = [count('runs', values.runs), count('seed', values.seed)];
  const test = ['run', '--project', 'unit', 'src/domain/mail/delivery-property.test.ts', '-t', 'P1'];
  const { code } = await run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...test], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'test', TUIC_MAIL_RUNS: runs, TUIC_MAIL_SEED: seed },
  });
  process.exitCode = code;
  if (code === 0) {
    const commit = (await runQuietly('git', 'git', ['-C', root, 'rev-parse', '--short=10', 'HEAD'])).trim();
    const told = `${runs} runs from seed ${seed} on, ${new Date().toISOString().slice(0, 10)}, commit ${commit}: 0 broken promises`;
    const path = join(root, 'docs/status.md');
    const status = readFileSync(path, 'utf8');
    if (!PLACE.test(status)) throw new Error('docs/status.md has no line "<!-- mail runs -->"');
    writeFileSync(path, status.replace(PLACE, `<!-- mail runs -->Mail: ${told}.`));
    console.log(told);
  }
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
