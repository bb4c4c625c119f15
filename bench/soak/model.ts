/** What a soak is told, what it keeps while it runs, and what it tells in the end. */

export interface Shape {
  /** How long sessions are under load; opening them and the checks at the end come on top. */
  readonly seconds: number;
  readonly firstKill: number;
  readonly killEvery: number;
}

/** The last 60 % of the run. */
export const JUDGED_SHARE = 0.6;
export const GROWTH_LIMIT = 0.5;

export interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  /** Which server since the beginning, and for how many seconds it has been up. */
  readonly life: number;
  readonly age: number;
  readonly serverMb: number;
  readonly hostMb: number;
  readonly serverDescriptors: number;
  readonly hostDescriptors: number;
  /** Event loop of the server since the last sample, in milliseconds: its own doing, and with the waits for a processor. */
  readonly loopOwn: number;
  readonly loopGap: number;
}

export interface Kill {
  readonly at: number;
  /** Milliseconds from the kill until the server answered again, and until all sessions were in its list. */
  readonly answered: number;
  readonly complete: number;
}

export interface SessionSum {
  readonly id: string;
  readonly kind: Kind;
  /** Bytes its program says it printed, bytes the witness read, bytes it was told to have missed. */
  readonly printed: number;
  readonly read: number;
  readonly told: number;
  readonly logLines: number;
  /** Empty when everything adds up. */
  readonly faults: string[];
}

export type Kind = 'silent' | 'chatty' | 'flood' | 'screen' | 'burst';

export const MIX: Readonly<Record<Kind, number>> = { silent: 14, chatty: 16, flood: 2, screen: 6, burst: 12 };

export interface Sum {
  readonly bytes: number;
  readonly sha256: string;
  readonly lines: number;
}

/** Adds up over a run. */
export class Counts {
  bytesRead = 0;
  bytesTold = 0;
  exits = 0;
  visits = 0;
  stalls = 0;
  words = 0;
  requests = 0;
}
