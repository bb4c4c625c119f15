/** The turns that the state engine is scored by: those it may be tuned on, and others that are kept apart. */
import { type FakeModelServer, journalNow } from '../kit/fake-models/server.ts';
import type { AgentTerminal } from './agent-terminal.ts';
import type { Sequence } from './habits.ts';
import type { PlayedTurn } from './judge.ts';

export interface TurnPlayer {
  terminal: AgentTerminal;
  models: FakeModelServer;
}

/** What one turn did, before anybody looked at what was told of it. */
export type Played = Pick<PlayedTurn, 'submittedAt' | 'dialogs' | 'endedAt'>;

export interface TurnKind {
  kind: string;
  play(player: TurnPlayer): Promise<Played>;
}

const pass = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
/** A person reads a question before the answer; some agents take no keys before. Silence of an agent counts after 2.5 s. */
const READING = 3_200;
/** A turn that does not come is not played. */
const PATIENCE = 25_000;

/** The model's last byte of the turn itself: what is asked beside it is offered no tools. */
async function lastByte({ models }: TurnPlayer, known: number, isLast: (kind: string) => boolean): Promise<number> {
  const turn = await models.changed.until(
    'the end of the turn',
    () => {
      const last = models.journal.slice(known).findLast(({ request }) => request.tools.length > 0);
      return last !== undefined && isLast(last.answer.kind) && last.endedAt !== undefined ? last : undefined;
    },
    undefined,
    PATIENCE,
  );
  return turn.endedAt ?? 0;
}
const isAnswer = (kind: string) => kind !== 'tool';

function plain(text: string): TurnKind['play'] {
  return async (player) => {
    const known = player.models.journal.length;
    const submittedAt = await player.terminal.submit(text);
    return { submittedAt, dialogs: [], endedAt: await lastByte(player, known, isAnswer) };
  };
}

async function hold({ terminal, models }: TurnPlayer): Promise<{ submittedAt: number; known: number }> {
  const known = models.journal.length;
  const submittedAt = await terminal.submit('CUE:held');
  await models.changed.until('the answer to be held', () => models.heldCount > 0, undefined, PATIENCE);
  return { submittedAt, known };
}

function slow(milliseconds: number, meanwhile?: (player: TurnPlayer) => Promise<unknown>): TurnKind['play'] {
  return async (player) => {
    const { submittedAt, known } = await hold(player);
    await pass(milliseconds / 2);
    await meanwhile?.(player);
    await pass(milliseconds / 2);
    player.models.release();
    return { submittedAt, dialogs: [], endedAt: await lastByte(player, known, isAnswer) };
  };
}

/** When the last key was sent. */
async function press({ terminal }: TurnPlayer, sequence: Sequence): Promise<number> {
  let at = 0;
  for (const step of sequence) {
    if (typeof step === 'string') at = await terminal.keys(step);
    else await terminal.shows(step);
  }
  return at;
}

function interrupted(milliseconds: number, by: 'escape' | 'controlC'): TurnKind['play'] {
  return async (player) => {
    const { submittedAt } = await hold(player);
    await pass(milliseconds);
    const { habits } = player.terminal;
    const endedAt = await press(player, habits[by] ?? habits.escape);
    await player.models.changed.until('the agent to hang up', () => player.models.heldCount === 0);
    return { submittedAt, dialogs: [], endedAt };
  };
}

function refused(cue: string): TurnKind['play'] {
  return async (player) => {
    const { models, terminal } = player;
    const known = models.journal.length;
    const submittedAt = await terminal.submit(cue);
    await models.changed.until('the refusal', () => models.journal[known]?.endedAt);
    await pass(4_000);
    if (await terminal.isShowing(terminal.habits.working)) {
      const endedAt = await press(player, terminal.habits.escape);
      await terminal.shows(terminal.habits.working, { gone: true });
      return { submittedAt, dialogs: [], endedAt };
    }
    // It has given up by itself.
    return { submittedAt, dialogs: [], endedAt: models.journal.findLast(({ endedAt }) => endedAt)?.endedAt ?? 0 };
  };
}

/** The same keys once more would take it back. */
const asksAlready = new WeakSet<AgentTerminal>();

function asking(cue: string, what: 'approve' | 'deny' | 'answer', reading = READING): TurnKind['play'] {
  return async (player) => {
    const { models, terminal } = player;
    const { habits } = terminal;
    const known = models.journal.length;
    const pattern = what === 'answer' ? habits.question : habits.approval;
    if (what === 'answer' && habits.beforeQuestion !== undefined && !asksAlready.has(terminal)) {
      asksAlready.add(terminal);
      await terminal.keys(habits.beforeQuestion);
      await pass(800);
    }
    const submittedAt = await terminal.submit(cue);
    const askedAt = await lastByte(player, known, (kind) => kind === 'tool');
    await terminal.shows(pattern);
    await pass(reading);
    const answeredAt = await terminal.keys(habits[what]);
    await terminal.shows(pattern, { gone: true });
    const endedAt = what === 'deny' ? answeredAt : await lastByte(player, known, isAnswer);
    return { submittedAt, dialogs: [{ askedAt, answeredAt }], endedAt };
  };
}

async function pasted(player: TurnPlayer): Promise<Played> {
  const { models, terminal } = player;
  const known = models.journal.length;
  await terminal.keys('\u001b[200~First of three lines\nthe second\nCUE:plain pasted\u001b[201~');
  await pass(1_000);
  const submittedAt = await terminal.keys('\r');
  return { submittedAt, dialogs: [], endedAt: await lastByte(player, known, isAnswer) };
}

/** Typed, left alone for longer than silence takes, taken back: none of it is a turn. */
async function afterHalfALine(player: TurnPlayer): Promise<Played> {
  await player.terminal.keys('half a line');
  await player.terminal.shows(/half a line/);
  await pass(READING);
  await player.terminal.keys('\u0015');
  await player.terminal.shows(/half a line/, { gone: true });
  await pass(1_000);
  return await plain('CUE:plain after it')(player);
}

const resized = (cols: number, rows: number) => slow(4_000, ({ terminal }) => terminal.resize({ cols, rows }));
const times = (count: number, kind: string, play: TurnKind['play']): TurnKind[] =>
  Array.from({ length: count }, () => ({ kind, play }));

export const TURNS: Record<'tuning' | 'kept apart', readonly TurnKind[]> = {
  tuning: [
    ...times(6, 'plain', plain('CUE:plain one')),
    ...times(4, 'slow', slow(1_000)),
    ...times(4, 'slower than silence', slow(4_000)),
    ...times(4, 'approval, yes', asking('CUE:approval touch made.txt', 'approve')),
    ...times(2, 'approval, no', asking('CUE:approval touch made.txt', 'deny')),
    ...times(3, 'Escape', interrupted(1_500, 'escape')),
    ...times(1, 'Ctrl-C', interrupted(1_500, 'controlC')),
    ...times(1, 'rate limit', refused('CUE:rate-limit')),
    ...times(1, 'overload', refused('CUE:overload')),
    ...times(1, 'resize', resized(90, 28)),
    ...times(3, 'question', asking('CUE:question', 'answer')),
  ],
  'kept apart': [
    { kind: 'plain', play: plain('Please say something. CUE:plain') },
    { kind: 'plain, after half a line', play: afterHalfALine },
    { kind: 'pasted lines', play: pasted },
    { kind: 'slow', play: slow(2_600) },
    { kind: 'slower than silence', play: slow(8_000) },
    { kind: 'resize', play: resized(120, 40) },
    { kind: 'approval, yes, slowly', play: asking('CUE:approval touch other.txt', 'approve', 6_000) },
    { kind: 'Escape', play: interrupted(4_000, 'escape') },
    { kind: 'overload', play: refused('CUE:overload') },
    { kind: 'question', play: asking('CUE:question', 'answer', 5_000) },
  ],
};

/** Waits until the end was told, but not for ever; then a little longer, so that what comes after it is seen. */
export async function settled(hasEnded: () => boolean): Promise<number> {
  const end = journalNow() + 7_000;
  while (!hasEnded() && journalNow() < end) await pass(20);
  await pass(1_200);
  return journalNow();
}
