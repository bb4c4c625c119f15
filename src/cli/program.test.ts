import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT_CODES, type SessionInfo } from '../contract/index.ts';
import { runCommandLine } from './program.ts';

interface Request {
  route: string;
  body: unknown;
}
type Answer = { status?: number; body: unknown };

let configDirectory = '';
let server: Server | undefined;
let requests: Request[] = [];
let output = '';
let errors = '';

beforeEach(() => {
  configDirectory = mkdtempSync(join(tmpdir(), 'tuic-cli-'));
  requests = [];
  output = '';
  errors = '';
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  server = undefined;
  rmSync(configDirectory, { recursive: true, force: true });
});

/** A server on the instance's socket that answers by "METHOD path". */
async function serve(answers: Record<string, Answer>): Promise<void> {
  const created = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const route = `${request.method} ${request.url}`;
      requests.push({ route, body: text === '' ? undefined : JSON.parse(text) });
      const answer = answers[route] ?? { status: 404, body: { error: 'Session not found' } };
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
  });
  server = created;
  await new Promise<void>((resolve) => created.listen(join(configDirectory, 'mcp.sock'), resolve));
}

function tuic(...args: string[]): Promise<number> {
  return runCommandLine(
    args,
    {
      env: { TUIC_CONFIG_DIR: configDirectory, TUIC_NO_OPEN: '1' },
      platform: 'linux',
      home: '/home/user',
      workingDirectory: '/home/user/project',
      nodePath: '/usr/bin/node',
      bridgePath: '/opt/tuic/bridge.js',
      isTerminal: false,
      now: () => 120_000,
      write: (text) => {
        output += text;
      },
      warn: (text) => {
        errors += text;
      },
    },
    '9.9.9',
  );
}

const session: SessionInfo = {
  session_id: 'one',
  cwd: '/home/user/project',
  worktree_path: null,
  worktree_branch: null,
  is_remote: true,
  lifecycle: 'live',
  alias: 'pr-1',
  created_at: 0,
  rows: 24,
  cols: 80,
  title: 'evil\u001b[31m',
};

describe('usage', () => {
  it('prints help with examples and exit codes, and the version', async () => {
    expect(await tuic('--help')).toBe(EXIT_CODES.ok);
    for (const word of ['start', 'kill', 'Examples:', 'Exit codes:', 'TUIC_CONFIG_DIR']) expect(output).toContain(word);
    expect(output).not.toContain('report-to-parent');
    output = '';
    expect(await tuic('--version')).toBe(EXIT_CODES.ok);
    expect(output).toBe('9.9.9\n');
  });

  it('answers wrong usage with exit code 2 and the way out', async () => {
    for (const args of [
      ['nonsense'],
      ['ls', '--nonsense'],
      ['new', '--rows', 'many'],
      ['kill'],
      ['kill', 'a', '--all'],
      ['host'],
      [],
    ]) {
      errors = '';
      expect(await tuic(...args), args.join(' ')).toBe(EXIT_CODES.usage);
      expect(errors, args.join(' ')).not.toBe('');
    }
  });
});

describe('without a server', () => {
  it('every verb that needs one says how to start it and exits with 3', async () => {
    for (const args of [
      ['ls'],
      ['new'],
      ['open'],
      ['stop'],
      ['kill', 'pr-1'],
      ['kill', '--all'],
      ['send', 'pr-1', 'x'],
      ['tail', 'pr-1'],
      ['tail', '-f', 'pr-1'],
      ['events'],
      ['logs'],
      ['logs', '-f'],
      ['logs', 'access'],
      ['config', 'get'],
      ['config', 'set', 'a', '1'],
      ['config', 'ls'],
      ['capture', 'start'],
      ['capture', 'stop'],
    ]) {
      errors = '';
      expect(await tuic(...args), args.join(' ')).toBe(EXIT_CODES.serverNotRunning);
      expect(errors).toContain('tuic start');
      expect(errors).toContain(configDirectory);
    }
  });

  it('status still answers, for people and for programs', async () => {
    expect(await tuic('status')).toBe(EXIT_CODES.serverNotRunning);
    expect(output).toContain('not running');
    output = '';
    expect(await tuic('status', '--json')).toBe(EXIT_CODES.serverNotRunning);
    expect(JSON.parse(output)).toMatchObject({ server: { running: false }, host: { running: false } });
  });

  it('a socket that nobody serves any more counts as no server', async () => {
    // A server that was killed leaves its socket file behind; a file that refuses connections stands for it.
    writeFileSync(join(configDirectory, 'mcp.sock'), '');
    for (const args of [['ls'], ['events'], ['logs', '-f'], ['tail', '-f', 'pr-1'], ['config', 'get']]) {
      errors = '';
      expect(await tuic(...args), args.join(' ')).toBe(EXIT_CODES.serverNotRunning);
      expect(errors).toContain('tuic start');
    }
    expect(await tuic('capture', 'ls')).toBe(EXIT_CODES.ok);
    expect(await tuic('complete', 'sessions')).toBe(EXIT_CODES.ok);
  });
});

describe('sessions', () => {
  it('ls aligns for people, shows no control characters, and prints JSON for programs', async () => {
    await serve({ 'GET /sessions': { body: [session] } });
    expect(await tuic('ls')).toBe(EXIT_CODES.ok);
    expect(output.split('\n')).toEqual([
      'ALIAS  STATE  AGE    SIZE   NAME       FOLDER',
      'pr-1   live   2 min  80x24  evil\ufffd[31m  ~/project',
      '',
    ]);
    output = '';
    expect(await tuic('ls', '--json')).toBe(EXIT_CODES.ok);
    expect(JSON.parse(output)).toEqual([session]);
  });

  it('ls --all asks for ended ones and shows their exit code; a lost one shows none', async () => {
    const ended = { ...session, lifecycle: 'exited', exit_code: 3 };
    await serve({ 'GET /sessions?lifecycle=all': { body: [ended, { ...session, lifecycle: 'lost' }] } });
    expect(await tuic('ls', '--all')).toBe(EXIT_CODES.ok);
    expect(output).toContain('exited 3');
    expect(output).toMatch(/lost {2,}2 min/);
  });

  it('ls with nothing to list says what to do', async () => {
    await serve({ 'GET /sessions': { body: [] } });
    expect(await tuic('ls')).toBe(EXIT_CODES.ok);
    expect(output).toContain('tuic new');
  });

  it('new passes program and arguments untouched, options of the program included', async () => {
    await serve({ 'POST /sessions': { status: 201, body: { session_id: 'one', alias: 'pr-1' } } });
    expect(await tuic('new', '--name', 'build', '--rows', '30', '--', 'npm', 'run', '--json', 'a b')).toBe(
      EXIT_CODES.ok,
    );
    expect(requests[0]?.body).toEqual({
      cwd: '/home/user/project',
      shell: 'npm',
      args: ['run', '--json', 'a b'],
      display_name: 'build',
      display_name_is_custom: true,
      rows: 30,
    });
    expect(output).toContain('pr-1');
    requests = [];
    expect(await tuic('new', 'ls', '-la')).toBe(EXIT_CODES.ok);
    expect(requests[0]?.body).toMatchObject({ shell: 'ls', args: ['-la'] });
  });

  it('new tells the refusal of the server', async () => {
    await serve({ 'POST /sessions': { status: 429, body: { error: 'Max concurrent sessions reached' } } });
    expect(await tuic('new')).toBe(EXIT_CODES.failure);
    expect(errors).toBe('Max concurrent sessions reached\n');
  });

  it('kill ends what it can, names the rest, and exits with 4 when a session is unknown', async () => {
    await serve({ 'DELETE /sessions/pr-1': { body: { ok: true } }, 'GET /sessions': { body: [session] } });
    expect(await tuic('kill', 'pr-1', 'nope')).toBe(EXIT_CODES.notFound);
    expect(output).toBe('1 session ended\n');
    expect(errors).toBe('nope: Session not found\nThere are: pr-1\n');
    output = '';
    expect(await tuic('kill', 'nope', '--json')).toBe(EXIT_CODES.notFound);
    expect(JSON.parse(output)).toEqual([{ ref: 'nope', ended: false, error: 'Session not found' }]);
  });

  it('kill --all --force ends each listed session at once', async () => {
    const answer = { body: { ok: true } };
    await serve({
      'GET /sessions': { body: [session, { ...session, session_id: 'two' }] },
      'DELETE /sessions/one?mode=kill': answer,
      'DELETE /sessions/two?mode=kill': answer,
    });
    expect(await tuic('kill', '--all', '--force')).toBe(EXIT_CODES.ok);
    expect(output).toBe('2 sessions ended\n');
  });
});

describe('the server', () => {
  it('open prints the link that works once', async () => {
    const ticket = { ticket: 't', url: 'http://127.0.0.1:1/login?ticket=t', expires_in_secs: 60 };
    await serve({ 'POST /login/ticket': { body: ticket } });
    expect(await tuic('open', '--print')).toBe(EXIT_CODES.ok);
    expect(output).toBe(`workspace: ${ticket.url}\n`);
    expect(await tuic('open')).toBe(EXIT_CODES.ok);
    expect(errors).toContain('TUIC_NO_OPEN=1');
  });

  it('open says how to switch the local server on when there is no link', async () => {
    await serve({ 'POST /login/ticket': { body: { ticket: 't', expires_in_secs: 60 } } });
    expect(await tuic('open')).toBe(EXIT_CODES.failure);
    expect(errors).toContain('local_server_enabled');
  });

  it('status shows where it listens', async () => {
    await serve({ 'GET /health': { body: { ok: true, pid: 7, uptime_secs: 60, session_count: 2, port: 9876 } } });
    expect(await tuic('status')).toBe(EXIT_CODES.ok);
    expect(output).toContain('pid 7, for 1 min');
    expect(output).toContain('http://127.0.0.1:9876');
  });
});
