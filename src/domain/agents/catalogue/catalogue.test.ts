import { describe, expect, it } from 'vitest';
import { CATALOGUE, findAgent } from './index.ts';

describe('catalogue', () => {
  it('names each agent, program and alias once, and as they can be looked up', () => {
    const names = CATALOGUE.flatMap(({ id, binaries, aliases }) => [...new Set([id, ...binaries, ...aliases])]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z-]*$/.test(name))).toEqual([]);
    for (const agent of CATALOGUE) expect(findAgent(agent.binaries[0].toUpperCase())).toBe(agent);
    expect(findAgent('cursor-agent')?.id).toBe('cursor');
    expect(findAgent('claude-code')?.id).toBe('claude');
    expect(findAgent('constructor')).toBeUndefined();
  });

  it('says how each is launched: the prompt has its place, and where that is not known nothing is guessed', () => {
    for (const { launch, resume } of CATALOGUE) {
      if (launch !== undefined) expect(launch.filter((part) => part === '{prompt}')).toHaveLength(1);
      if (resume !== undefined) expect(resume.filter((part) => part === '{session}')).toHaveLength(1);
    }
    expect(CATALOGUE.filter(({ launch }) => launch === undefined).map(({ id }) => id)).toEqual([
      'pi',
      'qwen',
      'copilot',
    ]);
    expect(CATALOGUE.filter(({ isPrefillOnly }) => isPrefillOnly).map(({ id }) => id)).toEqual(['codex', 'opencode']);
    expect(CATALOGUE.filter(({ verified }) => verified).map(({ id }) => id)).toEqual([
      'claude',
      'codex',
      'gemini',
      'opencode',
    ]);
  });

  it.each([
    ['claude', '2.1.332 (Claude Code)\n', '2.1.332'],
    ['claude', 'claude 1.0.0, a tool for clouds\n', undefined],
    ['codex', 'WARNING: a notice\ncodex-cli 0.171.0\n', '0.171.0'],
    ['codex', '0.171.0\n', undefined],
    ['opencode', '1.18.33\n', '1.18.33'],
    ['opencode', 'node: 20.1.0 is too old\n', undefined],
    ['gemini', '0.61.0-preview.1\n', '0.61.0-preview.1'],
    ['aider', 'aider 0.86.1\n', '0.86.1'],
    ['amp', '0.0.1756-gab12 (released 2026-01-01)\n', '0.0.1756-gab12'],
    ['cursor', '2026.09.18-7ae6800\n', '2026.09.18-7ae6800'],
    ['goose', ' 1.9.3\n', '1.9.3'],
    ['grok', 'grok v0.3.1\n', '0.3.1'],
    ['droid', 'usage: droid [options]\n', undefined],
  ])('reads the version of %s from %j', (id, output, version) => {
    expect(findAgent(id)?.readVersion(output)).toBe(version);
  });
});
