/** The completion scripts in the shells they are for. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../scripts/lib/find-program.mjs';
import { renderFish } from '../../src/cli/completion/fish.ts';
import { renderZsh } from '../../src/cli/completion/zsh.ts';
import { buildTree } from '../../src/cli/tree.ts';
import { describeTree } from '../../src/cli/tree-description.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';

const cleanup = cleanupAfterEach();
const tree = describeTree(buildTree({ version: '9.9.9', bind: () => async () => undefined }));
const isMissing = (shell: string) => findProgram([shell], process.env.PATH) === undefined;
const run = (shell: string, args: string[]) => execFileSync(shell, args, { encoding: 'utf8', cwd: '/' });

describe('completion in its shell', () => {
  it.skipIf(isMissing('fish'))('fish offers verbs, values and names (skipped where fish is not installed)', () => {
    const lines = ['tuic st', 'tuic attach ', 'tuic tail --format ', 'tuic config '];
    const script = [
      'function tuic; printf "%s\\tmeaning\\n" $argv[2]-1; end',
      renderFish(tree),
      ...lines.map((line) => `complete -C '${line}'; echo --end--`),
    ].join('\n');
    const offered = run('fish', ['--no-config', '-c', script])
      .split('--end--\n')
      .slice(0, -1)
      .map((part) => part.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t')[0]])));
    expect(offered).toEqual([
      ['start', 'status', 'stop'],
      ['sessions-1'],
      ['log', 'text'],
      ['edit', 'get', 'ls', 'set'],
    ]);
  });

  it.skipIf(isMissing('zsh'))('zsh loads it and offers verbs (skipped where zsh is not installed)', async () => {
    const home = await cleanup.temporaryDirectory();
    // What would be shown to the person is caught where the script hands it over.
    const script = [
      'autoload -U compinit; compinit -D -u',
      renderZsh(tree),
      '_describe() { eval "print -rl -- \\$$2" }; compadd() { shift; print -rl -- $@ }',
      'words=(tuic config ""); CURRENT=3; _tuic',
      'words=(tuic tail --format ""); CURRENT=4; _tuic',
      'tuic() { printf "%s\\tit: is\\n" $2-1 }',
      'words=(tuic attach ""); CURRENT=3; _tuic',
    ].join('\n');
    const output = execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8', env: { ...process.env, HOME: home } });
    const names = output.trimEnd().split('\n');
    expect(names.slice(0, 4).map((name) => name.split(':')[0])).toEqual(['get', 'set', 'edit', 'ls']);
    expect(names.slice(4)).toEqual(['log', 'text', 'sessions-1:it: is']);
  });
});
