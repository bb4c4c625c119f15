import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { pipedInput, prepareCommandLine, type Script } from '../../test/kit/command-line.ts';
import { EXIT_CODES, type LogOutput, type SessionInfo } from '../contract/index.ts';

const cleanup = cleanupAfterEach();

const session: SessionInfo = {
  session_id: 'one',
  cwd: '/p',
  worktree_path: null,
  worktree_branch: null,
  is_remote: true,
  lifecycle: 'live',
  alias: 'pr-1',
  created_at: 0,
  rows: 24,
  cols: 80,
};
const health = { body: { ok: true, pid: 7 } };
const list = (...sessions: SessionInfo[]) => ({ 'GET /sessions?lifecycle=all': { body: sessions } });
const line = (text: string, style: object = {}) => ({ spans: [{ text, ...style }] });

async function withServer(script: Script) {
  const tuic = await prepareCommandLine(cleanup);
  await tuic.serve(script);
  return tuic;
}

describe('tuic send', () => {
  it('types text, then keys, then Enter; line ends of standard input are Enter', async () => {
    const tuic = await withServer({ ...list(session), 'POST /sessions/one/write': { body: { ok: true } } });
    expect(await tuic.run(['send', 'pr-1', 'echo', 'a  b', '-k', 'ctrl-c,up', '--key', 'x', '--enter'])).toBe(0);
    expect(await tuic.run(['send', 'pr-1', '--json'], { input: pipedInput('one\n', 'two\r\n') })).toBe(0);
    expect(JSON.parse(tuic.output)).toEqual({ session_id: 'one', sent_bytes: 8 });
    expect(await tuic.run(['send', 'pr-1', '--', '--help'])).toBe(0);
    const sent = tuic.asked('POST /sessions/one/write').map(({ body }) => (body as { data: string }).data);
    expect(sent).toEqual(['echo a  b\x03\x1b[Ax\r', 'one\rtwo\r', '--help']);
  });

  it('sends much in pieces that cut no character, and says how far it came when one is refused', async () => {
    const text = `${'x'.repeat(65_535)}😀${'y'.repeat(70_000)}`;
    let count = 0;
    const tuic = await withServer({
      ...list(session),
      'POST /sessions/one/write': () =>
        ++count < 3 ? { body: {} } : { status: 500, body: { error: 'does not read' } },
    });
    expect(await tuic.run(['send', 'pr-1', '-'], { input: pipedInput(text) })).toBe(EXIT_CODES.failure);
    const sent = tuic.asked('POST /sessions/one/write').map(({ body }) => (body as { data: string }).data);
    expect(sent.join('')).toBe(text);
    expect(tuic.errors).toBe(
      `${Buffer.byteLength(`${sent[0]}${sent[1]}`)} bytes were sent before it failed:\ndoes not read\n`,
    );
  });

  it('refuses a key that is none, nothing to send, an unknown session and text that is no UTF-8', async () => {
    const tuic = await withServer(list(session));
    expect(await tuic.run(['send', 'pr-1', '--key', 'ctrl-enterr'])).toBe(EXIT_CODES.usage);
    expect(tuic.errors).toContain('escape');
    expect(await tuic.run(['send', 'pr-1'])).toBe(EXIT_CODES.usage);
    expect(await tuic.run(['send', 'pr-9', 'x'])).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toBe('No session "pr-9". There are: pr-1\n');
    const input = pipedInput(Uint8Array.of(0xff, 0xfe));
    expect(await tuic.run(['send', 'pr-1'], { input })).toBe(EXIT_CODES.failure);
    expect(tuic.errors).toContain('UTF-8');
    expect(tuic.asked('POST /sessions/one/write')).toEqual([]);
  });
});

describe('tuic tail', () => {
  const output: LogOutput = {
    lines: [line('first'), line('second \x1b[2J', { fg: { idx: 1 }, bold: true })],
    total_lines: 7,
    offset: 5,
    screen: [line('$ prompt  ')],
  };
  const script = { ...list(session), 'GET /sessions/one/output?format=log&limit=2': { body: output } };

  it('X10: prints the newest lines and the screen, coloured on a terminal only, never a control character', async () => {
    const tuic = await withServer(script);
    expect(await tuic.run(['tail', '-n', '2', 'pr-1'])).toBe(0);
    expect(tuic.lines).toEqual(['second \ufffd[2J', '$ prompt']);
    await tuic.run(['tail', '-n', '2', 'pr-1'], { isTerminal: true });
    expect(tuic.lines).toEqual(['\x1b[1;38;5;1msecond \ufffd[2J\x1b[0m', '$ prompt']);
    await tuic.run(['tail', '-n', '2', '--json', 'pr-1']);
    expect(tuic.jsonLines).toEqual([{ line: 6, text: 'second \ufffd[2J' }, { text: '$ prompt' }]);
  });

  it('reads what an ended session printed as text', async () => {
    const data = '\x1b[31mone\x1b[0m\r\ntwo\r\nthree';
    const tuic = await withServer({
      ...list({ ...session, lifecycle: 'exited', exit_code: 0 }),
      'GET /sessions/one/output?format=raw&limit=1048576': { body: { data, data_length: 1, total_written: 1 } },
    });
    const print = async (lines: number) => {
      expect(await tuic.run(['tail', '-f', '-n', String(lines), 'pr-1'])).toBe(0);
      return tuic.output;
    };
    expect(await print(2)).toBe('two\nthree\n');
    expect(await print(3)).toBe('one\ntwo\nthree\n');
    expect(await print(9)).toBe('one\ntwo\nthree\n');
    expect(await print(0)).toBe('');
  });

  it('P1, P2: follows the log over a server that goes and comes, tells what is missing, and prints the screen at the end', async () => {
    const answers = [
      { sessions: [session], output: { lines: [line('a')], offset: 0, total_lines: 1, screen: [line('half')] } },
      { sessions: [session], output: undefined },
      {
        sessions: [session],
        output: {
          lines: [line('d')],
          offset: 3,
          total_lines: 4,
          screen: [],
          gap: { from: 1, to: 3, reason: 'evicted' },
        },
      },
      {
        sessions: [{ ...session, lifecycle: 'exited', exit_code: 3 }],
        output: { lines: [], offset: 4, total_lines: 4, screen: [line('e')] },
      },
    ];
    // The first list is the look-up of the name.
    let lists = 0;
    const answer = () => {
      const body = answers[lists - 2]?.output;
      return body === undefined ? { status: 503, body: { error: 'host away' } } : { body };
    };
    const tuic = await withServer({
      'GET /health': health,
      'GET /sessions?lifecycle=all': () => ({ body: answers[Math.max(0, lists++ - 1)]?.sessions }),
      'GET /sessions/one/output?format=log&limit=10': answer,
      'GET /sessions/one/output?format=log&offset=1': answer,
      'GET /sessions/one/output?format=log&offset=4': answer,
    });
    expect(await tuic.run(['tail', '-f', '--format', 'log', 'pr-1'])).toBe(0);
    expect(tuic.lines).toEqual(['a', 'd', 'e']);
    expect(tuic.errors.split('\n')).toEqual([
      '[the server is away; waiting for it]',
      '[the server is back]',
      '[2 lines missing: evicted]',
      '[pr-1: exited 3]',
      '',
    ]);
  });
});

describe('tuic events', () => {
  const records = [
    'retry: 5000',
    'event: term-alias-assigned\nid: 1\ndata: {"session_id":"two","alias":"pr-2"}',
    'event: session-title\nid: 2\ndata: {"session_id":"two","title":"evil\\u001b[31m x"}',
    'event: lagged\nid: 3\ndata: {"missed":4}',
    'event: session-closed\nid: 4\ndata: {"session_id":"two","reason":"killed"}',
    'event: pty-exit\nid: 5\ndata: {"session_id":"one"}',
  ];
  const stream = {
    stream: (response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`${records.join('\n\n')}\n\n`);
    },
  };

  it('prints one line an event, by the names of the sessions, and tells what was missed', async () => {
    const tuic = await withServer({ ...list(session), 'GET /events': stream });
    expect(await tuic.run(['events', '--count', '4'])).toBe(0);
    expect(tuic.lines.map((text) => text.replace(/^\d\d:\d\d:\d\d {2}/, '').split(/ {2,}/))).toEqual([
      ['term-alias-assigned', 'pr-2', 'alias=pr-2'],
      ['session-title', 'pr-2', 'title="evil\ufffd[31m x"'],
      ['session-closed', 'pr-2', 'reason=killed'],
      ['pty-exit', 'pr-1'],
    ]);
    expect(tuic.errors).toBe('[4 events missed]\n');
  });

  it('filters by type and session, as lines of JSON; an unknown type names the known ones', async () => {
    const types = 'GET /events?types=session-closed%2Cpty-exit%2Cterm-alias-assigned';
    const tuic = await withServer({ ...list(session), [types]: stream });
    expect(await tuic.run(['events', '-t', 'session-closed,pty-exit', '-s', 'one', '-n', '1', '--json'])).toBe(0);
    expect(tuic.jsonLines).toEqual([{ time_ms: 120_000, event: 'pty-exit', data: { session_id: 'one' } }]);
    expect(await tuic.run(['events', 'session-opened'])).toBe(EXIT_CODES.usage);
    expect(tuic.errors).toContain('session-created');
  });
});
