import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { silenceQueries } from './query-silence.ts';

const QUERIES = {
  'primary attributes': '\x1b[c',
  'primary attributes with a parameter': '\x1b[0c',
  'secondary attributes': '\x1b[>c',
  'tertiary attributes': '\x1b[=c',
  'terminal state': '\x1b[5n',
  'cursor position': '\x1b[6n',
  'extended cursor position': '\x1b[?6n',
  'colour scheme': '\x1b[?996n',
  version: '\x1b[>q',
  'public mode': '\x1b[20$p',
  'private mode': '\x1b[?2004$p',
  'keyboard flags': '\x1b[?u',
  parameters: '\x1b[x',
  'text area in pixels': '\x1b[14t',
  'text area in cells': '\x1b[18t',
  'cell size': '\x1b[16t',
  title: '\x1b[21t',
  'foreground colour': '\x1b]10;?\x07',
  'background colour': '\x1b]11;?\x1b\\',
  'cursor colour': '\x1b]12;?\x07',
  'both colours': '\x1b]10;?;?\x07',
  'palette colour': '\x1b]4;1;?\x07',
  setting: '\x1bP$qm\x1b\\',
  capability: '\x1bP+q544e\x1b\\',
  'two bytes of one byte': '\u009bc',
} as const;

async function answersOf(text: string, isSilent: boolean): Promise<string> {
  const terminal = new headless.Terminal({
    allowProposedApi: true,
    windowOptions: { getWinSizePixels: true, getWinSizeChars: true, getCellSizePixels: true, getWinTitle: true },
  });
  let answers = '';
  terminal.onData((data) => {
    answers += data;
  });
  if (isSilent) silenceQueries(terminal.parser);
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  terminal.dispose();
  return answers;
}

describe('T11: a viewer answers no terminal query', () => {
  for (const [name, query] of Object.entries(QUERIES)) {
    it(name, async () => {
      expect(await answersOf(`a${query}b`, true)).toBe('');
    });
  }

  it('the same terminal answers them when it is not silenced', async () => {
    expect(await answersOf(QUERIES['primary attributes'], false)).not.toBe('');
    expect(await answersOf(QUERIES['cursor position'], false)).not.toBe('');
    expect(await answersOf(QUERIES.setting, false)).not.toBe('');
  });

  it('what is no query still acts', async () => {
    const terminal = new headless.Terminal({ allowProposedApi: true, cols: 20, rows: 3 });
    silenceQueries(terminal.parser);
    await new Promise<void>((resolve) =>
      terminal.write('\x1b[?2004h\x1b[2 q\x1b]10;#ffffff\x07\x1b[1;3Hx\x1b[!pdone', resolve),
    );
    expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('  xdone');
    terminal.dispose();
  });
});
