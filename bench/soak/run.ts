/** One soak from its start to its checks. What is found is in the outcome; it throws only when it could not be run. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTANCE_FILES } from '../../src/contract/index.ts';
import { inParallel, range } from '../../test/kit/cases.ts';
import type { Cleanup } from '../../test/kit/cleanup-steps.ts';
import { eventually } from '../../test/kit/eventually.ts';
import { countDescriptors, processesOf } from '../../test/kit/processes.ts';
import { prepareServer, type ServerUnderTest } from '../../test/kit/server.ts';
import { probeEnvironment } from '../kit/probe.ts';
import { requireHost } from '../kit/server.ts';
import { Bursts } from './bursts.ts';
import { type Growth, growthOf } from './growth.ts';
import { Lives } from './lives.ts';
import { type Counts, type Kill, MIX, type Sample, type SessionSum, type Shape } from './model.ts';
import { ProgramControl, ProgramSession } from './programs.ts';
import { Sampler } from './sampler.ts';
import { SilentSession } from './silent.ts';
import { Soak } from './soak.ts';
import { followEvents, poll, visit } from './visitors.ts';

const VISITORS = 8;

export interface Outcome {
  readonly shape: Shape;
  readonly isStopped: boolean;
  readonly counts: Counts;
  readonly kills: Kill[];
  readonly samples: Sample[];
  /** Server and host together, and each by itself. */
  readonly growth: { readonly both: Growth; readonly server: Growth; readonly host: Growth } | undefined;
  readonly sessions: SessionSum[];
  readonly faults: string[];
}

interface Remains {
  processes: string[];
  server: Record<string, number>;
  host: Record<string, number>;
  files: string[];
}

/** What there is when no session and no viewer is there. */
async function look(server: ServerUnderTest): Promise<Remains> {
  const sorted = (kinds: Record<string, number>) =>
    Object.fromEntries(Object.entries(kinds).sort(([first], [second]) => (first < second ? -1 : 1)));
  return {
    processes: processesOf(server.configDirectory)
      .map((entry) => entry.arguments[1] ?? '')
      .sort(),
    server: sorted(withoutKept(countDescriptors(server.pid), join(server.configDirectory, INSTANCE_FILES.database))),
    host: sorted(countDescriptors(requireHost(server).pid)),
    files: (await readdir(server.configDirectory)).sort(),
  };
}

/** SQLite keeps the descriptor of a write-back for the next one, since closing it would let go of the locks of the process. */
function withoutKept(kinds: Record<string, number>, database: string): Record<string, number> {
  return kinds[database] === 2 ? { ...kinds, [database]: 1 } : kinds;
}

async function warmUp(server: ServerUnderTest): Promise<Remains> {
  // The host starts with the first session.
  const { session_id } = await server.ipc.createSession({ shell: '/bin/sh', args: ['-c', 'exec sleep 1000'] });
  await server.ipc.remove(session_id);
  await eventually('the first session to be gone', () => processesOf(server.configDirectory).length === 2);
  // Opened by its first line, which is written a little later than its request is answered.
  const accessLog = join(server.configDirectory, INSTANCE_FILES.logs, 'access.log');
  await eventually('the access log to be open', () => countDescriptors(server.pid)[accessLog] === 1);
  return await look(server);
}

export async function runSoak(
  shape: Shape,
  cleanup: Cleanup,
  stopped: AbortSignal,
  progress: (text: string) => void,
): Promise<Outcome> {
  const probe = join(await cleanup.temporaryDirectory('tuic-l-'), 'probe');
  const server = await prepareServer(cleanup, { environment: probeEnvironment(probe, { collect: true }) });
  await writeFile(join(server.configDirectory, 'config.json'), '{}');
  await server.start();
  const lives = new Lives(server);
  const soak = new Soak(lives, cleanup, stopped, progress);
  const before = await warmUp(server);

  const control = new ProgramControl();
  await control.listen(soak);
  const silent = range(MIX.silent).map((number) => new SilentSession(soak, number + 1));
  const programs = (['chatty', 'flood', 'screen'] as const).flatMap((kind) =>
    range(MIX[kind]).map((number) => new ProgramSession(soak, control, kind, number + 1)),
  );
  const bursts = new Bursts(soak);
  await bursts.prepare();
  const opening = [...programs, ...silent];
  soak.say(`opening ${opening.length + MIX.burst} sessions`);
  await inParallel(opening, 4, (session) => session.open());
  for (let count = 0; count < MIX.burst; count++) await bursts.open();
  const host = requireHost(server);
  const sampler = new Sampler(soak, shape, probe, host.pid);
  soak.begin();
  soak.say(`load for ${shape.seconds} s, a kill -9 every ${shape.killEvery} s from ${shape.firstKill} s on`);
  const ids = opening.map((session) => session.id);

  const kills = async () => {
    for (let at = shape.firstKill; at < shape.seconds && soak.isLoaded; at += shape.killEvery) {
      await soak.rest((at - soak.seconds) * 1000);
      if (!soak.isLoaded) return;
      const kill = await lives.kill(soak.seconds, async () => {
        const listed = new Set((await server.ipc.listSessions()).map((session) => session.session_id));
        for (const id of ids) if (!listed.has(id)) soak.fault(`${id} is not in the list after a kill`);
      });
      soak.say(
        `kill -9 number ${lives.kills.length}: a server answers after ${kill.answered.toFixed(0)} ms, ` +
          `its list after ${kill.complete.toFixed(0)} ms`,
      );
    }
  };
  const parts = [
    kills(),
    sampler.run(),
    bursts.replace(),
    poll(soak, () => ids),
    followEvents(soak),
    ...range(VISITORS).map(() => visit(soak, () => ids)),
  ];
  await Promise.race([soak.rest(shape.seconds * 1000), Promise.all(parts)]);
  soak.endLoad();
  await Promise.all(parts);

  const sessions: SessionSum[] = [];
  if (!stopped.aborted) {
    soak.say('the load has ended: every session is checked');
    await bursts.finish();
    sessions.push(...bursts.sums);
    await inParallel([...programs, ...silent], 8, async (session) => {
      try {
        sessions.push(await session.check());
      } catch (error) {
        soak.fault(`${session.id}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
    for (const { id, faults } of sessions) for (const fault of faults) soak.fault(`${id}: ${fault}`);
    await checkRemains(soak, before, host.pid);
  }
  for (const sum of sessions) {
    soak.counts.bytesRead += sum.read;
    soak.counts.bytesTold += sum.told;
  }
  return {
    shape,
    isStopped: stopped.aborted,
    counts: soak.counts,
    kills: lives.kills,
    samples: sampler.samples,
    growth: stopped.aborted ? undefined : growth(sampler.judged),
    sessions,
    faults: soak.faults,
  };
}

function growth(samples: readonly Sample[]) {
  const by = (megabytes: (sample: Sample) => number) =>
    growthOf(samples.map((sample) => ({ ...sample, megabytes: megabytes(sample) })));
  return {
    both: by((sample) => sample.serverMb + sample.hostMb),
    server: by((sample) => sample.serverMb),
    host: by((sample) => sample.hostMb),
  };
}

/** Closes all sessions; then processes, descriptors and files must be as they were before the first one. */
async function checkRemains(soak: Soak, before: Remains, hostPid: number): Promise<void> {
  const { server } = soak.lives;
  if (requireHost(server).pid !== hostPid) soak.fault('the host is another process than at the beginning');
  await inParallel(await server.ipc.listSessions(), 8, (session) => server.ipc.remove(session.session_id));
  let after = await look(server);
  try {
    await eventually('what the run opened to be closed', async () => {
      after = await look(server);
      return JSON.stringify(after) === JSON.stringify(before);
    });
  } catch {
    for (const part of ['processes', 'server', 'host', 'files'] as const) {
      const [was, is] = [JSON.stringify(before[part]), JSON.stringify(after[part])];
      if (was !== is) soak.fault(`${part} at the end: ${is}, at the beginning: ${was}`);
    }
  }
}
