import { beforeEach, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { type CommandLine, prepareCommandLine } from '../../test/kit/command-line.ts';
import { EXIT_CODES } from '../contract/index.ts';

const cleanup = cleanupAfterEach();
const HERE = '/home/user/project';
const ENTRY = { id: 'e1', kind: 'done', text: 'wrote\u001b[2J it', step: 'one', agent: 'claude', created_at: 60_000 };

let tuic: CommandLine;

beforeEach(async () => {
  tuic = await prepareCommandLine(cleanup);
  await tuic.serve({
    [`GET /progress?${new URLSearchParams({ path: HERE })}`]: { body: { entries: [ENTRY], next_since: 60_000 } },
    [`GET /progress?${new URLSearchParams({ path: '/other', limit: '2', since: '7', kind: 'done' })}`]: {
      body: { entries: [], next_since: 7, paused: true },
    },
    [`GET /progress/export?${new URLSearchParams({ path: HERE, format: 'md' })}`]: {
      stream: (response) => response.end('# Progress\n'),
    },
    'POST /progress/pause': { body: { ok: true } },
    'POST /progress/clear': { body: { removed: 2 } },
    'PUT /progress/e1': { body: { ...ENTRY, text: 'better' } },
    'PUT /progress/gone': { status: 404, body: { error: 'Not found: progress entry gone' } },
  });
});

it('tuic progress ls: a line an entry, and nothing that steers the terminal', async () => {
  expect(await tuic.run(['progress', 'ls'])).toBe(0);
  expect(tuic.output).toMatch(/1970-01-01 00:01 +done +claude +wrote.* it \(one\) +e1/);
  expect(tuic.output).not.toContain('\u001b[2J');
  expect(await tuic.run(['progress', 'ls', '/other', '-n', '2', '--since', '7', '-k', 'done'])).toBe(0);
  expect(tuic.output).toContain('paused');
  expect(tuic.output).toContain('Nothing is recorded');
  expect(await tuic.run(['progress', 'ls', '-k', 'idea'])).toBe(EXIT_CODES.usage);
});

it('tuic progress export, pause, resume, clear', async () => {
  expect(await tuic.run(['progress', 'export'])).toBe(0);
  expect(tuic.output).toBe('# Progress\n');
  await tuic.run(['progress', 'pause']);
  await tuic.run(['progress', 'resume', '/other']);
  expect(tuic.asked('POST /progress/pause').map(({ body }) => body)).toEqual([
    { path: HERE, paused: true },
    { path: '/other', paused: false },
  ]);
  expect(await tuic.run(['progress', 'clear', '--before', '1970-01-01T00:01Z'])).toBe(0);
  expect(tuic.output).toBe('Removed 2 entries\n');
  expect(tuic.asked('POST /progress/clear')[0]?.body).toEqual({ path: HERE, before: 60_000 });
  expect(await tuic.run(['progress', 'clear', '--before', 'soon'])).toBe(EXIT_CODES.usage);
});

it('tuic progress correct: only what is given changes', async () => {
  expect(await tuic.run(['progress', 'correct', 'e1', '--text', 'better', '--step', ''])).toBe(0);
  expect(tuic.asked('PUT /progress/e1')[0]?.body).toEqual({ text: 'better', step: null });
  expect(tuic.output).toBe('Corrected: done, better\n');
  expect(await tuic.run(['progress', 'correct', 'e1'])).toBe(EXIT_CODES.usage);
  expect(await tuic.run(['progress', 'correct', 'gone', '--kind', 'blocked'])).not.toBe(0);
});
