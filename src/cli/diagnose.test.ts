import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { type CommandLine, pipedInput, prepareCommandLine, type Script } from '../../test/kit/command-line.ts';
import {
  type Capture,
  type CaptureStatus,
  EXIT_CODES,
  encodeCaptureHeader,
  encodeCaptureRecord,
  type ListenersReport,
  type SecretsReport,
} from '../contract/index.ts';
import type { CheckResult } from './doctor/check.ts';
import { LEAST_NODE } from './doctor/machine.ts';
import { SecretLine } from './secret-line.ts';

const cleanup = cleanupAfterEach();

async function withServer(script: Script): Promise<CommandLine> {
  const tuic = await prepareCommandLine(cleanup);
  await tuic.serve(script);
  return tuic;
}

describe('tuic hash-password', () => {
  const hashed: string[] = [];
  const loadServer = async () => ({
    runServer: () => Promise.reject(new Error('not asked for')),
    replayCapture: () => {
      throw new Error('not asked for');
    },
    hashPassword: async (password: string) => {
      hashed.push(password);
      return `hash of ${password.length}`;
    },
  });
  const terminal = (...answers: string[]) => ({
    loadServer,
    input: { isTerminal: true, read: async function* () {} },
    askSecret: async () => answers.shift() ?? '',
  });

  it('hashes what comes over standard input, or what was typed twice', async () => {
    const tuic = await prepareCommandLine(cleanup);
    expect(await tuic.run(['hash-password'], { loadServer, input: pipedInput(' a b \r\n') })).toBe(0);
    expect(tuic.output).toBe('hash of 5\n');
    expect(await tuic.run(['hash-password', '--json'], terminal('pass', 'pass'))).toBe(0);
    expect(JSON.parse(tuic.output)).toEqual({ hash: 'hash of 4' });
    expect(hashed).toEqual([' a b ', 'pass']);
  });

  it('refuses more than 72 bytes, nothing, a zero byte, and two that differ; the password is never shown', async () => {
    const tuic = await prepareCommandLine(cleanup);
    const long = 'é'.repeat(37);
    for (const password of [long, '', '\n', 'a\0b']) {
      expect(await tuic.run(['hash-password'], { loadServer, input: pipedInput(password) })).toBe(EXIT_CODES.failure);
    }
    expect(await tuic.run(['hash-password'], terminal(long))).toBe(EXIT_CODES.failure);
    expect(tuic.errors).toBe('The password must not be longer than 72 bytes; it has 74\n');
    expect(await tuic.run(['hash-password'], terminal('hunter2', 'hunter3'))).toBe(EXIT_CODES.failure);
    expect(tuic.errors).not.toContain('hunter');
  });

  it('reads a line that is not shown: backspace, ctrl-u, ctrl-c and Enter do what they do', () => {
    const line = new SecretLine();
    expect(line.take('wrong\x15rihg\x7f\bg')).toBe('open');
    expect(line.take('ht漢\x7f!\rbehind')).toBe('done');
    expect(line.text).toBe('right!');
    expect(new SecretLine().take('a\x03')).toBe('interrupted');
  });
});

describe('tuic capture', () => {
  const status = (directory: string, change: Partial<CaptureStatus> = {}): CaptureStatus => ({
    enabled: true,
    session_id: null,
    directory,
    sessions: { one: 38, two: 9 },
    ended: { two: 'full' },
    ...change,
  });
  const sessions = [{ session_id: 'one', alias: 'pr-1', lifecycle: 'live', rows: 3, cols: 7 }];
  const record = (text: string) =>
    encodeCaptureRecord({ direction: 'output', microseconds: 0, bytes: Buffer.from(text) });

  async function withFiles() {
    const tuic = await prepareCommandLine(cleanup);
    const directory = join(tuic.configDirectory, 'captures');
    await mkdir(directory);
    await writeFile(
      join(directory, 'one.tcap'),
      Buffer.concat([encodeCaptureHeader(), record('hi'), Buffer.from([0, 1])]),
    );
    await writeFile(join(directory, 'two.tcap'), 'full');
    await writeFile(join(directory, 'old.raw'), 'old');
    const played: { capture: Capture; size: object }[] = [];
    const loadServer = async () => ({
      runServer: () => Promise.reject(new Error('not asked for')),
      hashPassword: () => Promise.reject(new Error('not asked for')),
      replayCapture: (capture: Capture, size: object) => {
        played.push({ capture, size });
        return { lines: ['above'], screen: ['evil\x1b[2J', '  '], title: 't' };
      },
    });
    return { tuic, directory, played, loadServer };
  }

  it('starts one session or all, warns, and names the choices for an unknown one', async () => {
    const tuic = await withServer({
      'GET /sessions?lifecycle=all': { body: sessions },
      'POST /diagnostics/capture': { body: status('/d') },
    });
    expect(await tuic.run(['capture', 'start', 'pr-1'])).toBe(0);
    expect(tuic.errors).toContain('passwords');
    expect(await tuic.run(['capture', 'start', '--json'])).toBe(0);
    expect(JSON.parse(tuic.output)).toEqual(status('/d'));
    expect(await tuic.run(['capture', 'stop'])).toBe(0);
    expect(tuic.asked('POST /diagnostics/capture').map(({ body }) => body)).toEqual([
      { enabled: true, session_id: 'one' },
      { enabled: true },
      { enabled: false },
    ]);
    expect(await tuic.run(['capture', 'start', 'pr-9'])).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toContain('pr-1');
  });

  it('lists the files without a server, and what becomes of them with one', async () => {
    const { tuic, directory } = await withFiles();
    expect(await tuic.run(['capture', 'ls'])).toBe(0);
    expect(tuic.lines.map((line) => line.split('/').at(-1))).toEqual([
      expect.any(String),
      'old.raw',
      'one.tcap',
      'two.tcap',
    ]);
    await tuic.serve({
      'GET /sessions?lifecycle=all': { body: sessions },
      'GET /diagnostics/capture': { body: status(directory) },
    });
    expect(await tuic.run(['capture', 'ls', '--json'])).toBe(0);
    expect(JSON.parse(tuic.output).files).toMatchObject([
      { session_id: 'old', bytes: 3, recording: false },
      { session_id: 'one', alias: 'pr-1', recording: true },
      { session_id: 'two', bytes: 4, recording: false, ended: 'full' },
    ]);
  });

  it('X10: replays a file or a session in its size, says that it is cut off, and shows hostile text as text', async () => {
    const { tuic, directory, played, loadServer } = await withFiles();
    await tuic.serve({ 'GET /sessions?lifecycle=all': { body: sessions } });
    expect(await tuic.run(['capture', 'replay', 'pr-1'], { loadServer })).toBe(0);
    expect(tuic.lines).toEqual(['above', 'evil\ufffd[2J']);
    expect(tuic.errors).toContain('2 bytes are no whole record');
    expect(
      await tuic.run(['capture', 'replay', join(directory, 'old.raw'), '--cols', '99', '--json'], { loadServer }),
    ).toBe(0);
    expect(JSON.parse(tuic.output)).toMatchObject({ rows: 24, cols: 99, title: 't', records: 1, trailing_bytes: 0 });
    expect(played.map(({ size }) => size)).toEqual([
      { rows: 3, cols: 7 },
      { rows: 24, cols: 99 },
    ]);
    expect(await tuic.run(['capture', 'replay', '../../etc/passwd'], { loadServer })).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toContain('one.tcap');
    expect(await tuic.run(['capture', 'replay', 'two'], { loadServer })).toBe(EXIT_CODES.failure);
    expect(tuic.errors).toContain('no capture that can be read');
  });
});

describe('tuic doctor', () => {
  const local: ListenersReport['local'] = { state: 'listening', port: 9_876, addresses: ['127.0.0.1'] };
  const healthy: Script = {
    'GET /health': { body: { pid: 7, uptime_secs: 60 } },
    'GET /api/version': { body: { version: '9.9.9' } },
    'GET /config': { body: { mcp_port: 9_876 } },
    'GET /diagnostics/listeners': {
      body: { ipc: { path: '' }, local, remote: { state: 'off', reason: 'not enabled' } },
    },
    'GET /diagnostics/secrets': {
      body: { store: 'file', state: 'ready', detail: 'no keyring', location: '/s' } satisfies SecretsReport,
    },
    'POST /login/ticket': { body: { ticket: 't', expires_in_secs: 60 } },
  };
  const ask = async (tuic: CommandLine): Promise<[number, Record<string, string>]> => {
    const code = await tuic.run(['doctor', '--json']);
    const results = JSON.parse(tuic.output) as CheckResult[];
    for (const { name, state, next } of results) expect(next === undefined, name).toBe(state === 'ok');
    return [code, Object.fromEntries(results.map(({ name, state }) => [name, state]))];
  };

  it('names each thing with a server, and exits with 0', async () => {
    const tuic = await withServer(healthy);
    await chmod(tuic.configDirectory, 0o700);
    await chmod(join(tuic.configDirectory, 'mcp.sock'), 0o600);
    const [code, states] = await ask(tuic);
    expect(states).toMatchObject({
      node: 'ok',
      configuration: 'ok',
      settings: 'ok',
      disk: expect.stringMatching(/ok|warn/),
      database: 'ok',
      server: 'ok',
      socket: 'ok',
      'local port': 'ok',
      'remote port': 'ok',
      'terminal host': 'ok',
      secrets: 'ok',
      browser: 'warn',
    });
    expect(code).toBe(0);
    await tuic.run(['doctor']);
    expect(tuic.output).toContain('→ "tuic open --print"');
  });

  it('finds what is wrong, says what to do, and exits with 1', async () => {
    const tuic = await withServer({
      ...healthy,
      'GET /api/version': { body: { version: '9.9.8' } },
      'GET /diagnostics/listeners': {
        body: {
          ipc: { path: '' },
          local: { ...local, port: 9_877 },
          remote: { state: 'failed', reason: 'no password' },
        },
      },
      'GET /diagnostics/secrets': { body: { store: 'keyring', state: 'locked', detail: 'locked', location: 'x' } },
      'POST /login/ticket': { body: { ticket: 't', url: 'http://127.0.0.1:1/login?ticket=t', expires_in_secs: 60 } },
    });
    await writeFile(join(tuic.configDirectory, 'config.json'), '{"half":');
    await writeFile(join(tuic.configDirectory, 'state.db'), 'this is not what it should be');
    await chmod(tuic.configDirectory, 0o755);
    await chmod(join(tuic.configDirectory, 'mcp.sock'), 0o666);
    const [code, states] = await ask(tuic);
    expect(states).toMatchObject({
      configuration: 'warn',
      settings: 'fail',
      database: 'fail',
      server: 'warn',
      socket: 'fail',
      'local port': 'warn',
      'remote port': 'fail',
      secrets: 'fail',
      'login link': 'fail',
    });
    expect(code).toBe(EXIT_CODES.failure);
    expect(tuic.output, 'the link is a credential').not.toContain('ticket=');
  });

  it('works without a server and without a folder, and tells that ports are taken', async () => {
    const tuic = await prepareCommandLine(cleanup);
    const blocker = createServer();
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port));
    });
    cleanup.defer(() => blocker.close());
    const env = { TUIC_CONFIG_DIR: join(tuic.configDirectory, 'not/yet'), TUIC_PORT: String(port) };
    expect(await tuic.run(['doctor', '--json'], { env })).toBe(0);
    const results = JSON.parse(tuic.output) as CheckResult[];
    const states = Object.fromEntries(results.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({
      configuration: 'ok',
      disk: expect.stringMatching(/ok|warn/),
      database: 'ok',
      server: 'warn',
      'local port': 'warn',
    });
    expect(results.find(({ name }) => name === 'server')?.next).toContain('tuic start');
  });

  it('TUIC_PORT=0 asks for any port: none is called taken, with a server and without', async () => {
    const other = {
      ipc: { path: '' },
      local: { ...local, port: 40_123 },
      remote: { state: 'off', reason: 'not enabled' },
    };
    const running = await withServer({ ...healthy, 'GET /diagnostics/listeners': { body: other } });
    const stopped = await prepareCommandLine(cleanup);
    for (const [tuic, told] of [
      [running, '40123 on 127.0.0.1, a free one as asked'],
      [stopped, 'the server will take a free one'],
    ] as const) {
      await tuic.run(['doctor', '--json'], { env: { TUIC_CONFIG_DIR: tuic.configDirectory, TUIC_PORT: '0' } });
      const results = JSON.parse(tuic.output) as CheckResult[];
      expect(results.find(({ name }) => name === 'local port')).toMatchObject({ state: 'ok', detail: told });
    }
  });

  it('asks for the Node that package.json asks for', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    expect(manifest.engines.node).toBe(`>=${LEAST_NODE}`);
  });
});
