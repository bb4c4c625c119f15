/** The tour of README.md is run block by block, as a reader would, in one shell with an instance of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { Terminal } from '../../src/pty-host/pty/terminal.ts';
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
/** What `tuic attach` begins with. */
const ATTACHED = '\x1b[?1049l\x1b[!p';

interface Ran {
  code: number | undefined;
  output: string;
}

/** Runs the script in a terminal, as a reader would; `watch` sees all output so far and answers with what the reader types. */
function runInTerminal(
  script: string,
  env: Record<string, string>,
  watch: (output: string) => string | undefined,
): Promise<Ran> {
  return new Promise((resolve) => {
    const decoder = new TextDecoder();
    let output = '';
    let code: number | undefined;
    const terminal = new Terminal(
      { file: '/bin/bash', args: ['-euo', 'pipefail', '-c', script], env, cwd: root, cols: 200, rows: 50 },
      systemClock,
      {
        output(bytes) {
          output += decoder.decode(bytes, { stream: true });
          const typed = watch(output);
          if (typed !== undefined) terminal.write(Buffer.from(typed));
        },
        hasRoom: () => true,
        died: () => undefined,
        exit: (status) => {
          code = status.code;
        },
        end: () => resolve({ code, output }),
      },
    );
    cleanup.defer(() => terminal.close());
  });
}

/** Leaves the attached session once it shows something that came after attaching. */
function leaveWhenAttached(): (output: string) => string | undefined {
  let hasLeft = false;
  return (output) => {
    const at = output.indexOf(ATTACHED);
    if (hasLeft || at === -1 || !/line \d+\s.*line \d+\s/s.test(output.slice(at))) return undefined;
    hasLeft = true;
    return '\x1d';
  };
}

describe('README', () => {
  it('P2: the tour works as written: start, new, ls, curl, kill -9, start again, attach, open, doctor, kill, stop', {
    timeout: 300_000,
  }, async () => {
    const configDirectory = await cleanup.temporaryDirectory();
    cleanup.defer(async () => {
      for (const entry of processesOf(configDirectory)) signalProcess(entry, 'SIGKILL');
    });
    const blocks = await readBlocks();
    expect(blocks.length).toBeGreaterThanOrEqual(6);
    const script = blocks.map((block) => `${block}\necho '${MARK}'\n`).join('');
    const own = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const env = {
      ...Object.fromEntries(own),
      TERM: 'xterm-256color',
      TUIC_CONFIG_DIR: configDirectory,
      TUIC_PORT: String(await findFreePort()),
      TUIC_NO_OPEN: '1',
      NO_COLOR: '1',
      // Its spinner would stand before the answers.
      npm_config_progress: 'false',
    };
    const { code, output } = await runInTerminal(script, env, leaveWhenAttached());
    expect(code, output).toBe(0);
    const [start, create, api, again, attached, open, doctor, end] = output.split(MARK);
    expect(start).toMatch(/workspace: http:\/\/127\.0\.0\.1:\d+\/login\?ticket=/);
    expect(start).toContain('running');
    expect(create).toMatch(/live .*counter/);
    expect(api).toMatch(/line \d+/);
    expect(again).toMatch(/live .*counter/);
    expect(attached).toContain('detached; it keeps running');
    expect(open).toMatch(/^workspace: http/m);
    expect(doctor).toMatch(/^ok +login link/m);
    expect(doctor).not.toMatch(/^fail/m);
    expect(end).toContain('1 session ended');
    expect(end).toContain('The server ended');
    expect(hostOf(configDirectory)).toBeUndefined();
  });
});
