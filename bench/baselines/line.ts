/**
 * One terminal of a contestant, as a viewer has it: bytes go in, bytes come out. So the same measurement runs against each
 * of them.
 */
export interface Line {
  /** Bytes received so far. */
  readonly received: number;
  send(text: string): void;
  /** Called at each arrival, with what came. One listener. */
  onData(listener: (bytes: Uint8Array | string) => void): void;
  close(): Promise<void>;
}

/** A product that runs one program for each line. */
export interface Contestant {
  readonly name: string;
  open(): Promise<Line>;
  /** Processes that do the work for a line; their processor time is told. */
  pids(): number[];
}

/** Waits until so many bytes have come in all. */
export function untilReceived(line: Line, count: number, patience = 120_000): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${line.received} of ${count} bytes came`)), patience);
    const look = () => {
      if (line.received < count) return;
      clearTimeout(timer);
      resolve();
    };
    line.onData(look);
    look();
  });
}
