/**
 * Reads every byte of one session, over all lives of the server: it comes with the offset it has reached, goes, stalls, is
 * cut by a kill and comes back. What it reads is checked as it arrives: no byte twice, none missing unless it was told so.
 * The bytes themselves are checked against what the program must have printed at that offset (floods), or by the hash.
 */
import { ByteRecorder } from '../../test/kit/byte-recorder.ts';
import { openStream, type StreamClient } from '../../test/kit/stream-client.ts';
import { CutByKill } from './lives.ts';
import type { Soak } from './soak.ts';

/** About where every program that fills its log has done so. */
const FILLED = 900_000;

/** Wrong bytes at an offset whose content is known. */
class CheckedRecorder extends ByteRecorder {
  readonly #expect: ((offset: number, length: number) => Buffer) | undefined;

  constructor(expect: ((offset: number, length: number) => Buffer) | undefined) {
    super({ startAt: 0 });
    this.#expect = expect;
  }

  override bytes(offset: number, bytes: Uint8Array): void {
    super.bytes(offset, bytes);
    if (this.#expect !== undefined && !this.#expect(offset, bytes.length).equals(bytes)) {
      this.faults.push(`${bytes.length} bytes at ${offset} are not what was printed there`);
    }
  }
}

export interface WitnessOptions {
  /** It stays all the time; otherwise it is away now and then. */
  readonly stays: boolean;
  readonly expect?: (offset: number, length: number) => Buffer;
  /** Keeps the text: for sessions that print little. */
  readonly onBytes?: (bytes: Uint8Array) => void;
}

export class Witness {
  readonly #soak: Soak;
  readonly #id: string;
  readonly #options: WitnessOptions;
  readonly recorder: ByteRecorder;
  #stream: StreamClient | undefined;

  constructor(soak: Soak, id: string, options: WitnessOptions) {
    this.#soak = soak;
    this.#id = id;
    this.#options = options;
    this.recorder = new CheckedRecorder(options.expect);
    const { onBytes } = options;
    if (onBytes !== undefined) {
      const record = this.recorder.bytes.bind(this.recorder);
      this.recorder.bytes = (offset, bytes) => {
        record(offset, bytes);
        onBytes(bytes);
      };
    }
  }

  get told(): number {
    return this.recorder.gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  }

  /** Until the load ends. */
  async watch(): Promise<void> {
    const { counts } = this.#soak;
    await this.#soak.repeat(`witness of ${this.#id}`, async () => {
      const stream = await this.#connect();
      const stay = this.#soak.rest(this.#options.stays ? 3_600_000 : this.#soak.between(4_000, 12_000));
      // Whoever comes first ends the wait: the end of the load, of the visit, or of the server.
      let isStaying = true;
      const stalls = async () => {
        while (isStaying && !this.#options.stays) {
          await Promise.race([this.#soak.rest(this.#soak.between(1_000, 4_000)), stream.closed, stay]);
          if (!isStaying) return;
          // Until its log is full a program prints faster than a stalled viewer is waited for.
          if ((this.recorder.next ?? 0) < FILLED) continue;
          stream.stall();
          counts.stalls++;
          await Promise.race([this.#soak.rest(this.#soak.between(300, 1_500)), stay]);
          stream.thaw();
        }
      };
      const stalling = stalls();
      await Promise.race([stay, stream.closed]);
      isStaying = false;
      await this.#leave();
      await stalling;
      if (!this.#options.stays && this.#soak.lives.isUp) await this.#soak.rest(this.#soak.between(500, 5_000));
    });
    await this.#leave();
  }

  /** Reads on until it has all of so many bytes. */
  async readUntil(total: number): Promise<void> {
    if ((this.recorder.next ?? 0) >= total) return;
    const stream = await this.#connect();
    try {
      await stream.untilOffset(total, 60_000);
    } finally {
      await this.#leave();
    }
  }

  async #connect(): Promise<StreamClient> {
    await this.#leave();
    for (;;) {
      try {
        this.#stream = await this.#soak.lives.once(() =>
          openStream(this.#soak.api.target, this.#id, {
            format: 'bytes',
            offset: this.recorder.next ?? 0,
            recorder: this.recorder,
          }),
        );
        return this.#stream;
      } catch (error) {
        if (!(error instanceof CutByKill)) throw error;
      }
    }
  }

  /** Two streams at once would mix their bytes in one recorder. */
  async #leave(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream === undefined) return;
    stream.thaw();
    stream.cut();
    await stream.closed;
  }
}
