/**
 * `npm run test:agents -- score`: real agents have turns, and what /events told of them is held against what happened. Writes the
 * figures into docs/agent-state.md. TUIC_RECORD=claude,codex chooses some of them.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, it } from 'vitest';
import { type Cleanup, cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { FakeModelServer, journalNow } from '../kit/fake-models/server.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';
import { chosenAgents, makeAgentHome } from './agent-home.ts';
import { AgentTerminal } from './agent-terminal.ts';
import { judge, type PlayedTurn, type ToldState, type Verdict } from './judge.ts';
import { formatScore, putScore, type ScoredTurn } from './score-table.ts';
import { settled, TURNS, type TurnKind } from './turns.ts';
import { RELEASES } from './versions.ts';

const PAGE = fileURLToPath(new URL('../../docs/agent-state.md', import.meta.url));
const HOMES = '/var/tmp/agent-home';
const SIZE = { rows: 30, cols: 100 };

const models = new FakeModelServer();
const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;

beforeAll(async () => {
  await models.start();
  server = await startServer(shared);
});
afterAll(() => models.stop());

it.each(chosenAgents())('%s', async (name) => {
  const folder = join(HOMES, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(HOMES, { recursive: true });
  const home = await makeAgentHome(name, folder, models.url, { asks: true });
  const rows: Record<string, ScoredTurn[]> = {};
  for (const [set, kinds] of Object.entries(TURNS)) {
    const terminal = await AgentTerminal.open(cleanup, server, name, home, SIZE);
    rows[set] = await playAll(terminal, kinds, cleanup);
    await terminal.close();
    // After each set: a run that is stopped has not been for nothing.
    const text = formatScore({ agent: name, version: RELEASES[name], date: new Date(), sets: rows });
    await writeFile(PAGE, putScore(await readFile(PAGE, 'utf8'), name, text));
    for (const { kind, history } of rows[set] ?? []) console.log(`${kind}: ${history}`);
  }
});

const EXPLICIT_END = new RegExp(`${String.fromCharCode(27)}\\]7501;[^\\u0007\\u001b]*state=(idle|done|error)`);

async function playAll(terminal: AgentTerminal, kinds: readonly TurnKind[], owner: Cleanup): Promise<ScoredTurn[]> {
  const told: ToldState[] = [];
  const outputs: number[] = [];
  const explicit: number[] = [];
  const events = await openEvents(server.ipc.target, {
    types: ['session-state'],
    onEvent({ data }) {
      if (data.session_id !== terminal.id) return;
      told.push({ at: journalNow(), state: (data.state as { agent_state?: string }).agent_state });
    },
  });
  owner.defer(() => events.cut());
  let rest = '';
  const stream = await openStream(server.ipc.target, terminal.id, {
    format: 'raw',
    onOutput(data) {
      const at = journalNow();
      outputs.push(at);
      const text = rest + data;
      const found = EXPLICIT_END.exec(text);
      if (found !== null) explicit.push(at);
      rest = found === null ? text.slice(-200) : text.slice(found.index + found[0].length);
    },
  });
  owner.defer(() => stream.cut());
  const isIdle = () => told.at(-1)?.state === 'idle';
  await terminal.ready();
  await terminal.quiet(3_000);
  const scored: ScoredTurn[] = [];
  for (const { kind, play } of kinds) {
    try {
      const played = await play({ terminal, models });
      const until = await settled(() => isIdle() && (told.at(-1)?.at ?? 0) >= played.endedAt - 100);
      const turn: PlayedTurn = {
        kind,
        ...played,
        explicitAt: explicit.find((at) => at >= played.endedAt - 100),
        outputs: outputs.filter((at) => at >= played.submittedAt && at <= until),
        until,
      };
      const verdict: Verdict = judge(turn, told);
      scored.push({ kind, verdict, history: describe(turn, told) });
    } catch (error) {
      // Not played is not right either: it stands in the table with its reason.
      scored.push({ kind, verdict: undefined, history: String(error).split('\n', 1)[0] ?? '' });
    }
  }
  return scored;
}

/** For whoever looks why: times after the submit. */
function describe({ submittedAt, endedAt, dialogs, until }: PlayedTurn, told: readonly ToldState[]): string {
  const after = (at: number) => ((at - submittedAt) / 1_000).toFixed(2);
  const facts = [
    ...dialogs.flatMap(({ askedAt, answeredAt }) => [`asked ${after(askedAt)}`, `answered ${after(answeredAt)}`]),
    `ended ${after(endedAt)}`,
  ];
  const seen = told
    .filter(({ at }) => at > submittedAt - 1_000 && at <= until)
    .map(({ at, state }) => `${state ?? 'nothing'} ${after(at)}`);
  return `${facts.join(', ')}; told: ${seen.join(', ') || 'nothing'}`;
}
