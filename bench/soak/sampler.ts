/** Looks at server and host once a second, and says every few seconds where the run stands. */
import { countDescriptors, residentBytes } from '../../test/kit/processes.ts';
import { ProbeCut, readProbe } from '../kit/probe.ts';
import { isCut } from './lives.ts';
import { JUDGED_SHARE, type Sample, type Shape } from './model.ts';
import type { Soak } from './soak.ts';

const EVERY = 1_000;
const MEGABYTE = 1e6;

function descriptors(pid: number): number {
  return Object.values(countDescriptors(pid)).reduce((sum, count) => sum + count, 0);
}

export class Sampler {
  readonly #soak: Soak;
  readonly #shape: Shape;
  readonly #probe: string;
  readonly #host: number;
  readonly samples: Sample[] = [];
  #told = 0;

  constructor(soak: Soak, shape: Shape, probe: string, host: number) {
    this.#soak = soak;
    this.#shape = shape;
    this.#probe = probe;
    this.#host = host;
  }

  async run(): Promise<void> {
    await this.#soak.repeat('samples', async () => {
      await this.#soak.rest(EVERY);
      if (this.#soak.isLoaded) await this.#take();
    });
  }

  /** Samples of the part of the run that is judged. */
  get judged(): Sample[] {
    return this.samples.filter((sample) => sample.at >= this.#shape.seconds * (1 - JUDGED_SHARE));
  }

  async #take(): Promise<void> {
    const { lives } = this.#soak;
    await lives.up();
    const life = lives.number;
    try {
      const delay = await readProbe(this.#probe);
      const { pid } = lives.server;
      const sample: Sample = {
        at: this.#soak.seconds,
        life,
        age: lives.age,
        serverMb: residentBytes(pid) / MEGABYTE,
        hostMb: residentBytes(this.#host) / MEGABYTE,
        serverDescriptors: descriptors(pid),
        hostDescriptors: descriptors(this.#host),
        loopOwn: delay.longestOwn,
        loopGap: delay.longest,
      };
      if (lives.number !== life || !lives.isUp) return;
      this.samples.push(sample);
      this.#tell(sample);
    } catch (error) {
      // The server was killed while it was looked at.
      const isGone = isCut(error) || error instanceof ProbeCut;
      if (isGone && (lives.number !== life || !lives.isUp)) return;
      throw error;
    }
  }

  #tell(sample: Sample): void {
    const every = this.#shape.seconds > 180 ? 15 : 5;
    if (sample.at < this.#told + every) return;
    this.#told = sample.at;
    const { counts, faults } = this.#soak;
    const recent = this.samples.filter((known) => known.at > sample.at - every);
    const worst = Math.max(...recent.map((known) => known.loopOwn));
    this.#soak.say(
      [
        `server ${sample.serverMb.toFixed(0)} MB, host ${sample.hostMb.toFixed(0)} MB`,
        `${sample.serverDescriptors} + ${sample.hostDescriptors} descriptors`,
        `loop ${worst.toFixed(0)} ms`,
        `${counts.exits} exits, ${counts.visits} visits, ${counts.words} words, ${counts.requests} questions`,
        faults.length === 0 ? 'no fault' : `${faults.length} FAULTS`,
      ].join(' · '),
    );
  }
}
