/**
 * `npm run test:agents -- record`: plays the scenes with each agent in a terminal of ours and writes test/captures.
 * TUIC_RECORD=claude,codex and TUIC_SCENES=plain,slow choose some of them.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CaptureStatus, decodeCapture } from '../../src/contract/index.ts';
import { CAPTURE_FOLDER, type Truth, truthSchema } from '../kit/captures.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { FakeModelServer, journalNow } from '../kit/fake-models/server.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { type AgentHome, type AgentName, chosenAgents, makeAgentHome } from './agent-home.ts';
import { AgentTerminal } from './agent-terminal.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { personalWords, scrubCapture } from './scrub.ts';
import { TruthRecorder } from './truth-recorder.ts';
import { RELEASES } from './versions.ts';

/** Of nobody, and short; Codex warns of a home in the folder of temporary files. */
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

const scenes = process.env.TUIC_SCENES?.split(',');

describe.each(chosenAgents())('%s', (name) => {
  let home: AgentHome;
  beforeAll(async () => {
    await rm(join(HOMES, name), { recursive: true, force: true });
    home = await makeAgentHome(name, join(HOMES, name), models.url, { asks: true });
    // The first start of some takes half a minute and draws what no later one draws.
    const warm = await AgentTerminal.open(shared, server, name, home, SIZE);
    await warm.ready();
    await warm.close();
  }, 120_000);
  const played = SCENARIOS.filter((scenario) => scenes === undefined || scenes.includes(scenario.name));
  it.each(played)('$name', (scenario) => record(name, home, scenario));
});

async function record(name: AgentName, home: AgentHome, scenario: Scenario): Promise<void> {
  const change = async (enabled: boolean) =>
    (await server.ipc.ok('POST', '/diagnostics/capture', { enabled })) as CaptureStatus;
  const before = journalNow();
  await change(true);
  const truth = new TruthRecorder((before + journalNow()) / 2);
  const known = models.journal.length;
  truth.state('starting', truth.now());
  const terminal = await AgentTerminal.open(cleanup, server, name, home, SIZE);
  const ready = await terminal.ready();
  truth.mark('seen', ready, 'ready');
  truth.state('idle', ready);
  await terminal.quiet(3_000);
  await scenario.play({ terminal, truth, models });
  const { directory, ended } = await change(false);
  const facts: Truth = {
    agent: name,
    version: RELEASES[name],
    scenario: scenario.name,
    about: scenario.about,
    ...SIZE,
    ...truth.result(models.journal.slice(known)),
  };
  await terminal.close();
  expect(ended).toEqual({});
  expect(models.failures).toEqual([]);
  const bytes = scrubCapture(decodeCapture(await readFile(join(directory, `${terminal.id}.tcap`))));
  expect(personalWords(Buffer.from(bytes).toString('latin1'))).toEqual([]);
  await mkdir(join(CAPTURE_FOLDER, name), { recursive: true });
  await writeFile(join(CAPTURE_FOLDER, name, `${scenario.name}.tcap`), bytes);
  await writeFile(
    join(CAPTURE_FOLDER, name, `${scenario.name}.json`),
    `${JSON.stringify(truthSchema.parse(facts), null, 2)}\n`,
  );
}
