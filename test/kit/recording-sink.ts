/** For tests of the host: a sink that records and can be waited for, and the request of a plain program. */
import { createHash } from 'node:crypto';
import type { ExitStatus, PtyHost, PtySink, SpawnRequest } from '../../src/contract/index.ts';

export type SinkEvent =
  | { kind: 'output'; offset: number; bytes: Uint8Array }
  | { kind: 'resized'; offset: number; cols: number; rows: number }
  | { kind: 'gap'; from: number; to: number }
  | { kind: 'exit'; offset: number; status: ExitStatus }
  | { kind: 'end'; offset: number };

export class RecordingSink implements PtySink {
  readonly events: SinkEvent[] = [];
  /** Called for each output; set it to acknowledge. */
  onOutput: ((end: number) => void) | undefined;
  #waiters: { check: () => boolean; resolve: () => void }[] = [];
  #text = '';
  #bytes = 0;

  output(offset: number, bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#text += Buffer.from(bytes).toString('latin1');
    this.#add({ kind: 'output', offset, bytes });
    this.onOutput?.(offset + bytes.length);
  }
  resized(offset: number, cols: number, rows: number): void {
    this.#add({ kind: 'resized', offset, cols, rows });
  }
  gap(from: number, to: number): void {
    this.#add({ kind: 'gap', from, to });
  }
  exit(offset: number, status: ExitStatus): void {
    this.#add({ kind: 'exit', offset, status });
  }
  end(offset: number): void {
    this.#add({ kind: 'end', offset });
  }

  /** All output as latin1. */
  get text(): string {
    return this.#text;
  }
  get byteCount(): number {
    return this.#bytes;
  }
  get hash(): string {
    return createHash('sha256').update(this.#text, 'latin1').digest('hex');
  }
  get exitStatus(): ExitStatus | undefined {
    return this.#find('exit')?.status;
  }

  until(check: () => boolean): Promise<void> {
    if (check()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ check, resolve }));
  }
  untilText(text: string): Promise<void> {
    return this.until(() => this.#text.includes(text));
  }
  untilExit(): Promise<void> {
    return this.until(() => this.#find('exit') !== undefined);
  }
  untilEnd(): Promise<void> {
    return this.until(() => this.#find('end') !== undefined);
  }

  #find<K extends SinkEvent['kind']>(kind: K): Extract<SinkEvent, { kind: K }> | undefined {
    return this.events.find((event): event is Extract<SinkEvent, { kind: K }> => event.kind === kind);
  }

  #add(event: SinkEvent): void {
    this.events.push(event);
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => !waiter.check());
    for (const waiter of waiters) if (!this.#waiters.includes(waiter)) waiter.resolve();
  }
}

let counter = 0;

export function programRequest(file: string, args: string[] = [], more: Partial<SpawnRequest> = {}): SpawnRequest {
  const id = `session-${++counter}`;
  return {
    id,
    file,
    args,
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      TERM: 'xterm-256color',
      TUIC_SESSION: `test-${process.pid}-${id}`,
    },
    cwd: '/',
    cols: 80,
    rows: 24,
    ...more,
  };
}

/** Spawns and attaches from the first byte on, acknowledging everything. */
export async function openProgram(
  host: PtyHost,
  request: SpawnRequest,
): Promise<{ id: string; pid: number; sink: RecordingSink }> {
  const { pid } = await host.spawn(request);
  const sink = new RecordingSink();
  let stored = 0;
  sink.onOutput = (end) => {
    host.acknowledge(request.id, end);
    if (end - stored < 262_144) return;
    stored = end;
    host.storeCheckpoint(request.id, end, new Uint8Array(0));
  };
  await host.attach(request.id, 0, sink);
  return { id: request.id, pid, sink };
}
