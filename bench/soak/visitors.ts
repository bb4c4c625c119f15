/** Viewers that come to any session, in any format, read, stall or read slowly, and go without a word or with one. */
import type { StreamFormat, StreamFrame } from '../../src/contract/index.ts';
import { ByteRecorder } from '../../test/kit/byte-recorder.ts';
import { openEvents } from '../../test/kit/event-client.ts';
import { openStream, UpgradeRefused } from '../../test/kit/stream-client.ts';
import { CutByKill } from './lives.ts';
import type { Soak } from './soak.ts';

const FORMATS: readonly StreamFormat[] = ['bytes', 'bytes', 'raw', 'text', 'log'];

/** Every line once and in order, unless a gap was told. */
function faultsOfLines(frames: readonly StreamFrame[]): string[] {
  const faults: string[] = [];
  let next: number | undefined;
  for (const frame of frames) {
    if (frame.type === 'gap' && next !== undefined) {
      if (frame.from !== next) faults.push(`a gap from line ${frame.from}, expected from ${next}`);
      next = frame.to;
    }
    if (frame.type !== 'log') continue;
    if (next !== undefined && frame.offset !== next) faults.push(`lines from ${frame.offset}, expected ${next}`);
    next = frame.offset + (frame.lines?.length ?? 0);
  }
  return faults;
}

export async function visit(soak: Soak, ids: () => readonly string[]): Promise<void> {
  const { lives, counts } = soak;
  await soak.repeat('visitor', async () => {
    await soak.rest(soak.between(200, 1_500));
    const id = soak.pick(ids());
    const format = soak.pick(FORMATS) ?? 'bytes';
    if (id === undefined || !soak.isLoaded) return;
    const recorder = new ByteRecorder();
    let stream: Awaited<ReturnType<typeof openStream>>;
    try {
      stream = await lives.once(() => openStream(soak.api.target, id, { format, recorder }));
    } catch (error) {
      // A burst may have ended between the list and the visit.
      if (error instanceof CutByKill || (error instanceof UpgradeRefused && error.status === 404)) return;
      throw error;
    }
    counts.visits++;
    const manner = soak.random();
    if (manner < 0.3) {
      stream.stall();
      counts.stalls++;
    } else if (manner < 0.5) stream.slow(100_000);
    await Promise.race([soak.rest(soak.between(500, 8_000)), stream.closed]);
    if (manner < 0.2) {
      stream.thaw();
      await Promise.race([soak.rest(1_000), stream.closed]);
    }
    // A paused socket tells its end only once it is read again.
    stream.thaw();
    if (manner < 0.7) stream.cut();
    else await stream.leave();
    await stream.closed;
    for (const fault of [...recorder.faults, ...faultsOfLines(stream.frames)]) {
      soak.fault(`visitor of ${id} (${format}): ${fault}`);
    }
  });
}

/** Asks what a script or the phone page asks. */
export async function poll(soak: Soak, ids: () => readonly string[]): Promise<void> {
  await soak.repeat('questions', async () => {
    await soak.rest(300);
    const id = soak.pick(ids());
    const path =
      soak.pick(['/sessions', '/stats', '/health', `/sessions/${id}/output?format=log&limit=50`]) ?? '/health';
    const { status } = await soak.lives.ask(() => soak.api.get(path));
    soak.counts.requests++;
    if (status !== 200 && status !== 404) soak.fault(`GET ${path}: ${status}`);
  });
}

/** Follows the events over all lives; the order of ids within a life may never go back. */
export async function followEvents(soak: Soak): Promise<void> {
  let lastEventId: string | undefined;
  await soak.repeat('event reader', async () => {
    let reader: Awaited<ReturnType<typeof openEvents>>;
    try {
      reader = await soak.lives.once(() =>
        openEvents(soak.api.target, lastEventId === undefined ? {} : { lastEventId }),
      );
    } catch (error) {
      if (error instanceof CutByKill) return;
      throw error;
    }
    let place = -1;
    let seen = 0;
    const check = () => {
      for (; seen < reader.events.length; seen++) {
        const id = reader.events[seen]?.id;
        const number = Number(/(\d+)$/.exec(id ?? '')?.[1] ?? Number.NaN);
        if (number <= place) soak.fault(`event ${id} came after ${place}`);
        if (!Number.isNaN(number)) place = number;
      }
      return reader.ended || !soak.isLoaded;
    };
    while (!check()) await soak.rest(250);
    lastEventId = reader.lastId;
    reader.cut();
  });
}
