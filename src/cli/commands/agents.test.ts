import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type CommandLine, prepareCommandLine } from '../../../test/kit/command-line.ts';

const cleanup = cleanupAfterEach();
let tuic: CommandLine;
beforeEach(async () => {
  tuic = await prepareCommandLine(cleanup);
});

const absent = { name: 'aider', path: null, version: null };
const serve = (agents: object[], ides: string[]) => tuic.serve({ 'GET /agents/detect': { body: { agents, ides } } });

describe('tuic agents ls', () => {
  it('lists those that are here with version and program, then the names of the others', async () => {
    await serve(
      [
        { name: 'claude', path: '/opt/a/claude', version: '2.1.332' },
        { name: 'codex', path: '/opt/a\u001b[2J/codex', version: null },
        absent,
      ],
      ['vscode'],
    );
    expect(await tuic.run(['agents', 'ls'])).toBe(0);
    expect(tuic.lines[0]).toMatch(/^AGENT +VERSION +PROGRAM$/);
    expect(tuic.lines[1]).toMatch(/^claude +2\.1\.332 +\/opt\/a\/claude$/);
    expect(tuic.lines[2]).toMatch(/^codex +\? /);
    expect(tuic.lines.slice(3)).toEqual(['not here: aider', 'editors: vscode']);
    expect(tuic.output).not.toContain('\u001b');
  });

  it('says so when there is none, and gives all as JSON', async () => {
    await serve([absent], []);
    expect(await tuic.run(['agents', 'ls'])).toBe(0);
    expect(tuic.lines).toEqual(['No known agent is on this machine', 'not here: aider']);
    await tuic.run(['agents', 'ls', '--json']);
    expect(JSON.parse(tuic.output)).toEqual({ agents: [absent], ides: [] });
  });
});

describe('tuic agents start', () => {
  const created = { session_id: 'a1', alias: 'pr-1' };

  it('gives the agent its prompt in this folder, and says where it runs', async () => {
    await tuic.serve({ 'POST /sessions/agent': { status: 201, body: created } });
    expect(await tuic.run(['agents', 'start', 'codex', 'Fix', 'the tests'])).toBe(0);
    expect(tuic.lines).toEqual(['pr-1  a1']);
    await tuic.run(['agents', 'start', '-C', '/srv', '-n', 'one', '-m', 'opus', '--json', 'claude', '--', '-x']);
    expect(JSON.parse(tuic.output)).toEqual(created);
    expect(tuic.requests.map(({ body }) => body)).toEqual([
      { agent_type: 'codex', prompt: 'Fix the tests', cwd: '/home/user/project' },
      {
        agent_type: 'claude',
        prompt: '-x',
        cwd: '/srv',
        model: 'opus',
        display_name: 'one',
        display_name_is_custom: true,
      },
    ]);
  });

  it('tells a warning beside its answer, and a refusal as a failure', async () => {
    await tuic.serve({ 'POST /sessions/agent': { status: 201, body: { ...created, launch_warning: 'a\u001bb' } } });
    expect(await tuic.run(['agents', 'start', 'own', 'x'])).toBe(0);
    expect([tuic.lines, tuic.errors]).toEqual([['pr-1  a1'], expect.not.stringContaining('\u001b')]);
    expect(tuic.errors).toContain('a');
    expect(await tuic.run(['agents', 'start', 'claude'])).toBe(2);
  });
});

describe('tuic agents resume', () => {
  it('goes on with the conversation that is known, or the one that is named', async () => {
    const body = { session_id: 'a1', alias: 'pr-1', agent_session: 'c1' };
    await tuic.serve({ 'POST /sessions/tu-1/resume-agent': { status: 201, body } });
    expect(await tuic.run(['agents', 'resume', 'tu-1'])).toBe(0);
    expect(tuic.lines).toEqual(['pr-1  a1']);
    await tuic.run(['agents', 'resume', '--json', '-c', 'c1', 'tu-1']);
    expect(JSON.parse(tuic.output)).toEqual(body);
    expect(tuic.requests.map((request) => request.body)).toEqual([{}, { agent_session: 'c1' }]);
    expect(await tuic.run(['agents', 'resume', 'tu-2'])).toBe(4);
  });
});
