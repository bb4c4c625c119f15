/** The judge of the state engine is itself judged: each fault that it must see. */
import { expect, it } from 'vitest';
import { judge, type PlayedTurn, type ToldState } from '../agents/judge.ts';
import { formatScore, putScore } from '../agents/score-table.ts';

const TURN: PlayedTurn = {
  kind: 'approval',
  submittedAt: 1_000,
  dialogs: [{ askedAt: 2_000, answeredAt: 4_000 }],
  endedAt: 6_000,
  explicitAt: undefined,
  outputs: [1_100, 2_100, 4_100, 6_100],
  until: 12_000,
};
const GOOD: ToldState[] = [
  { at: 500, state: 'idle' },
  { at: 1_200, state: 'working' },
  { at: 2_300, state: 'awaiting_input' },
  { at: 4_200, state: 'working' },
  { at: 9_000, state: 'idle' },
];

const wrongs = (turn: PlayedTurn, told: ToldState[]) =>
  judge(turn, told).transitions.flatMap(({ what, wrong }) => (wrong === undefined ? [] : [`${what}: ${wrong}`]));
const without = (at: number) => GOOD.filter((told) => told.at !== at);
const moved = (at: number, to: number) => GOOD.map((told) => (told.at === at ? { ...told, at: to } : told));

it('finds nothing where nothing is wrong', () => {
  expect(judge(TURN, GOOD)).toMatchObject({ falseIdle: 0, falseCompleted: 0 });
  expect(judge(TURN, GOOD).transitions).toHaveLength(4);
  expect(wrongs(TURN, GOOD)).toEqual([]);
});

it.each<[string, ToldState[], string[]]>([
  ['a late beginning', moved(1_200, 1_600), ['begins: worked after 0.6 s']],
  ['a beginning before the submit', moved(1_200, 800), ['begins: was working before']],
  ['a question that is not told', without(2_300), ['asks: was working while it asked']],
  ['an answer that is not seen', without(4_200), ['goes on: still awaits after the answer']],
  ['no end', without(9_000), ['ends: never ended']],
  ['a late end', moved(9_000, 9_700), ['ends: ended after 3.7 s']],
  ['work after the end', [...GOOD, { at: 10_000, state: 'working' }], ['ends: working again after the end']],
])('sees %s', (_, told, expected) => {
  expect(wrongs(TURN, told)).toEqual(expected);
});

it('counts an end in the middle of a turn, whatever comes after it', () => {
  const told = [...GOOD.slice(0, 4), { at: 5_000, state: 'idle' }, { at: 5_500, state: 'working' }, ...GOOD.slice(4)];
  expect(judge(TURN, told).falseIdle).toBe(1);
  expect(judge(TURN, [...GOOD.slice(0, 4), { at: 5_000, state: 'idle' }]).falseIdle).toBe(1);
});

it('counts every completed: none of these tasks says that it is', () => {
  const told = GOOD.map((each) => (each.at === 9_000 ? { ...each, state: 'completed' } : each));
  expect(judge(TURN, told).falseCompleted).toBe(1);
});

it('grants one second after what the agent said itself', () => {
  expect(wrongs({ ...TURN, explicitAt: 6_200 }, moved(9_000, 7_100))).toEqual([]);
  expect(wrongs({ ...TURN, explicitAt: 6_200 }, moved(9_000, 7_300))).toEqual(['ends: ended after 1.3 s']);
});

it('does not wait for ever for one that never stops drawing', () => {
  const outputs = Array.from({ length: 100 }, (_, index) => 6_000 + index * 100);
  expect(wrongs({ ...TURN, outputs, until: 20_000 }, moved(9_000, 12_500))).toEqual(['ends: ended after 6.5 s']);
});

it('prints the figures of each set and counts faults of one kind, and what could not be played', () => {
  const late = judge(TURN, moved(9_000, 9_700));
  const text = formatScore({
    agent: 'claude',
    version: '1.0',
    date: new Date(0),
    sets: {
      tuning: [
        { kind: 'a', verdict: judge(TURN, GOOD), history: '' },
        { kind: 'a', verdict: late, history: '' },
        { kind: 'a', verdict: judge(TURN, moved(9_000, 9_800)), history: '' },
        { kind: 'b', verdict: undefined, history: 'it did not start' },
      ],
    },
  });
  expect(text.split('\n').slice(-6)).toEqual([
    '| tuning | 3 of 4 played | 10 of 12 | 0.20 s, 0.20 s | 3.70 s, 3.80 s | 0 | 0 |',
    '',
    'Wrong:',
    '',
    '- 2 x a (tuning): ends: ended after too long',
    '- 1 x b (tuning): not played: it did not start',
  ]);
  const page = 'before\n<!-- score claude -->\nold\n<!-- end claude -->\nafter';
  expect(putScore(page, 'claude', 'new')).toBe('before\n<!-- score claude -->\nnew\n<!-- end claude -->\nafter');
  expect(() => putScore(page, 'codex', 'new')).toThrow('no place for codex');
});
