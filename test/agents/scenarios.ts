/** What is recorded of each agent: a short scene each, from its start on. */
import type { FakeModelServer } from '../kit/fake-models/server.ts';
import type { AgentTerminal } from './agent-terminal.ts';
import type { Sequence } from './habits.ts';
import type { TruthRecorder } from './truth-recorder.ts';

export interface Scene {
  terminal: AgentTerminal;
  truth: TruthRecorder;
  models: FakeModelServer;
}

export interface Scenario {
  name: string;
  about: string;
  play(scene: Scene): Promise<void>;
}

/** Long enough for silence to count (2.5 s of an agent), so that a wrong idle would show. */
const LONG = 3_500;
/** A dialog takes no keys in its first moments: some agents guard it against what was typed ahead. */
const MOMENT = 1_200;

const pass = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

async function submit({ terminal, truth }: Scene, text: string): Promise<void> {
  const at = await terminal.submit(text);
  truth.mark('submit', at, text);
  truth.state('working', at);
}

/** Until the turn with the tools has its last byte. */
async function turnEnds({ models, truth }: Scene, known: number): Promise<void> {
  const turn = await models.changed.until('the end of the turn', () => {
    const last = models.journal.slice(known).findLast(({ request }) => request.tools.length > 0);
    return last !== undefined && last.answer.kind !== 'tool' && last.endedAt !== undefined ? last : undefined;
  });
  truth.state('idle', turn.endedAt ?? 0);
}

async function ask(scene: Scene, text: string): Promise<void> {
  const known = scene.models.journal.length;
  await submit(scene, text);
  await turnEnds(scene, known);
}

/** Gives the number of turns that were known before. */
async function held(scene: Scene): Promise<number> {
  const known = scene.models.journal.length;
  await submit(scene, 'CUE:held');
  await scene.models.changed.until('the answer to be held', () => scene.models.heldCount > 0);
  return known;
}

async function release(scene: Scene, known: number): Promise<void> {
  scene.truth.mark('release', scene.truth.now(), '');
  scene.models.release();
  await turnEnds(scene, known);
}

async function keys({ terminal, truth }: Scene, data: string): Promise<number> {
  const at = await terminal.keys(data);
  truth.mark('keys', at, JSON.stringify(data));
  return at;
}

async function seen({ terminal, truth }: Scene, pattern: RegExp, gone = false): Promise<number> {
  const at = await terminal.shows(pattern, { gone });
  truth.mark('seen', at, `${gone ? 'no longer ' : ''}${pattern.source}`);
  return at;
}

async function press(scene: Scene, sequence: Sequence): Promise<void> {
  for (const step of sequence) await (typeof step === 'string' ? keys(scene, step) : seen(scene, step));
}

async function interruptedBy(scene: Scene, sequence: Sequence): Promise<void> {
  await press(scene, sequence);
  await scene.models.changed.until('the agent to hang up', () => scene.models.heldCount === 0);
  scene.truth.state('idle', await seen(scene, scene.terminal.habits.interrupted));
}

/** A question of the agent, and its answer. */
async function dialog(scene: Scene, cue: string, pattern: RegExp, answer: string): Promise<void> {
  await submit(scene, cue);
  scene.truth.state('awaiting_input', await seen(scene, pattern));
  await pass(MOMENT);
  scene.truth.state('working', await keys(scene, answer));
}

async function failing(scene: Scene, cue: string): Promise<void> {
  const { models, terminal, truth } = scene;
  const known = models.journal.length;
  await submit(scene, cue);
  await models.changed.until('the refusal', () => models.journal[known]?.endedAt);
  await pass(4_500);
  if (await terminal.isShowing(terminal.habits.working)) {
    await press(scene, terminal.habits.escape);
    truth.state('idle', await seen(scene, terminal.habits.working, true));
  } else {
    // It has given up by itself, after as many attempts as it makes.
    truth.state('idle', models.journal.slice(known).findLast(({ endedAt }) => endedAt)?.endedAt ?? 0);
  }
  await pass(LONG);
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'start', about: 'Its start, and then nothing.', play: () => pass(LONG) },
  {
    name: 'plain',
    about: 'A turn that is answered at once.',
    async play(scene) {
      await ask(scene, 'CUE:plain one');
      await pass(LONG);
    },
  },
  {
    name: 'slow',
    about: 'A turn whose last word is held back for longer than silence takes to count.',
    async play(scene) {
      const known = await held(scene);
      await pass(LONG);
      await release(scene, known);
      await pass(LONG);
    },
  },
  {
    name: 'approval-yes',
    about: 'It asks before it runs a command, and may.',
    async play(scene) {
      const known = scene.models.journal.length;
      const { approval, approve } = scene.terminal.habits;
      await dialog(scene, 'CUE:approval touch made.txt', approval, approve);
      await turnEnds(scene, known);
      await pass(LONG);
    },
  },
  {
    name: 'approval-no',
    about: 'It asks before it runs a command, and may not.',
    async play(scene) {
      const { approval, deny } = scene.terminal.habits;
      await dialog(scene, 'CUE:approval touch made.txt', approval, deny);
      scene.truth.state('idle', await seen(scene, approval, true));
      await pass(LONG);
    },
  },
  {
    name: 'question',
    about: 'It asks a question of its own, and has an answer.',
    async play(scene) {
      const known = scene.models.journal.length;
      const { beforeQuestion, question, answer } = scene.terminal.habits;
      if (beforeQuestion !== undefined) await keys(scene, beforeQuestion);
      await pass(800);
      await dialog(scene, 'CUE:question', question, answer);
      await turnEnds(scene, known);
      await pass(LONG);
    },
  },
  {
    name: 'escape',
    about: 'A turn interrupted by Escape.',
    async play(scene) {
      await held(scene);
      await pass(1_500);
      await interruptedBy(scene, scene.terminal.habits.escape);
      await pass(LONG);
    },
  },
  {
    name: 'control-c',
    about: 'Ctrl-C in the middle of a turn: it is interrupted, or the agent ends.',
    async play(scene) {
      await held(scene);
      await pass(1_500);
      const { controlC } = scene.terminal.habits;
      if (controlC !== undefined) await interruptedBy(scene, controlC);
      else {
        await keys(scene, '\u0003');
        scene.truth.state('exited', await scene.terminal.ended());
      }
      await pass(LONG);
    },
  },
  {
    name: 'rate-limit',
    about: 'The model refuses for a while; then Escape.',
    play: (scene) => failing(scene, 'CUE:rate-limit'),
  },
  { name: 'overload', about: 'The model is overloaded; then Escape.', play: (scene) => failing(scene, 'CUE:overload') },
  {
    name: 'resize',
    about: 'Another size in the middle of a turn, and one while it is idle.',
    async play(scene) {
      const resize = async (cols: number, rows: number) =>
        scene.truth.mark('resize', await scene.terminal.resize({ cols, rows }), `${cols}x${rows}`);
      const known = await held(scene);
      await pass(1_000);
      await resize(80, 24);
      await pass(1_500);
      await release(scene, known);
      await pass(LONG);
      await resize(100, 30);
      await pass(1_500);
    },
  },
  {
    name: 'half-typed',
    about: 'A line that is typed, left alone, and taken back.',
    async play(scene) {
      await keys(scene, 'a line that is not sent');
      await seen(scene, /a line that is not sent/);
      await pass(LONG);
      await keys(scene, '\u0015');
      await seen(scene, /a line that is not sent/, true);
      await pass(1_500);
    },
  },
  {
    name: 'paste',
    about: 'Three lines pasted in one piece, and sent.',
    async play(scene) {
      const known = scene.models.journal.length;
      await keys(scene, '\u001b[200~The first line\nthe second\nCUE:plain pasted\u001b[201~');
      await pass(800);
      const at = await keys(scene, '\r');
      scene.truth.mark('submit', at, 'three lines');
      scene.truth.state('working', at);
      await turnEnds(scene, known);
      await pass(LONG);
    },
  },
  {
    name: 'exit',
    about: 'It is told to end.',
    async play(scene) {
      await press(scene, scene.terminal.habits.quit);
      scene.truth.state('exited', await scene.terminal.ended());
      await pass(500);
    },
  },
];
