/** The tour of README.md is run block by block, as a reader would, in one shell with an instance of its own. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Cleanup } from '../kit/cleanup.ts';
import { hostOf, processesOf, signalProcess } from '../kit/processes.ts';
import { findFreePort } from '../kit/server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cleanup = new Cleanup();
afterEach(() => cleanup.run());

async function readBlocks(): Promise<string[]> {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const tour = text.slice(text.indexOf('## A tour'), text.indexOf('## Where to read on'));
  return [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
}

const MARK = '--- block';

function runShell(
  script: string,
  env: Record<string, string | undefined>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

describe('README', () => {
  it('P2: the tour works as written: start, new, ls, curl, kill -9, start again, open, kill, stop', {
    timeout: 300_000,
  }, async () => {
    const configDirectory = await cleanup.temporaryDirectory();
    cleanup.defer(async () => {
      for (const entry of processesOf(configDirectory)) signalProcess(entry, 'SIGKILL');
    });
    const blocks = await readBlocks();
    expect(blocks.length).toBeGreaterThanOrEqual(6);
    const script = blocks.map((block) => `${block}\necho '${MARK}'\n`).join('');
    const { code, output } = await runShell(script, {
      ...process.env,
      TUIC_CONFIG_DIR: configDirectory,
      TUIC_PORT: String(await findFreePort()),
      TUIC_NO_OPEN: '1',
    });
    expect(code, output).toBe(0);
    const [start, create, api, again, open, end] = output.split(MARK);
    expect(start).toMatch(/workspace: http:\/\/127\.0\.0\.1:\d+\/login\?ticket=/);
    expect(start).toContain('running');
    expect(create).toMatch(/live .*counter/);
    expect(api).toMatch(/line \d+/);
    expect(again).toMatch(/live .*counter/);
    expect(open).toMatch(/^workspace: http/m);
    expect(end).toContain('1 session ended');
    expect(end).toContain('The server ended');
    expect(hostOf(configDirectory)).toBeUndefined();
  });
});
