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
