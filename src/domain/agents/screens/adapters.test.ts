import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOGUE, findAgent } from '../catalogue/index.ts';
import { readChoicePrompt } from './choice-prompt.ts';
import type { ScreenReading } from './model.ts';

const RULE = '─'.repeat(40);

/** Rows of a screen from a drawing; the cursor stands where `▏` does, or in the last row. */
function read(agent: string, drawing: readonly string[]): ScreenReading {
  const cursorRow = drawing.findIndex((row) => row.includes('▏'));
  const reading = findAgent(agent)?.screen?.read({
    rows: drawing.map((row) => row.replace('▏', '')),
    cursorRow: cursorRow === -1 ? drawing.length - 1 : cursorRow,
    cursorColumn: cursorRow === -1 ? 0 : (drawing[cursorRow] ?? '').indexOf('▏'),
    isAlternate: false,
  });
  if (reading === undefined) throw new Error(`no adapter for ${agent}`);
  return reading;
}

const claudeInput = (text = '❯ ▏', mode = '  ? for shortcuts') => [RULE, text, RULE, mode];

describe('mcp.md 9.6: what each agent draws', () => {
  const table: [agent: string, what: string, drawing: string[], expected: Partial<ScreenReading>][] = [
    ['claude', 'an empty input', ['● Done.', '', ...claudeInput()], { state: 'ready', composer: 'empty', inputTop: 2 }],
    ['claude', 'an input without lines', ['● Done.', '', '❯'], { state: 'ready', composer: 'empty', inputTop: 2 }],
    ['claude', 'a typed line', claudeInput('❯ go on▏'), { state: 'ready', composer: 'partial' }],
    ['claude', 'a suggestion', claudeInput('❯ ▏Try "fix lint errors"'), { state: 'ready', composer: 'empty' }],
    ['claude', 'text with the cursor before it', claudeInput('❯ ▏go on'), { composer: 'unknown' }],
    ['claude', 'an earlier prompt only', ['❯ go on', '', '● Well.'], { state: 'unknown' }],
    [
      'claude',
      'its work',
      ['✽ Nucleating… (3m 50s · ↓ 2.1k tokens)', '', ...claudeInput()],
      { state: 'working', composer: 'empty' },
    ],
    ['claude', 'the first second of its work', ['✻ Hatching…', '', ...claudeInput()], { state: 'working' }],
    ['claude', 'the asterisk of its animation', ['* Hatching…', '', ...claudeInput()], { state: 'working' }],
    ['claude', 'the summary of a turn', ['✻ Sautéed for 1m', '', ...claudeInput()], { state: 'ready' }],
    ['claude', 'a list that looks like work', ['* a list… of things', '', ...claudeInput()], { state: 'ready' }],
    ['claude', 'a static icon at the edge', [`${' '.repeat(30)}◐ medium…`, ...claudeInput()], { state: 'ready' }],
    [
      'claude',
      'work told by the mode',
      claudeInput('❯ ▏', '  ⏵⏵ accept edits on · esc to interrupt'),
      { state: 'working' },
    ],
    [
      'claude',
      'an interruption',
      ['● One', '  ⎿  Interrupted · What should Claude do instead?', '', ...claudeInput()],
      { state: 'interrupted' },
    ],
    [
      'claude',
      'an old interruption',
      ['  ⎿  Interrupted · What should Claude do instead?', '❯ go on', '● Done.', ...claudeInput()],
      { state: 'ready' },
    ],
    [
      'claude',
      'sub-tasks',
      claudeInput('❯ ▏', '  ⏵⏵ bypass permissions on · 2 shells · 1 local agent'),
      { subTasks: 3 },
    ],
    ['claude', 'no sub-tasks', claudeInput('❯ ▏', '  ⏵⏵ bypass permissions on'), { subTasks: 0 }],
    ['claude', 'one shell alone', claudeInput('❯ ▏', '  1 shell'), { subTasks: 1 }],
    [
      'claude',
      'a typed list below a question',
      ['● Shall I go on?', RULE, '❯ 1. yes', '  2. no▏', RULE, '  ⏸ manual mode on · ← for agents'],
      { state: 'ready', composer: 'partial' },
    ],
    ['codex', 'an empty input', ['• Done.', '', '› ▏', '', '  model · ~'], { state: 'ready', composer: 'empty' }],
    [
      'codex',
      'a suggestion',
      ['', '› ▏Ask Codex to do anything', '', '  model'],
      { state: 'ready', composer: 'empty' },
    ],
    ['codex', 'a typed line', ['', '› go on▏', '', '  model'], { state: 'ready', composer: 'partial' }],
    ['codex', 'its work', ['• Thinking hard (4s • esc to interrupt)', '', '› ▏', ''], { state: 'working' }],
    ['codex', 'work long ago', ['(4s • esc to interrupt)', ...'1234567', '› ▏', ''], { state: 'ready' }],
    ['codex', 'a double sign', ['›› accept edits on'], { state: 'unknown' }],
    ['codex', 'an interruption', ['■ Conversation interrupted - tell it', '', '› ▏'], { state: 'interrupted' }],
    [
      'gemini',
      'an empty input',
      ['▄▄▄▄', ' >   Type your message or @path', '▀▀▀▀'],
      { state: 'ready', composer: 'empty' },
    ],
    ['gemini', 'a boxed input', ['╭────╮', '│ > go on │', '╰────╯'], { state: 'ready', composer: 'partial' }],
    ['gemini', 'its work', ['⠙ Thinking... (esc to cancel, 3s)', '', '> '], { state: 'working' }],
    ['gemini', 'a half painted screen', ['▄▄▄▄', ' > go on', '▀▀▀▀', '✦ One word'], { state: 'unknown' }],
    ['gemini', 'an interruption', ['✦ One', 'ℹ Request cancelled.', '', '> '], { state: 'interrupted' }],
    ['opencode', 'an unpainted bar', ['┃', '┃  Build', '╹▀▀▀▀', ''], { state: 'unknown' }],
    [
      'opencode',
      'an empty input',
      ['┃', '┃  Ask anything... "Fix it"', '┃', '┃  Build  model', '╹▀▀▀▀', '  tab agents  ctrl+p commands'],
      { state: 'ready', composer: 'empty', inputTop: 0 },
    ],
    ['opencode', 'its work', ['┃', '┃  Build', '╹▀▀▀▀', '  ⬝⬝■ esc interrupt  ctrl+p commands'], { state: 'working' }],
    [
      'opencode',
      'its work, once asked to end',
      ['┃', '┃  B', '╹▀▀▀▀', '  esc again to interrupt'],
      { state: 'working' },
    ],
    ['aider', 'its prompt', ['Tokens: 2k sent', '', '> '], { state: 'ready' }],
    ['aider', 'its bar', ['░█  Waiting', ''], { state: 'working' }],
    ['grok', 'its boxed prompt', ['╭───╮', '│ ❯ │', '╰───╯'], { state: 'ready' }],
    ['grok', 'a scrollbar', ['text   █', '❯', ''], { state: 'ready' }],
    ['pi', 'its gauge', ['text', '12.3%/200k (auto) • model'], { state: 'ready' }],
    ['pi', 'its work', ['⠙ Working...', '', '12.3%/200k (auto) • model'], { state: 'working' }],
  ];
  it.each(table)('%s: %s', (agent, _what, drawing, expected) => {
    expect(read(agent, drawing)).toMatchObject(expected);
  });
});

describe('STM-44: choice prompts', () => {
  const claudeEdit = [
    RULE,
    ' Edit file notes.md',
    '╌'.repeat(40),
    ' 1 - one',
    ' 2 + two',
    '╌'.repeat(40),
    ' Do you want to make this edit to notes.md?',
    ' ❯ 1. Yes',
    '   2. Yes, allow all edits during this session (shift+tab)',
    '   3. No, and tell Claude what to do differently (esc)',
    '',
    ' Esc to cancel · Tab to amend',
  ];

  it('claude, a change to confirm', () => {
    expect(read('claude', claudeEdit)).toEqual({
      state: 'dialog',
      composer: 'unknown',
      inputTop: 6,
      dialog: {
        title: 'Do you want to make this edit to notes.md?',
        choices: [
          { key: '1', label: 'Yes', highlighted: true, destructive: false },
          {
            key: '2',
            label: 'Yes, allow all edits during this session',
            highlighted: false,
            destructive: false,
            hint: 'shift+tab',
          },
          {
            key: '3',
            label: 'No, and tell Claude what to do differently',
            highlighted: false,
            destructive: true,
            hint: 'esc',
          },
        ],
        dismiss: 'cancel',
        amend: 'amend',
      },
    });
  });

  it('options that explain themselves in a second column, or below', () => {
    const rows = [
      'Which colour?',
      '',
      '❯ 1. Red      The first',
      '  2. Blue',
      '     The second',
      '',
      'Enter to select',
    ];
    expect(readChoicePrompt(rows)?.dialog.choices).toEqual([
      { key: '1', label: 'Red', highlighted: true, destructive: false, hint: 'The first' },
      { key: '2', label: 'Blue', highlighted: false, destructive: false, hint: 'The second' },
    ]);
  });

  it('opencode: answers side by side have no key of their own', () => {
    const rows = [
      '┃ △ Permission required',
      '┃   # Shell command',
      '┃  Allow once   Allow always   Reject   enter confirm',
    ];
    expect(read('opencode', rows)).toMatchObject({
      state: 'dialog',
      dialog: { title: '# Shell command', choices: [{ label: 'Allow once', key: '' }, {}, { destructive: true }] },
    });
  });

  const negatives: [what: string, rows: string[]][] = [
    ['a numbered list in code', ['Shall I run this?', '```', '1. first', '2. second', '```']],
    ['a list in prose', ['What is next?', '1. Write it', '2. Test it', '', 'Tell me.']],
    ['a list at the end, without a sign', ['What is next?', '1. Write it', '2. Test it']],
    ['one option', ['Do you want it?', '❯ 1. Yes', '', 'Enter to select']],
    ['a hole in the numbers', ['Do you want it?', '❯ 1. Yes', '  3. No', '', 'Enter to select']],
    ['a list that does not begin at 1', ['Do you want it?', '❯ 2. Yes', '  3. No', '', 'Enter to select']],
    ['text between the options', ['Do you want it?', '❯ 1. Yes', 'or perhaps', '  2. No', 'Enter to select']],
    ['a list that was answered', [...claudeEdit, '', '● Done.', ...claudeInput()]],
  ];
  it.each(negatives)('is none: %s', (_what, rows) => {
    expect(readChoicePrompt(rows)).toBeUndefined();
  });
});

describe('every adapter', () => {
  const piece = fc.constantFrom(
    ...['❯', '›', '»', '>', '┃', '╹▀▀▀▀', '│', RULE, '✽ Working… (3s)', 'esc to interrupt)', '⠋ x (esc to cancel'],
    ...[
      '❯ 1. Yes',
      '  2. No',
      'Do you want it?',
      'ctrl+p commands',
      '⏵⏵ 2 shells',
      '30%/x • y',
      '░█',
      '日本語',
      '👩‍👩‍👧',
      '\u0301',
      '',
    ],
  );
  const row = fc.oneof(
    piece,
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.array(piece, { maxLength: 3 }).map((all) => all.join('')),
  );
  const screen = fc.record({
    rows: fc.array(row, { maxLength: 20 }),
    cursorRow: fc.integer({ min: -1, max: 25 }),
    cursorColumn: fc.integer({ min: 0, max: 200 }),
    isAlternate: fc.boolean(),
  });
  const adapters = CATALOGUE.flatMap(({ id, screen: adapter }) => (adapter === undefined ? [] : [{ id, adapter }]));

  it.each(adapters)(
    '$id: never throws, never names a row that is not there, is the same for the same',
    ({ adapter }) => {
      fc.assert(
        fc.property(screen, (given) => {
          const reading = adapter.read(given);
          expect(reading.inputTop ?? 0).toBeLessThanOrEqual(given.rows.length);
          expect(reading.inputTop ?? 0).toBeGreaterThanOrEqual(0);
          expect((reading.state === 'dialog') === (reading.dialog !== undefined)).toBe(true);
          expect(adapter.read(given)).toEqual(reading);
        }),
        { numRuns: 150 },
      );
    },
  );

  it.each(adapters)('$id: a blank screen tells nothing, on any width', ({ adapter }) => {
    for (const rows of [[], [''], ['', ' '], ['x'], ['─']]) {
      expect(adapter.read({ rows, cursorRow: 0, cursorColumn: 0, isAlternate: false }).state).toBe('unknown');
    }
  });
});
