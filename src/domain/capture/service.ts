/**
 * Raw capture of terminals: off until somebody asks, for one session or for all (http.md 19). Owns the filter and the recorders.
 *
 * Ordering: starts and stops run one at a time. A start closes the files of the one before, and only then lets records in, so a fresh file
 * never meets the writes of an old one; times count from there. The taps are called on the way of every byte: they copy, never wait and
 * never throw. Input is recorded when it is handed to the terminal host, which may refuse it (a program that does not read).
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, KeyedMutex } from '../../base/index.ts';
import {
  AppError,
  type CaptureDirection,
  type CaptureEnd,
  type CaptureInput,
  type CaptureStatus,
  LIMITS,
} from '../../contract/index.ts';
import type { RawTap } from '../sessions/index.ts';
import { Recorder } from './recorder.ts';

export interface CaptureService extends RawTap {
  /** `session_id` is a PTY id here. */
  change(input: CaptureInput): Promise<CaptureStatus>;
  status(): CaptureStatus;
  close(): Promise<void>;
}

export interface CaptureOptions {
  /** The folder of the captures; made when it is needed. */
  directory: string;
  clock: Clock;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

interface Filter {
  session: string | null;
  startedAt: number;
}

const CHANGE = 'capture';
const MICROSECONDS = 1_000;

const END_MESSAGES: Record<CaptureEnd, string> = {
  full: 'the capture file of a session is full; what follows is not recorded',
  gap: 'output was lost on the way; its capture ends before the gap',
  write_failed: 'the capture of a session cannot be written; what follows is not recorded',
  too_many: 'the capture records as many sessions as it may; this one is not recorded',
};

export function createCaptureService({ directory, clock, log }: CaptureOptions): CaptureService {
  const mutex = new KeyedMutex();
  let filter: Filter | undefined;
  let recorders = new Map<string, Recorder>();
  let refused = new Set<string>();

  function tellEnd(session: string, reason: CaptureEnd, error?: Error): void {
    const detail = error === undefined ? {} : { detail: error.message };
    log.warn({ source: 'capture', audience: 'user', session, reason, ...detail }, END_MESSAGES[reason]);
  }

  function recorderOf(session: string): Recorder | undefined {
    if (filter === undefined || (filter.session !== null && filter.session !== session)) return undefined;
    const known = recorders.get(session);
    if (known !== undefined) return known;
    if (recorders.size >= LIMITS.captureSessions) {
      if (!refused.has(session)) tellEnd(session, 'too_many');
      // Remembered up to a bound too; one that is told twice does no harm.
      if (refused.size < LIMITS.captureSessions) refused.add(session);
      return undefined;
    }
    const recorder = new Recorder({
      path: join(directory, `${session}.tcap`),
      onEnd: (reason, error) => tellEnd(session, reason, error),
    });
    recorders.set(session, recorder);
    return recorder;
  }

  function record(direction: CaptureDirection, session: string, bytes: Uint8Array): void {
    if (filter === undefined || bytes.length === 0) return;
    const microseconds = (clock.monotonic() - filter.startedAt) * MICROSECONDS;
    recorderOf(session)?.add({ direction, microseconds, bytes });
  }

  function status(): CaptureStatus {
    const ended: CaptureStatus['ended'] = {};
    for (const [session, { end }] of recorders) if (end !== undefined) ended[session] = end;
    for (const session of refused) ended[session] = 'too_many';
    return {
      enabled: filter !== undefined,
      session_id: filter?.session ?? null,
      directory,
      sessions: Object.fromEntries([...recorders].map(([session, { bytes }]) => [session, bytes])),
      ended,
    };
  }

  async function stop(): Promise<void> {
    filter = undefined;
    await Promise.all([...recorders.values()].map((recorder) => recorder.close()));
  }

  async function start(session: string | null): Promise<void> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new AppError('storage_failed', { detail: error instanceof Error ? error.message : String(error) });
    }
    await stop();
    recorders = new Map();
    refused = new Set();
    filter = { session, startedAt: clock.monotonic() };
    log.info({ source: 'capture', audience: 'user', session: session ?? 'all' }, 'a raw capture has begun');
  }

  return {
    output: (session, bytes) => record('output', session, bytes),
    input: (session, bytes) => record('input', session, bytes),
    gap: (session) => recorders.get(session)?.finish('gap'),
    change: ({ enabled, session_id }) =>
      mutex.run(CHANGE, async () => {
        await (enabled ? start(session_id ?? null) : stop());
        return status();
      }),
    status,
    close: () => mutex.run(CHANGE, stop),
  };
}
