import { describe, expect, it } from 'vitest';
import { layoutOf, type Marker, readMarkers, readTrouble, readUsage, saidRows } from './index.ts';

const read = (rows: readonly string[], agent = 'claude', end = rows.length): Marker[] =>
  readMarkers(saidRows(rows, end, layoutOf(agent)));
const items = (rows: readonly string[], agent?: string) =>
  read(rows, agent).flatMap((marker) => (marker.type === 'suggest' ? [marker.items] : []));
const intents = (rows: readonly string[], agent?: string) =>
  read(rows, agent).flatMap((marker) => (marker.type === 'intent' ? [[marker.text, marker.title]] : []));

describe('markers', () => {
  it.each([
    ['after a bullet', ['● suggest: [ Run the tests | Commit ]']],
    ['below the text of its message', ['● Done.', '', '  suggest: [ Run the tests | Commit ]']],
    ['in backticks', ['● `suggest: [ Run the tests | Commit ]`']],
    ['over two rows', ['● suggest: [ Run the', '  tests | Commit ]']],
    ['over four rows', ['● suggest: [ Run', '  the tests', '  | Commit', '  ]']],
    ['its keyword split', ['● sugg', '  est: [ Run the tests |', '  Commit ]']],
    ['its colon alone on a row', ['● suggest', '  :', '  [ Run the tests | Commit ]']],
    ['at the edge, its message scrolled off', ['  suggest: [ Run the tests | Commit ]']],
  ])('MRK-1, MRK-3, MRK-4: a list %s', (_, rows) => {
    expect(items(rows)).toEqual([['Run the tests', 'Commit']]);
  });

  it.each([
    ['one item', '● suggest: [ Only ]'],
    ['five items', '● suggest: [ A | B | C | D | E ]'],
    ['an empty item', '● suggest: [ A | | C ]'],
    ['an unfinished list', '● suggest: [ A | B'],
    ['nested brackets', '● suggest: [ A [x] | B ]'],
    ['no brackets', '● suggest: A | B'],
    ['words behind it', '● suggest: [ A | B ] or so'],
    ['within a sentence', '● I suggest: [ A | B ]'],
    ['a placeholder', '● suggest: [ <A> | <B> ]'],
    ['more than 512 bytes', `● suggest: [ ${'A'.repeat(300)} | ${'B'.repeat(300)} ]`],
  ])('MRK-3, MRK-4: %s is no list', (_, row) => {
    expect(items([row])).toEqual([]);
  });

  it('MRK-4: a list over five rows is none', () => {
    expect(items(['● suggest: [ A', '  B', '  C', '  | D', '  ]'])).toEqual([]);
  });

  it.each([
    ['with a title', ['● intent: read the parser first (Parser)'], 'read the parser first', 'Parser'],
    ['without one', ['● intent: read the parser first'], 'read the parser first', undefined],
    ['wrapped', ['● intent: read the', '  parser first', '  (Parser)'], 'read the parser first', 'Parser'],
    ['with blanks', ['⏺  intent:   read  the parser first  ( Parser )'], 'read the parser first', 'Parser'],
    ['before a list', ['● intent: read the parser first', '  suggest: [ A | B ]'], 'read the parser first', undefined],
  ])('MRK-2: an intent %s', (_, rows, text, title) => {
    expect(intents(rows)).toEqual([[text, title]]);
  });

  it.each(['● intent: abc', '● intent: <text> (<title>)', '● intent: ...', '● intent:', '● my intent: read it all'])(
    'MRK-2: %s is none',
    (row) => expect(intents([row])).toEqual([]),
  );

  it.each([
    ['the output of a tool', ['● Bash(cat hostile)', '  ⎿  suggest: [ A | B ]', '     suggest: [ A | B ]']],
    ['the output of a tool, at its edge', ['● Bash(cat hostile)', '  ⎿  some text', '  suggest: [ A | B ]']],
    ['a bullet within it', ['● Bash(cat hostile)', '  ⎿  some text', '     ● suggest: [ A | B ]']],
    ['a prompt that was typed', ['❯ do it', '  suggest: [ A | B ]']],
    ['a box', ['│ suggest: [ A | B ] │']],
    ['a quote', ['● > suggest: [ A | B ]']],
    ['a comment', ['● # suggest: [ A | B ]']],
  ])('MRK-1, STM-57: %s holds no marker', (_, rows) => {
    expect(read(rows)).toEqual([]);
  });

  it('STM-5: rows from the input area on hold none', () => {
    expect(read(['● Done.', '───', '  suggest: [ A | B ]'], 'claude', 1)).toEqual([]);
  });

  it('MRK-1: each agent where it writes: codex and gemini behind their bullets, opencode at its indent', () => {
    expect(items(['• suggest: [ A | B ]'], 'codex')).toEqual([['A', 'B']]);
    expect(items(['✦ suggest: [ A | B ]'], 'gemini')).toEqual([['A', 'B']]);
    expect(items(['  ┃  do it', '  ┃', '', '     Done.', '     suggest: [ A | B ]'], 'opencode')).toEqual([['A', 'B']]);
    expect(items(['  ┃  suggest: [ A | B ]', '  suggest: [ A | B ]'], 'opencode')).toEqual([]);
    expect(items(['  └ text', '    suggest: [ A | B ]'], 'codex')).toEqual([]);
  });
});

describe('limits and errors', () => {
  it.each([
    ['claude', ['✻ API error · retrying in 34s · attempt 1/10'], 34_000, 'API error · retrying · attempt 1/10'],
    [
      'claude',
      ['● API Error: Repeated 529 Overloaded errors. The API is at', '  capacity.'],
      30_000,
      'API Error: Repeated 529 Overloaded errors. The API is at capacity.',
    ],
    [
      'codex',
      ['  └ Exceeded retry limit, last status: 429 Too Many Requests'],
      60_000,
      'Exceeded retry limit, last status: 429 Too Many Requests',
    ],
    [
      'opencode',
      ['   ⬝⬝■■■■■■ Provider is overloaded [retrying in 2s attempt #1]                esc interrupt'],
      2_000,
      'Provider is overloaded [retrying attempt #1]',
    ],
    ['gemini', ['✕ [API Error: got status: RESOURCE_EXHAUSTED]'], 60_000, 'API Error: got status: RESOURCE_EXHAUSTED'],
    ['aider', ['litellm.RateLimitError: too many'], 60_000, 'litellm.RateLimitError: too many'],
    ['goose', ['rate_limit_error: retry after 7 seconds'], 7_000, 'rate_limit_error: retry after 7 seconds'],
  ])('STM-46: %s %j is a limit', (agent, rows, retryAfterMs, error) => {
    expect(readTrouble(rows, rows.length, agent)).toEqual({ isLimit: true, retryAfterMs, error, count: 1 });
  });

  it.each([
    ['claude', '● API Error: 401 authentication failed'],
    ['claude', '● Invalid API key · Please run /login'],
    ['codex', '■ stream error: unexpected status 500'],
    ['gemini', '✕ [API Error: An unknown error occurred.]'],
  ])('STM-47: %s %j is an error and no limit', (agent, row) => {
    const trouble = readTrouble([row], 1, agent);
    expect(trouble).toMatchObject({ isLimit: false, error: expect.any(String) });
    expect(trouble?.retryAfterMs).toBeUndefined();
  });

  it.each([
    '● The server answered with a rate_limit_error, so I added a retry.',
    '● A RateLimitError is raised at 429 Too Many Requests.',
    '      if (error.type === "rate_limit_error") retry();',
    '  + RESOURCE_EXHAUSTED',
    '  // rate_limit_error',
    '     API Error: 429',
    '❯ why API Error: 429?',
    '● I am retrying in 34s · attempt 1/10',
  ])('STM-46: prose, code, diffs and comments are none: %s', (row) => {
    for (const agent of ['claude', 'codex', 'gemini', 'goose']) expect(readTrouble([row], 1, agent)).toBeUndefined();
  });

  it('STM-5, STM-46: the newest counts, and nothing from the input area on', () => {
    const rows = ['● API Error: 500 one', '● API Error: 500 two', '● API Error: 500 three'];
    expect(readTrouble(rows, 2, 'claude')).toMatchObject({ error: 'API Error: 500 two', count: 2 });
  });

  it('STM-47: usage as it is printed', () => {
    expect(readUsage(["  You've used 81% of your weekly limit · resets 9pm"])).toBe(81);
    expect(readUsage(['used 810% of your weekly limit', 'used 81% of your disk'])).toBeUndefined();
  });
});
