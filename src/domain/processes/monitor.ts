/**
 * Owns the samples of processes. Looks only while somebody else does: the first question starts it, DEADLINES.processWatch after the
 * last one it stops. What was seen stays, at most LIMITS.processHistory samples of the last quarter of an hour.
 *
 * Ordering: one look at a time (a kill waits for it, since both use the sampler's memory); a sample is in the history before whoever
 * waited for it is answered. A look that fails in the background is told in the log, and to nobody else but those who wait for it.
 */
import { type Disposable, delay, KeyedMutex } from '../../base/index.ts';
import {
  AppError,
  DEADLINES,
  type KilledProcess,
  type KillProcess,
  LIMITS,
  type ProcessHistory,
  type ProcessStats,
} from '../../contract/index.ts';
import type { ProcessMonitor, ProcessMonitorOptions } from './model.ts';
import { type Look, Sampler } from './sampler.ts';

interface Sample extends Look {
  id: number;
}

const LONGEST_AGO = LIMITS.processHistory * DEADLINES.processSample;

export function createProcessMonitor(options: ProcessMonitorOptions): ProcessMonitor {
  const { clock, inspector, log } = options;
  const sampler = new Sampler(options);
  const looks = new KeyedMutex();
  let samples: Sample[] = [];
  let nextId = 1;
  let lookedAt = 0;
  let timer: Disposable | undefined;
  let starting: Promise<Sample> | undefined;
  let isTicking = false;
  let isClosed = false;

  async function takeSample(): Promise<Sample> {
    const look = await looks.run('', () => sampler.look());
    const sample = { ...look, id: nextId++ };
    samples = [...samples, sample].slice(-LIMITS.processHistory).filter(({ at }) => sample.at - at <= LONGEST_AGO);
    return sample;
  }

  function stop(): void {
    timer?.dispose();
    timer = undefined;
  }

  async function tick(): Promise<void> {
    if (clock.monotonic() - lookedAt >= DEADLINES.processWatch) {
      stop();
      return;
    }
    // A slow machine gets fewer samples, not a queue of them.
    if (isTicking) return;
    isTicking = true;
    try {
      await takeSample();
    } catch (error) {
      log.warn({ err: error }, 'the processes could not be looked at');
    } finally {
      isTicking = false;
    }
  }

  async function start(): Promise<Sample> {
    sampler.forgetLoads();
    await looks.run('', () => sampler.look());
    await delay(clock, DEADLINES.processFirst);
    const sample = await takeSample();
    if (!isClosed) timer = clock.every(DEADLINES.processSample, () => void tick());
    return sample;
  }

  async function newest(): Promise<Sample> {
    lookedAt = clock.monotonic();
    const last = samples.at(-1);
    if (timer !== undefined && last !== undefined) return last;
    starting ??= start().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  const load = ({ id, at, processCount, total, server, host, sessions }: Sample, now: number) => ({
    id,
    ago_ms: Math.round(now - at),
    process_count: processCount,
    total,
    server,
    host,
    sessions: Object.fromEntries(sessions),
  });

  return {
    async stats(): Promise<ProcessStats[]> {
      return (await newest()).rows;
    },

    async history(after): Promise<ProcessHistory> {
      const { id, machine } = await newest();
      const now = clock.monotonic();
      const wanted = samples.filter((sample) => sample.id > after);
      return {
        interval_ms: DEADLINES.processSample,
        machine,
        names: Object.fromEntries(wanted.flatMap(({ names }) => [...names])),
        newest_id: id,
        samples: wanted.map((sample) => load(sample, now)),
      };
    },

    kill: ({ pid, start_ticks, mode }: KillProcess): Promise<KilledProcess> =>
      looks.run('', async () => {
        const members = await sampler.members();
        if (members === null) {
          throw new AppError('forbidden', {
            reason: 'this system does not tell whose process it is. Close the session',
          });
        }
        const entry = members.entries.find((candidate) => candidate.pid === pid);
        const gone = () => new AppError('not_found', { what: `process ${pid}; it has ended. Look at the list again` });
        if (entry === undefined || entry.startTicks !== start_ticks || entry.state === 'Z') throw gone();
        const owner = members.owners.get(pid);
        if (owner?.kind !== 'session') {
          throw new AppError('forbidden', { reason: 'only processes of a session can be ended here' });
        }
        // Reading the table took a while.
        if ((await inspector.get(pid))?.startTicks !== start_ticks) throw gone();
        const outcome = inspector.signal(pid, mode === 'kill' ? 'SIGKILL' : 'SIGTERM');
        if (outcome === 'gone') throw gone();
        if (outcome === 'refused') {
          throw new AppError('forbidden', {
            reason: `process ${pid} runs as another user; the system does not allow it`,
          });
        }
        return { ok: true, session_id: owner.sessionId, program: entry.name };
      }),

    close() {
      isClosed = true;
      stop();
    },
  };
}
