/**
 * Makes one session durable: log chunks to disk first, then the screen blob to the host, which may then forget the output
 * before it; the blob also goes to disk at a slow pace, for the day the host is lost.
 *
 * Promises: one run at a time; a run that was asked for during another follows it; a blob never refers to log chunks that
 * an earlier step failed to try. When the disk refuses, that is told once, the blob still goes to the host (the session
 * must not stand still), and the log is stored again as soon as the disk takes it.
 */
import type { Clock } from '../../base/index.ts';
import { AppError, DEADLINES, type PtyHost } from '../../contract/index.ts';
import type { SessionFiles } from '../../platform/fs/index.ts';
import { wrapCheckpoint } from './checkpoint-envelope.ts';
import type { SessionLog } from './ports.ts';
import type { ScreenEngine } from './screen/model.ts';

/** The blob on disk is renewed too when the log has moved on by as much as it keeps. */
const LOG_CHUNKS_PER_SCREEN = 16;

export interface CheckpointerOptions {
  id: string;
  engine: ScreenEngine;
  files: SessionFiles;
  clock: Clock;
  log: SessionLog;
  /** What is known of the program, as plain data. */
  program?: () => unknown;
  /** The connected host that has the session, if any. */
  host: () => PtyHost | undefined;
  /** The disk has the engine's screen already. */
  isStored: boolean;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #running: Promise<void> | undefined;
  #isWantedAgain = false;
  #mustWriteScreen = false;
  /** Parsed offset at the newest blob; the blob's own offset may lie before it. */
  #parsedAt: number;
  #screenParsedAt = -1;
  #screenAt: number;
  #screenFirst = 0;
  #isDiskRefusing = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#parsedAt = options.engine.parsedOffset;
    if (options.isStored) this.#screenParsedAt = options.engine.parsedOffset;
    this.#screenAt = options.clock.monotonic();
  }

  /** Output parsed since the newest blob. */
  get dirtyBytes(): number {
    return this.#options.engine.parsedOffset - this.#parsedAt;
  }

  /** True while the disk's screen is older than what was parsed. */
  get isScreenStale(): boolean {
    return this.#screenParsedAt < this.#options.engine.parsedOffset;
  }

  get age(): number {
    return this.#options.clock.monotonic() - this.#screenAt;
  }

  /** Resolves when everything parsed before the call is stored (or refused). `screen` renews the disk's blob too. */
  run(how: { screen: boolean }): Promise<void> {
    this.#mustWriteScreen ||= how.screen;
    if (this.#running !== undefined) {
      this.#isWantedAgain = true;
      return this.#running;
    }
    this.#running = this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #runAll(): Promise<void> {
    do {
      this.#isWantedAgain = false;
      await this.#runOnce();
    } while (this.#isWantedAgain);
  }

  async #runOnce(): Promise<void> {
    const { id, engine, files, clock } = this.#options;
    // Screen and log are taken in one step; what comes later belongs to the next run.
    const { parsedOffset } = engine;
    const { offset, blob: screen } = engine.checkpoint();
    const blob = wrapCheckpoint(this.#options.program?.(), screen);
    const { first, chunks } = engine.logChunks();
    const mustWriteScreen =
      this.#mustWriteScreen ||
      clock.monotonic() - this.#screenAt >= DEADLINES.checkpointActive ||
      first - this.#screenFirst >= LOG_CHUNKS_PER_SCREEN;
    this.#mustWriteScreen = false;
    this.#parsedAt = parsedOffset;
    let isStored = await this.#toDisk(() => files.appendLog(id, chunks));
    this.#options.host()?.storeCheckpoint(id, offset, blob);
    if (mustWriteScreen) {
      // Also before a refusal: the next try comes with the next period, not with the next byte.
      this.#screenAt = clock.monotonic();
      if (await this.#toDisk(() => files.writeScreen(id, offset, blob))) {
        this.#screenParsedAt = parsedOffset;
        this.#screenFirst = first;
        isStored = (await this.#toDisk(() => files.dropLogBefore(id, first))) && isStored;
      } else {
        isStored = false;
      }
    }
    if (isStored && this.#isDiskRefusing) {
      this.#isDiskRefusing = false;
      this.#options.log.info({ session: id }, 'the durable log of the session goes on');
    }
  }

  async #toDisk(work: () => Promise<void>): Promise<boolean> {
    const { id, log } = this.#options;
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'storage_failed') throw error;
      if (!this.#isDiskRefusing) {
        this.#isDiskRefusing = true;
        log.error({ session: id, reason: error.message }, 'the session goes on, but its log is not durable');
      }
      return false;
    }
  }
}
