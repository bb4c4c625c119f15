import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type CommandLine, pipedInput, prepareCommandLine } from '../../../test/kit/command-line.ts';
import { EXIT_CODES, type UpstreamReport } from '../../contract/index.ts';
import { MCP_CLIENTS } from '../mcp-clients/clients.ts';
import { readServers, toServerName } from '../mcp-clients/servers.ts';

const cleanup = cleanupAfterEach();
let tuic: CommandLine;
let stored: { servers: Record<string, unknown>[] };
let tested: Record<string, unknown>;
let reports: UpstreamReport[];

const report = (name: string, more: Partial<UpstreamReport> = {}): UpstreamReport => ({
  name,
  status: 'ready',
  transport: { type: 'stdio', command: 'npx', args: ['x'], cwd: null },
  tool_count: 1,
  tools: [`${name}__one`],
  metrics: { call_count: 3, error_count: 0, last_latency_ms: 1 },
  last_error: null,
  ...more,
});

beforeEach(async () => {
  tuic = await prepareCommandLine(cleanup);
  stored = { servers: [] };
  tested = { ok: true, server: { name: 'x', version: '1' }, tools: [{ name: 'one', description: '' }] };
  reports = [];
  await tuic.serve({
    'GET /mcp/upstreams': () => ({ body: stored }),
    'PUT /mcp/upstreams': ({ body }) => {
      stored = (body as { config: typeof stored }).config;
      return { body: { ok: true } };
    },
    'GET /mcp/upstream-status': () => ({ body: { upstreams: reports } }),
    'POST /mcp/upstreams/test': () => ({ body: tested }),
    'POST /mcp/upstreams/reconnect': { body: { ok: true } },
    'POST /mcp/upstreams/credential': { body: { ok: true } },
    'DELETE /mcp/upstreams/credential?name=docs': { body: { ok: true } },
  });
});

describe('tuic upstream add', () => {
  it('tries a program and enters it with its secrets', async () => {
    const words = ['upstream', 'add', 'gh', '--env', 'TOKEN=a=b', '--timeout', '5', '--', 'server', 'stdio', '--x'];
    expect(await tuic.run(words)).toBe(0);
    expect(tuic.output).toBe('Added gh: 1 tool\n');
    const transport = { type: 'stdio', command: 'server', args: ['stdio', '--x'], env: { TOKEN: 'a=b' } };
    expect(stored.servers).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'gh',
        transport,
        enabled: true,
        timeout_secs: 5,
        bare: false,
      },
    ]);
  });

  it('a program that is named from here is found from there as well', async () => {
    expect(await tuic.run(['upstream', 'add', 'x', '--', './server.mjs'], { workingDirectory: '/srv' })).toBe(0);
    expect(stored.servers[0]?.transport).toMatchObject({ command: '/srv/server.mjs' });
  });

  it('enters nothing that cannot be used, and says why with what its program wrote', async () => {
    tested = { ok: false, error: 'ended with code 1', diagnostics: 'no such\u001b[2J module\n' };
    expect(await tuic.run(['upstream', 'add', 'x', '--', 'server'])).toBe(EXIT_CODES.failure);
    expect(tuic.errors).toMatch(/cannot be used: ended with code 1.*\n.*no such/);
    expect(tuic.errors).not.toContain('\u001b[2J');
    expect(stored.servers).toEqual([]);
    expect(await tuic.run(['upstream', 'add', 'x', '--no-test', '--', 'server'])).toBe(0);
    expect(stored.servers).toHaveLength(1);
  });

  it('takes a URL or a command, not both', async () => {
    for (const words of [['x'], ['x', '--url', 'http://y', '--', 'z'], ['x', '--env', 'A', '--', 'z']]) {
      expect(await tuic.run(['upstream', 'add', ...words])).toBe(EXIT_CODES.usage);
    }
    expect(stored.servers).toEqual([]);
  });
});

describe('tuic upstream ls, test, logs, rm, auth', () => {
  it('lists them with what is wrong', async () => {
    await tuic.run(['upstream', 'ls']);
    expect(tuic.output).toContain('There are none');
    reports = [
      report('files'),
      report('docs', {
        status: 'failed',
        transport: { type: 'http', url: 'https://x.example/\u001b[2J' },
        last_error: 'it cannot be reached (ECONNREFUSED)',
        tool_count: 0,
        tools: [],
      }),
    ];
    expect(await tuic.run(['upstream', 'ls', '--tools'])).toBe(0);
    expect(tuic.lines[0]).toMatch(/^NAME +STATE +TOOLS +CALLS +SERVER$/);
    expect(tuic.lines[1]).toMatch(/^files +ready +1 +3 +npx x$/);
    expect(tuic.lines[2]).toMatch(/^docs +failed +0 /);
    expect(tuic.output).toContain('docs: it cannot be reached (ECONNREFUSED)');
    expect(tuic.output).toContain('files__one');
    expect(tuic.output).not.toContain('\u001b');
  });

  it('test fails with a server that is not ready, and shows what it wrote', async () => {
    reports = [report('files'), report('x', { status: 'failed', last_error: 'gone', diagnostics: 'Traceback\n' })];
    expect(await tuic.run(['upstream', 'test', 'files'])).toBe(0);
    expect(await tuic.run(['upstream', 'test', 'x'])).toBe(EXIT_CODES.failure);
    expect(tuic.output).toMatch(/x: failed. gone\n.*Traceback/);
    expect(await tuic.run(['upstream', 'logs', 'x'])).toBe(0);
    expect(tuic.output).toBe('Traceback\n');
    expect(await tuic.run(['upstream', 'logs', 'other'])).toBe(EXIT_CODES.notFound);
  });

  it('rm takes one out and leaves the others', async () => {
    stored = {
      servers: [
        { id: 'a', name: 'a' },
        { id: 'b', name: 'b' },
      ],
    };
    expect(await tuic.run(['upstream', 'rm', 'a'])).toBe(0);
    expect(stored.servers.map(({ name }) => name)).toEqual(['b']);
    expect(await tuic.run(['upstream', 'rm', 'a'])).toBe(EXIT_CODES.notFound);
  });

  it('auth stores a token from standard input, and forgets it', async () => {
    expect(await tuic.run(['upstream', 'auth', 'docs'], { input: pipedInput('t0k', 'en\n') })).toBe(0);
    expect(tuic.asked('POST /mcp/upstreams/credential')[0]?.body).toEqual({ name: 'docs', token: 't0ken' });
    expect(tuic.output).not.toContain('t0ken');
    expect(await tuic.run(['upstream', 'auth', 'docs', '--forget'])).toBe(0);
    expect(tuic.output).toBe('The token of docs is gone\n');
  });
});

describe('tuic upstream import', () => {
  it('takes over what can be used, once, and tells the rest', async () => {
    stored = { servers: [{ id: 'a', name: 'files' }] };
    const folder = join(tuic.configDirectory, 'claude');
    await mkdir(folder);
    const mcpServers = {
      files: { command: 'x' },
      'My Docs': { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer t0ken', 'X-Y': 'z' } },
      tuicommander: { command: 'tuic-bridge' },
      odd: {},
    };
    await writeFile(join(folder, '.claude.json'), JSON.stringify({ mcpServers }));
    const surroundings = { env: { CLAUDE_CONFIG_DIR: folder, TUIC_CONFIG_DIR: tuic.configDirectory } };
    expect(await tuic.run(['upstream', 'import', 'claude', '--dry-run'], surroundings)).toBe(0);
    expect([stored.servers.length, tuic.output]).toEqual([1, expect.stringContaining('Would add my-docs')]);
    expect(await tuic.run(['upstream', 'import', 'claude'], surroundings)).toBe(0);
    expect(stored.servers.slice(1)).toMatchObject([
      { name: 'my-docs', transport: { url: 'https://x.example/mcp' }, auth: { type: 'bearer', token: 't0ken' } },
    ]);
    expect(tuic.output).toMatch(/header X-Y is not taken over.*files is there already.*odd: it has neither/s);
    expect(tuic.output).not.toContain('t0ken');
    expect(await tuic.run(['upstream', 'import', 'nobody'])).toBe(EXIT_CODES.notFound);
  });

  it('reads the forms of all clients', () => {
    const read = (id: string, document: Record<string, unknown>) => {
      const client = MCP_CLIENTS.find((each) => each.id === id);
      if (client === undefined) throw new Error(id);
      return readServers(client, document).servers;
    };
    const usual = { type: 'stdio', command: 'c', args: ['a'], env: { K: 'v' } };
    expect(
      read('codex', { mcp_servers: { x: { command: 'c', args: ['a'], env: { K: 'v' }, enabled: false } } }),
    ).toEqual([{ name: 'x', transport: usual, enabled: false, notes: [] }]);
    expect(read('opencode', { mcp: { x: { type: 'local', command: ['c', 'a'], environment: { K: 'v' } } } })).toEqual([
      { name: 'x', transport: usual, enabled: true, notes: [] },
    ]);
    expect(read('vscode', { servers: { x: { type: 'http', url: 'http://y' } } })).toMatchObject([
      { transport: { type: 'http', url: 'http://y' } },
    ]);
    expect(read('gemini', { mcpServers: { x: { httpUrl: 'http://y' } } })).toMatchObject([
      { transport: { url: 'http://y' } },
    ]);
    expect(read('cursor', { mcpServers: { x: { command: 'c', args: ['$' + '{HOME}/x'] } } })[0]?.notes).toHaveLength(1);
    expect(toServerName(' Über My_Server! ')).toBe('ber-my_server');
  });
});
