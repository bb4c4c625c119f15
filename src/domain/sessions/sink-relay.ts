import type { ExitStatus, PtySink } from '../../contract/index.ts';

/**
 * Keeps a stream's calls in order until there is somebody to take them: a host may deliver before the answer to `attach`
 * was looked at.
 */
export class SinkRelay implements PtySink {
  #target: PtySink | undefined;
  #queue: ((sink: PtySink) => void)[] = [];

  forwardTo(target: PtySink): void {
    this.#target = target;
    const queue = this.#queue;
    this.#queue = [];
    for (const call of queue) call(target);
  }

  output(offset: number, bytes: Uint8Array): void {
    this.#pass((sink) => sink.output(offset, bytes));
  }

  resized(offset: number, cols: number, rows: number): void {
    this.#pass((sink) => sink.resized(offset, cols, rows));
  }

  gap(from: number, to: number): void {
    this.#pass((sink) => sink.gap(from, to));
  }

  exit(offset: number, status: ExitStatus): void {
    this.#pass((sink) => sink.exit(offset, status));
  }

  end(offset: number): void {
    this.#pass((sink) => sink.end(offset));
  }

  #pass(call: (sink: PtySink) => void): void {
    if (this.#target === undefined) this.#queue.push(call);
    else call(this.#target);
  }
}
