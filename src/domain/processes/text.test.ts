import { describe, expect, it } from 'vitest';
import { commandText, showable } from './text.ts';

describe('text of programs', () => {
  it('hostile text becomes one line without control and direction characters', () => {
    expect(showable('a\u001b[2Jb\nc\u202ed\u2028e\u009bf')).toBe('a\ufffd[2Jb\ufffdc\ufffdd\ufffde\ufffdf');
    expect(commandText(['sh', '-c', 'echo <script>\u0007'], 'sh')).toBe('sh -c echo <script>\ufffd');
  });

  it('stands in brackets without arguments', () => {
    expect(commandText([], 'kworker')).toBe('[kworker]');
    expect(commandText(null, 'a\nb')).toBe('[a\ufffdb]');
  });

  it('X10: takes secrets out', () => {
    const planted = 'canary-7';
    for (const values of [
      ['curl', '-H', `Authorization: Bearer ${planted}`],
      ['tool', `--password=${planted}`],
      ['tool', '--api-key', planted],
      ['tool', '--github-token', planted, '--verbose'],
      ['env', `GITHUB_TOKEN=${planted}`, 'gh'],
      ['open', `http://x/?ticket=${planted}&a=1`],
    ]) {
      expect(commandText(values, 'x')).not.toContain(planted);
    }
    // What only looks like one stays.
    expect(commandText(['tool', '--token', '--verbose', '--tokens-left'], 'x')).toBe(
      'tool --token --verbose --tokens-left',
    );
  });
});
