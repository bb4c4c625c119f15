import { describe, expect, it } from 'vitest';
import { CATALOGUE, findAgent } from './catalogue/index.ts';
import { buildLaunchArguments, isCodexProgram, type LaunchSubject, type LaunchWish } from './launch-arguments.ts';

function build(agentType: string, wish: Partial<LaunchWish> = {}, subject: Partial<LaunchSubject> = {}) {
  const agent = findAgent(agentType);
  return buildLaunchArguments(
    {
      file: `/opt/${agent?.binaries[0] ?? agentType}`,
      agentType,
      agent,
      skipsApprovals: false,
      isChild: false,
      canDefer: false,
      ...subject,
    },
    { prompt: 'Fix it', ...wish },
  );
}
const argumentsOf = (...given: Parameters<typeof build>) => build(...given).args;
const BYPASS = '--dangerously-bypass-approvals-and-sandbox';

describe('a prompt without other arguments', () => {
  it('AGT-4: each known agent gets it where its template says', () => {
    const known = CATALOGUE.filter(({ launch }) => launch !== undefined);
    expect(Object.fromEntries(known.map(({ id }) => [id, argumentsOf(id)]))).toEqual({
      claude: ['Fix it'],
      codex: ['Fix it'],
      gemini: ['Fix it'],
      grok: ['Fix it'],
      opencode: ['--prompt', 'Fix it'],
      aider: ['--yes-always', '--message', 'Fix it'],
      amp: ['Fix it'],
      cursor: ['Fix it'],
      goose: ['session', 'Fix it'],
      droid: ['Fix it'],
    });
    // What is built from a template relies on it.
    for (const { launch } of known) expect(launch?.at(-1)).toBe('{prompt}');
  });

  it('AGT-4: an agent without a template is refused, and the refusal says what to do', () => {
    for (const name of ['pi', 'own-agent']) expect(() => argumentsOf(name)).toThrow(/give args|Give args/);
  });

  it('AGT-6: options go before the prompt of claude, behind that of the others', () => {
    const wish = { print_mode: true, output_format: 'json', model: 'opus' };
    expect(argumentsOf('claude', wish)).toEqual(['--print', '--output-format', 'json', '--model', 'opus', 'Fix it']);
    expect(build('gemini', wish)).toEqual({
      args: ['Fix it', '--model', 'opus'],
      dropped: ['--print', '--output-format'],
    });
    expect(argumentsOf('claude', { print_mode: false, output_format: null, model: null })).toEqual(['Fix it']);
  });

  it('a prompt like an option is not taken for one', () => {
    const wish = { prompt: '--help', model: 'm' };
    expect(argumentsOf('claude', wish)).toEqual(['--model', 'm', '--', '--help']);
    expect(argumentsOf('goose', wish)).toEqual(['session', '--model', 'm', '--', '--help']);
    expect(argumentsOf('aider', wish)).toEqual(['--yes-always', '--message=--help', '--model', 'm']);
    expect(argumentsOf('claude', { ...wish, args: ['--verbose'] })).toEqual([
      '--verbose',
      '--model',
      'm',
      '--',
      '--help',
    ]);
  });
});

describe('arguments of the caller', () => {
  it('AGT-4: {prompt} is replaced wherever it stands, as text', () => {
    const prompt = "cost $& $1 '{prompt}'";
    expect(argumentsOf('gemini', { prompt, args: ['-i', 'Do: {prompt}', '{prompt}'] })).toEqual([
      '-i',
      `Do: ${prompt}`,
      prompt,
    ]);
  });

  it('AGT-4: flags alone keep their order, and the prompt is the last', () => {
    expect(argumentsOf('gemini', { args: ['--yolo', '-d'], model: 'pro' })).toEqual([
      '--yolo',
      '-d',
      '--model',
      'pro',
      'Fix it',
    ]);
    expect(argumentsOf('own-agent', { args: [] })).toEqual(['Fix it']);
    expect(argumentsOf('claude', { args: ['-x', '--', 'a'], model: 'opus' })).toEqual([
      '-x',
      '--model',
      'opus',
      '--',
      'a',
      'Fix it',
    ]);
  });

  it('AGT-6: what stands there already is refused, or not given twice', () => {
    for (const args of [['--model', 'a'], ['--model=a']])
      expect(() => argumentsOf('gemini', { args, model: 'b' })).toThrow(/--model/);
    expect(() => argumentsOf('claude', { args: ['--output-format=text'], output_format: 'json' })).toThrow(
      /--output-format/,
    );
    expect(argumentsOf('claude', { args: ['-p'], print_mode: true })).toEqual(['-p', 'Fix it']);
    expect(argumentsOf('gemini', { args: ['--', '--model'], model: 'b' })).toEqual([
      '--model',
      'b',
      '--',
      '--model',
      'Fix it',
    ]);
  });
});

describe('a run configuration', () => {
  it('AGT-4: is taken as it was written: the prompt where it says, else last', () => {
    expect(argumentsOf('claude', {}, { configured: ['--task={prompt}', '-v'], isChild: true })).toEqual([
      '--task=Fix it',
      '-v',
    ]);
    expect(argumentsOf('codex', { args: ['-q'] }, { file: '/opt/wrap', configured: ['run'] })).toEqual([
      'run',
      '-q',
      'Fix it',
    ]);
  });
});

describe('codex', () => {
  it('AGT-5: is known by its program, under any extension and either slash', () => {
    const names = ['/opt/codex', 'C:\\tools\\Codex.EXE', 'codex.cmd', '/opt/codex-wrapper', '/codex/run', 'xcodex'];
    expect(names.map(isCodexProgram)).toEqual([true, true, true, false, false, false]);
  });

  it('AGT-5: asks nobody, unless somebody decided otherwise', () => {
    const on = { skipsApprovals: true };
    expect(argumentsOf('codex', {}, on)).toEqual([BYPASS, 'Fix it']);
    expect(argumentsOf('codex', { args: ['exec', '--json'] }, on)).toEqual([BYPASS, 'exec', '--json', 'Fix it']);
    expect(argumentsOf('codex', { args: ['--', BYPASS] }, on)[0]).toBe(BYPASS);
    for (const own of [[BYPASS], ['--yolo'], ['-a', 'never'], ['--sandbox=read-only'], ['--full-auto']])
      expect(argumentsOf('codex', { args: own }, on)).toEqual([...own, 'Fix it']);
    expect(argumentsOf('codex')).toEqual(['Fix it']);
    expect(argumentsOf('gemini', {}, on)).toEqual(['Fix it']);
  });

  it('AGT-5: a wrapper is left as it is, and that is told', () => {
    const made = build('codex', {}, { file: '/opt/wrap', configured: ['{prompt}'], skipsApprovals: true });
    expect(made).toEqual({ args: ['Fix it'], dropped: [], warning: expect.stringContaining('approval') });
    expect(build('codex', {}, { skipsApprovals: true })).not.toHaveProperty('warning');
  });
});

describe('an agent that takes its prompt later', () => {
  const later = { canDefer: true };

  it('AGT-4, AGT-5: gets it typed when the caller gave flags alone', () => {
    expect(build('codex', { args: ['-q'], model: 'm' }, later)).toEqual({
      args: ['-q', '--model', 'm'],
      dropped: [],
      deferredPrompt: 'Fix it',
    });
    expect(build('opencode', { args: [] }, later)).toEqual({ args: [], dropped: [], deferredPrompt: 'Fix it' });
  });

  it.each([
    ['its template', 'codex', {}, later],
    ['{prompt} in the arguments', 'codex', { args: ['{prompt}'] }, later],
    ['a run configuration', 'codex', {}, { ...later, file: '/opt/codex', configured: [] }],
    ['a mode without a window', 'codex', { args: ['exec', '--json'] }, later],
    ['an agent that takes it at once', 'claude', { args: ['-v'] }, later],
    ['nobody who could type', 'codex', { args: ['-q'] }, {}],
  ])('is given it at once: %s', (_, name, wish, subject) => {
    const made = build(name, wish, subject);
    expect(made).not.toHaveProperty('deferredPrompt');
    expect(made.args.at(-1)).toBe('Fix it');
  });
});

describe('a claude that another agent starts', () => {
  it('AGT-11: can be written to while it works', () => {
    const channel = ['--dangerously-load-development-channels', 'server:tuicommander'];
    const child = { isChild: true };
    expect(argumentsOf('claude', {}, child)).toEqual([...channel, '--', 'Fix it']);
    expect(argumentsOf('claude', { model: 'm' }, child)).toEqual(['--model', 'm', ...channel, '--', 'Fix it']);
    expect(argumentsOf('claude', { args: ['-v'] }, child)).toEqual(['-v', ...channel, '--', 'Fix it']);
    expect(argumentsOf('claude', { args: ['{prompt}', '-v'] }, child)).toEqual(['Fix it', '-v', ...channel]);
    expect(argumentsOf('claude', { args: ['-v', '--', '{prompt}'] }, child)).toEqual([
      '-v',
      ...channel,
      '--',
      'Fix it',
    ]);
    for (const subject of [child, {}])
      expect(argumentsOf('claude', { args: channel }, subject)).toEqual([...channel, '--', 'Fix it']);
    expect(argumentsOf('gemini', {}, child)).toEqual(['Fix it']);
  });
});
