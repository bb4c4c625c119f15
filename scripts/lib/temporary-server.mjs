/** A server of its own for a script: in a configuration directory that goes with it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot as root } from '../build.mjs';
import { run } from './run.mjs';

/** Runs `use` with the server's directory, workspace link and token, and ends the server and its terminals whatever comes. */
export async function withServer(name, say, use) {
  const directory = mkdtempSync(join(tmpdir(), `tuic-${name}-`));
  const env = { ...process.env, TUIC_CONFIG_DIR: directory, TUIC_PORT: '0', TUIC_NO_OPEN: '1' };
  delete env.TUIC_SESSION;
  const tuic = async (...args) => {
    const main = join(root, 'dist/cli/main.js');
    const { code, output } = await run(process.execPath, [main, ...args], { cwd: root, env, capture: true });
    if (code !== 0) throw new Error(`tuic ${args.join(' ')} failed:\n${output}`);
    return output;
  };
  try {
    const { workspace } = JSON.parse(await tuic('start', '--detach', '--json'));
    const token = readFileSync(join(directory, 'token'), 'utf8').trim();
    return await use({ directory, workspace, token, env, tuic });
  } finally {
    for (const command of [['stop'], ['host', 'stop']]) {
      await tuic(...command).catch((error) => say(String(error.message)));
    }
    rmSync(directory, { recursive: true, force: true });
  }
}
