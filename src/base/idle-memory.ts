/**
 * Gives memory back while nobody waits. V8 keeps what a burst of work took, up to 32 MB of young generation alone, until memory is
 * short. Owner of the timer and of the last figures. Order: look → release → figures of after the release → next look; looks never
 * overlap, since the next one is planned when the release has ended.
 */
import type { Clock } from './clock.ts';
import { type Disposable, toDisposable } from './disposable.ts';

export interface IdleMemoryPorts {
  clock: Clock;
  /** Milliseconds between two looks; so long it has been idle then. */
  look: number;
  /** So much more than after the release before, in bytes, is worth a pause. */
  worth: number;
  /** Share of the time since the call before in which the event loop had work, 0 to 1. */
  utilization(): number;
  /** Bytes that the heap holds, and buffers beside it. */
  held(): number;
  release(): Promise<void>;
  failed(error: unknown): void;
}

/** Busier than this is not idle: a person who types keeps it as busy, and an idle server a tenth of it. */
const QUIET = 0.005;
/** A release takes tens of milliseconds, hundreds with many full screens: for so many times as long none follows. */
const REST = 50;

export function keepMemoryLow(ports: IdleMemoryPorts): Disposable {
  let after = 0;
  let isOver = false;
  let next: Disposable | undefined;

  const look = async () => {
    if (ports.utilization() >= QUIET || ports.held() - after < ports.worth) return plan(ports.look);
    const since = ports.clock.monotonic();
    await ports.release();
    const took = ports.clock.monotonic() - since;
    after = ports.held();
    plan(Math.max(ports.look, took * REST));
  };
  const plan = (wait: number) => {
    if (isOver) return;
    next = ports.clock.after(wait, () => {
      look().catch((error: unknown) => {
        ports.failed(error);
        plan(ports.look * REST);
      });
    });
  };
  plan(ports.look);
  return toDisposable(() => {
    isOver = true;
    next?.dispose();
  });
}
