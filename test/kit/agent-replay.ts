/** Plays a recording of an agent into the state engine, on a clock of its own, and holds what it tells against the truth. */
import { SessionEvidence } from '../../src/domain/agents/index.ts';
import { createScreen, type ProgramActivity } from '../../src/domain/sessions/index.ts';
import { ProgramWatch } from '../../src/domain/sessions/program-watch.ts';
import type { PlayedTurn, ToldState } from '../agents/judge.ts';
import type { Recording, Truth } from './captures.ts';
import { ManualClock } from './manual-clock.ts';

const MILLISECOND = 1_000;
const ESCAPE = String.fromCharCode(27);
/** What our terminal host answers to queries stands in a capture as input; nobody typed it. */
const REPLY = new RegExp(`^${ESCAPE}(\\[[?>][0-9;]*|\\[[0-9;]+R|\\][0-9]+;|P)`);
const EXPLICIT_END = new RegExp(`${ESCAPE}\\]7501;[^\\u0007${ESCAPE}]*state=(idle|done|error)`);

/** The states in the order in which they were told, in milliseconds of the capture. */
export function replayAgent(
  { name, truth, capture }: Recording,
  onActivity: (activity: ProgramActivity) => void = () => {},
): ToldState[] {
  const clock = new ManualClock();
  const engine = createScreen({ rows: truth.rows, cols: truth.cols, answerAfter: Number.POSITIVE_INFINITY, clock });
  const told: ToldState[] = [];
  const tell = () => {
    const state = watch.activity.current.agent_state;
    onActivity(watch.activity.current);
    if (state !== told.at(-1)?.state) told.push({ at: clock.monotonic(), state });
  };
  const watch = new ProgramWatch({
    id: name,
    reader: new SessionEvidence(truth.agent),
    engine,
    clock,
    log: { info: fail, warn: fail, error: fail },
    lookInFront: undefined,
    lookBehind: undefined,
    onActivity: tell,
  });
  engine.onSignal((signal) => {
    if (signal.kind === 'title') watch.activity.title(signal.title);
    if (signal.kind === 'osc') watch.activity.command(signal.code, signal.data);
  });
  for (const { at, happen } of [...resizes(truth), ...records()].sort((one, other) => one.at - other.at)) {
    clock.advance(Math.max(0, at / MILLISECOND - clock.monotonic()));
    happen();
  }
  clock.advance(Math.max(0, endOf(truth) - clock.monotonic()));
  watch.dispose();
  engine.dispose();
  return told;

  function resizes({ marks }: Truth) {
    return marks
      .filter(({ what }) => what === 'resize')
      .map(({ at_us, detail }) => ({
        at: at_us,
        happen() {
          const [cols = 0, rows = 0] = detail.split('x').map(Number);
          engine.ingestResize(engine.ingestedOffset, cols, rows);
          engine.parseAll();
          watch.activity.resized();
          watch.onParsed();
        },
      }));
  }

  function records() {
    return capture.records.map(({ direction, microseconds, bytes }) => ({
      at: microseconds,
      happen() {
        if (direction === 'input') {
          if (!REPLY.test(Buffer.from(bytes).toString('latin1'))) watch.activity.input(bytes);
          return;
        }
        // A copy: the engine changes what it takes.
        engine.ingest(engine.ingestedOffset, Uint8Array.from(bytes));
        watch.activity.output(false);
        engine.parseAll();
        watch.onParsed();
      },
    }));
  }
}

function fail(fields: object, message: string): never {
  throw new Error(`${message}: ${JSON.stringify(fields)}`);
}

const endOf = ({ states }: Truth) => (states.at(-1)?.until_us ?? 0) / MILLISECOND;

/** The turn of a recording, for the judge; undefined when it has none that ends. */
export function turnOf({ truth, capture }: Recording): PlayedTurn | undefined {
  const { states, marks } = truth;
  const submit = marks.find(({ what }) => what === 'submit');
  const end = states.find(({ state, from_us }) => state === 'idle' && submit !== undefined && from_us > submit.at_us);
  if (submit === undefined || end === undefined) return undefined;
  const before = (what: string, limit: number) =>
    marks.findLast((mark) => mark.what === what && mark.at_us <= limit && mark.detail !== 'beside')?.at_us ?? 0;
  // A turn that was interrupted ends with the key, not with the moment in which somebody saw it.
  const isAnswered = marks.some(({ what, at_us }) => what === 'last_byte' && at_us === end.from_us);
  const endedAt = isAnswered ? end.from_us : before('keys', end.from_us);
  const outputs = capture.records.filter(({ direction }) => direction === 'output');
  const explicit = outputs.find(
    ({ microseconds, bytes }) =>
      microseconds >= endedAt - 100 * MILLISECOND && EXPLICIT_END.test(Buffer.from(bytes).toString('latin1')),
  );
  return {
    kind: truth.scenario,
    submittedAt: submit.at_us / MILLISECOND,
    dialogs: states
      .filter(({ state }) => state === 'awaiting_input')
      .map(({ from_us, until_us }) => ({
        askedAt: before('last_byte', from_us) / MILLISECOND,
        answeredAt: until_us / MILLISECOND,
      })),
    endedAt: endedAt / MILLISECOND,
    explicitAt: explicit === undefined ? undefined : explicit.microseconds / MILLISECOND,
    outputs: outputs.map(({ microseconds }) => microseconds / MILLISECOND),
    until: endOf(truth),
  };
}
