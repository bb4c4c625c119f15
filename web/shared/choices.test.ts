import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { RequestRefused } from '../../src/client/index.ts';
import { type ChoicePrompt, DEADLINES, type SessionInfo, type SessionState } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import {
  aboutRows,
  Choices,
  cardsOf,
  choiceOf,
  keepChoices,
  type OpenChoices,
  signatureOf,
  typedFor,
} from './choices.ts';
import { ONE_PANE, openSession } from './layout.ts';

const PROMPT: ChoicePrompt = {
  title: 'Do you want to proceed?',
  options: [
    { key: '1', label: 'Yes', highlighted: true, destructive: false },
    { key: '2', label: 'No, and say why', highlighted: false, destructive: true, hint: 'esc' },
  ],
  dismiss_key: 'Esc',
};
const state = (change: Partial<SessionState>): SessionState => ({
  awaiting_input: true,
  rate_limited: false,
  last_activity_ms: 0,
  ...change,
});
const asking = (id: string, prompt = PROMPT) =>
  sessionInfo(id, { display_name: id, state: state({ choice_prompt: prompt }) });
const screenOf = (command: string) =>
  [
    '● I remove the old files.',
    '─'.repeat(30),
    ' Bash command',
    '',
    `   ${command}`,
    '   Removes it',
    '',
    ' Do you want to proceed?',
    ' ❯ 1. Yes',
    '   2. No, and say why (esc)',
    '',
    ' Esc to cancel',
  ].join('\n');

function setUp(...sessions: SessionInfo[]) {
  const clock = new ManualClock();
  const store = createStore(() => ({
    sessions: new Map<string, SessionInfo>(),
    choices: new Map() as OpenChoices,
  }));
  const rig = {
    clock,
    store,
    listed: sessions,
    screen: screenOf('rm -rf build'),
    written: [] as string[],
    told: [] as string[],
    failures: [] as string[],
    refusal: undefined as Error | undefined,
    see: (...now: SessionInfo[]) => {
      rig.listed = now;
      store.setState({ sessions: new Map(now.map((one) => [one.session_id, one])) });
    },
    get: (id: string) => store.getState().choices.get(id),
  };
  const choices = new Choices({
    client: {
      sessions: {
        list: async () => rig.listed,
        textOutput: async () => ({ data: rig.screen, data_length: 0, total_written: 0 }),
        write: async (id, data) => {
          if (rig.refusal !== undefined) throw rig.refusal;
          rig.written.push(`${id}:${data}`);
        },
      },
    },
    store,
    clock,
    answered: () => undefined,
    tell: (text) => void rig.told.push(text),
    explain: (_error, what) => void rig.failures.push(what),
  });
  rig.see(...sessions);
  return { ...rig, rig, choices };
}

describe('STM-44: what an agent offers, beside its terminal', () => {
  it('is open only while the session lives and offers something', () => {
    expect(choiceOf(asking('a'))).toBe(PROMPT);
    expect(choiceOf({ ...asking('a'), lifecycle: 'lost' })).toBeUndefined();
    expect(choiceOf({ ...asking('a'), isClosing: true })).toBeUndefined();
    expect(choiceOf(asking('a', { ...PROMPT, options: [] }))).toBeUndefined();
    expect(choiceOf(sessionInfo('a', { state: state({}) }))).toBeUndefined();
  });

  it('a mark that moves is the same question, other words are another one', () => {
    const [yes, no] = PROMPT.options as [ChoicePrompt['options'][0], ChoicePrompt['options'][0]];
    const moved = {
      ...PROMPT,
      options: [
        { ...yes, highlighted: false },
        { ...no, highlighted: true },
      ],
    };
    expect(signatureOf(moved)).toBe(signatureOf(PROMPT));
    expect(signatureOf({ ...PROMPT, title: 'Proceed?' })).not.toBe(signatureOf(PROMPT));
    expect(signatureOf({ ...PROMPT, options: [yes] })).not.toBe(signatureOf(PROMPT));
  });

  it('the same words after it was closed are another question; nothing new keeps the same map', () => {
    let count = 0;
    const next = () => ++count;
    const open = keepChoices(new Map(), new Map([['a', asking('a')]]), next);
    expect(keepChoices(open, new Map([['a', asking('a')]]), next)).toBe(open);
    const closed = keepChoices(open, new Map([['a', sessionInfo('a')]]), next);
    const again = keepChoices(closed, new Map([['a', asking('a')]]), next);
    expect([open.get('a')?.asked, closed.size, again.get('a')?.asked]).toEqual([1, 0, 2]);
  });

  it('keys are typed as the server names them', () => {
    expect(['1', 'y', 'Esc', 'Tab'].map(typedFor)).toEqual(['1', 'y', '\x1b', '\t']);
  });

  it('cards are of those not in view, the one that waits longest first', () => {
    const { store, choices } = setUp(asking('a'), asking('b'), asking('c'));
    const layout = openSession(ONE_PANE, 'b');
    const cards = () => cardsOf({ choices: store.getState().choices, layout }, false);
    expect(cards()).toEqual(['a', 'c']);
    choices.turn('a');
    expect(cards()).toEqual(['c', 'a']);
    choices.putOff('c');
    expect(cards()).toEqual(['a']);
    choices.recall();
    expect(cards()).toEqual(['c', 'a']);
  });
});

describe('what a question is about', () => {
  it('is the dialog above its options without title, lines and frame', () => {
    expect(aboutRows(screenOf('rm -rf build'), PROMPT)).toEqual(['Bash command', '', '  rm -rf build', '  Removes it']);
    const framed = ['╭────────╮', '│ Edit   │', '│   a.ts │', '│ Do you want to proceed? │', '│ ❯ 1. Yes │', '╰───╯'];
    expect(aboutRows(framed.join('\n'), PROMPT)).toEqual(['Edit', '  a.ts']);
  });

  it('stands as plain text, and is nothing where no option is seen', () => {
    const screen = 'rm \u202ex\u0007 y\nDo you want to proceed?\n1. Yes\n2. No';
    expect(aboutRows(screen, PROMPT)).toEqual(['rm x y']);
    expect(aboutRows('nothing of it', PROMPT)).toEqual([]);
    expect(aboutRows('', PROMPT)).toEqual([]);
  });
});

describe('answering', () => {
  it('types the key once, and asks again only when the agent did not take it', async () => {
    const { choices, rig, clock } = setUp(asking('a'));
    await choices.look('a');
    expect(rig.get('a')?.about).toContain('  rm -rf build');
    expect(await choices.answer('a', 1, '1')).toBe(true);
    expect(await choices.answer('a', 1, '1')).toBe(false);
    expect(rig.written).toEqual(['a:1']);
    expect(rig.get('a')?.phase).toBe('sent');
    clock.advance(DEADLINES.choiceTaken);
    expect(rig.get('a')).toMatchObject({ phase: 'open', asked: 2, about: undefined });
  });

  it('types nothing when something else is asked by now, in other words or about another command', async () => {
    const { choices, rig } = setUp(asking('a'));
    await choices.look('a');
    rig.screen = screenOf('rm -rf /');
    expect(await choices.answer('a', 1, '1')).toBe(false);
    expect(rig.get('a')).toMatchObject({ phase: 'open', about: expect.arrayContaining(['  rm -rf /']) });
    rig.listed = [asking('a', { ...PROMPT, title: 'Delete it?' })];
    expect(await choices.answer('a', 1, '1')).toBe(false);
    rig.listed = [];
    expect(await choices.answer('a', 1, '1')).toBe(false);
    expect(rig.written).toEqual([]);
    expect(rig.told).toHaveLength(3);
    expect(rig.told[0]).toContain('Nothing was typed');
  });

  it('types nothing before it is known what it is about, nor for a question that was seen before', async () => {
    const { choices, rig } = setUp(asking('a'));
    expect(await choices.answer('a', 1, '1')).toBe(false);
    expect(rig.told[0]).toContain('not known yet');
    rig.see(sessionInfo('a'));
    rig.see(asking('a'));
    await choices.look('a');
    expect(await choices.answer('a', 1, '1')).toBe(false);
    expect(rig.written).toEqual([]);
    expect(await choices.answer('a', 2, 'Esc')).toBe(true);
    expect(rig.written).toEqual(['a:\x1b']);
  });

  it('a refusal is told and leaves the question open', async () => {
    const { choices, rig } = setUp(asking('a'));
    await choices.look('a');
    rig.refusal = new RequestRefused(404, 'Session not found');
    expect(await choices.answer('a', 1, '2')).toBe(false);
    expect(rig.failures).toEqual(['a could not be answered']);
    expect(rig.get('a')?.phase).toBe('open');
  });
});
