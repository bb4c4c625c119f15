import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { prepareCommandLine } from '../../../test/kit/command-line.ts';
import { EVENT_NAMES, EXIT_CODES } from '../../contract/index.ts';
import { buildTree } from '../tree.ts';
import { describeTree, everyVerb } from '../tree-description.ts';
import { renderBash } from './bash.ts';
import { renderFish } from './fish.ts';
import { renderZsh } from './zsh.ts';

const cleanup = cleanupAfterEach();
const tree = describeTree(buildTree({ version: '9.9.9', bind: () => async () => undefined }));

/** What bash offers for each command line; `tuic complete KIND` answers with two names of that kind. */
function completeInBash(lines: readonly (readonly string[])[]): string[][] {
  const script = [
    'tuic() { printf "%s\\tmeaning\\n" "$2-1" "$2 2"; }',
    renderBash(tree),
    ...lines.map((words) => {
      const list = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _tuic; printf '%s\\n' "\${COMPREPLY[@]}" "--end--"`;
    }),
  ].join('\n');
  const output = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', cwd: '/' });
  return output
    .split('--end--\n')
    .slice(0, -1)
    .map((part) => part.split('\n').filter((word) => word !== ''));
}

describe('completion', () => {
  it('bash: verbs, options, values and names, also behind options and inside groups', () => {
    const [verbs, sub, options, sessions, more, values, events, folders] = completeInBash([
      ['tuic', 'st'],
      ['tuic', 'config', ''],
      ['tuic', 'tail', '--f'],
      ['tuic', 'attach', ''],
      ['tuic', '--instance', 'x', 'kill', 'one', 'sess'],
      ['tuic', 'tail', '--format', ''],
      ['tuic', 'events', 'session-c'],
      ['tuic', 'new', '-C', '/et'],
    ]);
    expect(verbs).toEqual(['start', 'stop', 'status']);
    expect(sub).toEqual(['get', 'set', 'edit', 'ls']);
    expect(options).toEqual(['--follow', '--format']);
    expect(sessions).toEqual(['sessions-1', 'sessions 2']);
    expect(more).toEqual(['sessions-1', 'sessions 2']);
    expect(values).toEqual(['log', 'text']);
    expect(events).toEqual(EVENT_NAMES.filter((name) => name.startsWith('session-c')));
    expect(folders).toEqual(['/etc']);
  });

  it('zsh and fish: every verb and every option is in them, with its description quoted', () => {
    for (const script of [renderZsh(tree), renderFish(tree)]) {
      for (const { path, options } of everyVerb(tree)) {
        expect(script).toContain(path.map((part) => `/${part}`).join(''));
        for (const { long } of options) expect(script).toContain(long.slice(2));
      }
      expect(script).not.toContain('report-to-parent');
      expect(script).not.toContain("terminal's");
    }
  });

  it('prints the script of the shell that is asked for, else that of the person', async () => {
    const tuic = await prepareCommandLine(cleanup);
    expect(await tuic.run(['completion', 'fish'])).toBe(0);
    expect(tuic.output).toBe(renderFish(tree));
    expect(await tuic.run(['completion'], { env: { SHELL: '/usr/bin/zsh' } })).toBe(0);
    expect(tuic.output).toBe(renderZsh(tree));
    expect(await tuic.run(['completion'], { env: { SHELL: '/bin/csh' } })).toBe(EXIT_CODES.usage);
    expect(await tuic.run(['completion', 'csh'])).toBe(EXIT_CODES.usage);
    expect(tuic.errors).toContain('bash');
  });

  it('gives names a line each, and nothing while no server runs', async () => {
    const tuic = await prepareCommandLine(cleanup);
    for (const kind of ['sessions', 'settings', 'captures']) {
      expect(await tuic.run(['complete', kind])).toBe(0);
      expect(tuic.output + tuic.errors).toBe('');
    }
    await tuic.serve({
      'GET /sessions': {
        body: [
          { session_id: 'one', alias: 'pr-1', title: 'evil\n\tx' },
          { session_id: 'two', cwd: '/p' },
        ],
      },
      'GET /config': { body: { a: { 'b.c': 1 } } },
    });
    await tuic.run(['complete', 'sessions']);
    expect(tuic.lines).toEqual(['pr-1\tevil\ufffd\ufffdx', 'two\t/p']);
    await tuic.run(['complete', 'settings']);
    expect(tuic.lines).toEqual(['a."b.c"\t1']);
    await tuic.run(['--help']);
    expect(tuic.output).not.toContain('complete ');
  });
});
