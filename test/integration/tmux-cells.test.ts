/**
 * Our screen against tmux: the same recorded bytes give the same cells, colours and attributes. The recordings were made at
 * 80x24 with TERM=xterm-256color.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScreen } from '../../src/domain/sessions/screen/index.ts';
import { gridCells } from '../../src/domain/sessions/screen/testing/inspect.ts';

const run = promisify(execFile);
const STREAMS = join(import.meta.dirname, '../fixtures/streams');
const COLS = 80;
const ROWS = 24;

/** Plays a file to the terminal, then waits until the terminal has answered a status request: all is parsed then. */
const PLAYER = `
const { readFileSync, writeSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
let input = '';
process.stdin.on('data', (data) => {
  input += data.toString('latin1');
  if (!input.endsWith('\\x1b[0n')) return;
  execFileSync('tmux', ['wait-for', '-S', 'played']);
  input = '';
});
writeSync(1, readFileSync(process.argv[2]));
writeSync(1, '\\x1b[5n');
`;

interface TmuxScreen {
  lines: string[];
  cursor: string;
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tmux-cells-'));
  await writeFile(join(folder, 'play.cjs'), PLAYER);
  await run('tmux', ['-V']).catch((cause: unknown) => {
    throw new Error('tmux is missing. Install it (Debian: apt-get install tmux) and run the tests again', { cause });
  });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A tmux server of our own for one recording; it is gone when this returns. */
async function playInTmux(file: string): Promise<TmuxScreen> {
  const socket = join(folder, `socket-${Math.random().toString(36).slice(2)}`);
  const { TMUX: _outer, ...env } = process.env;
  const tmux = (...args: string[]): Promise<string> =>
    run('tmux', ['-f', '/dev/null', '-S', socket, ...args], { env: { ...env, LC_ALL: 'C.UTF-8' } }).then(
      ({ stdout }) => stdout,
    );
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const play = `stty raw -echo; exec ${quote(process.execPath)} ${quote(join(folder, 'play.cjs'))} ${quote(file)}`;
  try {
    await tmux('new-session', '-d', '-x', String(COLS), '-y', String(ROWS), 'sh', '-c', 'exec cat');
    await tmux('set-option', '-g', 'status', 'off');
    await tmux('set-option', '-g', 'window-size', 'manual');
    await tmux('resize-window', '-x', String(COLS), '-y', String(ROWS));
    await tmux('respawn-pane', '-k', 'sh', '-c', play);
    await tmux('wait-for', 'played');
    const captured = await tmux('capture-pane', '-e', '-p', '-N');
    const cursor = await tmux('display-message', '-p', '#{cursor_x},#{cursor_y} #{alternate_on}');
    return { lines: captured.replace(/\n$/, '').split('\n'), cursor: cursor.trim() };
  } finally {
    await tmux('kill-server').catch((error: Error) => {
      if (!/no server running|No such file/.test(error.message)) throw error;
    });
  }
}

const LINE_DRAWING: Record<string, string> = Object.fromEntries(
  [...'`afgjklmnopqrstuvwxyz{|}~'].map((key, index) => [key, [...'◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'][index] ?? key]),
);

interface Pen {
  fg: string;
  bg: string;
  flags: Set<string>;
}

const FLAG_CODES: Record<number, string> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  5: 'blink',
  7: 'inverse',
  8: 'invisible',
  9: 'strikethrough',
  21: 'underline',
  53: 'overline',
};
const FLAG_ENDS: Record<number, string[]> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['inverse'],
  28: ['invisible'],
  29: ['strikethrough'],
  55: ['overline'],
};

function applyCodes(pen: Pen, text: string): void {
  const codes = text.split(';');
  for (let index = 0; index < codes.length; index++) {
    const [head = '0', sub] = (codes[index] ?? '').split(':');
    const code = Number(head || '0');
    if (code === 0) Object.assign(pen, { fg: '', bg: '', flags: new Set() });
    // tmux 3.3 writes 53 as 5:3, as it writes the kinds of underlines.
    else if (code === 5 && sub === '3') pen.flags.add('overline');
    else if (code === 4 && sub === '0') pen.flags.delete('underline');
    else if (FLAG_CODES[code] !== undefined) pen.flags.add(FLAG_CODES[code]);
    else if (FLAG_ENDS[code] !== undefined) for (const flag of FLAG_ENDS[code]) pen.flags.delete(flag);
    else if (code === 39) pen.fg = '';
    else if (code === 49) pen.bg = '';
    else if (code === 38 || code === 48) {
      const isPalette = codes[index + 1] === '5';
      const color = isPalette ? `p${codes[index + 2]}` : `r${codes.slice(index + 2, index + 5).join(',')}`;
      index += isPalette ? 2 : 4;
      if (code === 38) pen.fg = color;
      else pen.bg = color;
    } else if (code >= 30 && code <= 37) pen.fg = `p${code - 30}`;
    else if (code >= 90 && code <= 97) pen.fg = `p${code - 82}`;
    else if (code >= 40 && code <= 47) pen.bg = `p${code - 40}`;
    else if (code >= 100 && code <= 107) pen.bg = `p${code - 92}`;
    else throw new Error(`tmux wrote an attribute this test does not know: ${text}`);
  }
}

/** What capture-pane -e wrote, as one string a character. A blank has no text colour that could be seen. */
function readCapture(lines: string[]): string[][] {
  const pen: Pen = { fg: '', bg: '', flags: new Set() };
  let isDrawing = false;
  return lines.map((line) => {
    const cells: string[] = [];
    for (let at = 0; at < line.length; ) {
      const rest = line.slice(at);
      const sequence = /^\x1b\[([0-9;:]*)m/.exec(rest);
      if (sequence !== null) {
        applyCodes(pen, sequence[1] ?? '');
        at += sequence[0].length;
        continue;
      }
      if (rest[0] === '\x0e' || rest[0] === '\x0f') {
        isDrawing = rest[0] === '\x0e';
        at++;
        continue;
      }
      const character = String.fromCodePoint(line.codePointAt(at) ?? 0);
      at += character.length;
      if (/^\p{Mn}$/u.test(character)) cells.push((cells.pop() ?? '').replace('|', `${character}|`));
      else cells.push(cell(isDrawing ? (LINE_DRAWING[character] ?? character) : character, pen));
    }
    return cells;
  });
}

function cell(character: string, pen: { fg: string; bg: string; flags: Iterable<string> }): string {
  const flags = [...pen.flags].sort();
  const isVisible = character !== ' ' || flags.some((flag) => flag !== 'bold' && flag !== 'dim' && flag !== 'italic');
  return `${character}|${isVisible ? pen.fg : ''}|${pen.bg}|${isVisible ? flags.join(' ') : ''}`;
}

function trim(row: string[]): string[] {
  while (row.at(-1) === ' |||') row.pop();
  return row;
}

describe('the same recorded bytes give the same cells in tmux', () => {
  for (const name of ['vim', 'htop', 'less', 'colours']) {
    it(name, async () => {
      const file = join(STREAMS, `${name}.bin`);
      const bytes = await readFile(file);
      const engine = createScreen({ cols: COLS, rows: ROWS });
      engine.ingest(0, new Uint8Array(bytes));
      engine.parseAll();
      const tmux = await playInTmux(file);
      const theirs = readCapture(tmux.lines).map(trim);
      const ours = gridCells(engine).map((row, index) => {
        // capture-pane leaves out the ground of cells that were only erased at the end of a row.
        const end = theirs[index]?.length ?? 0;
        while (row.length > end && row.at(-1)?.text === '') row.pop();
        return trim(row.map(({ text, ...pen }) => cell(text === '' ? ' ' : text, pen)));
      });
      expect(ours).toEqual(theirs);
      const { row, col } = engine.cursor();
      expect(`${col},${row} ${engine.alternateScreen ? 1 : 0}`).toBe(tmux.cursor);
    });
  }
});
