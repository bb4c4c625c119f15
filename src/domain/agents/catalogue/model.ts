/** What is known of one coding agent. Facts about other programs, one file an agent; `verified` ones were tried with a release. */

import type { ScreenAdapter } from '../screens/model.ts';

/** By what its state can be told (mcp.md 9.1), strongest first. */
export type EvidenceKind = 'program-status' | 'hooks' | 'title' | 'screen';

export interface CatalogueAgent {
  /** As `agent_type` on the wire. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Programs by which it is started, the usual one first: that one is its name in lists. */
  readonly binaries: readonly [string, ...string[]];
  /** Other names by which it calls itself (OSC 7501 `app`). */
  readonly aliases: readonly string[];
  readonly versionArgs: readonly string[];
  /** The version in what it printed; undefined when that is not this program's. */
  readVersion(output: string): string | undefined;
  /** Arguments that start it with a task: `{prompt}` is where it goes (AGT-4); undefined when that is not known. */
  readonly launch: readonly string[] | undefined;
  /** A prompt on its command line only fills its input line, so it is given later (AGT-5). */
  readonly isPrefillOnly: boolean;
  /** Arguments that take up an earlier conversation: `{session}` is its own id of it. */
  readonly resume: readonly string[] | undefined;
  readonly evidence: readonly EvidenceKind[];
  /** Reads its screen. What one of an agent that is not `verified` says is a hint, never a confirmation (STM-30). */
  readonly screen?: ScreenAdapter;
  /** These facts were checked with a release of it (test/agents). */
  readonly verified: boolean;
}

/** A version as most programs print it: the first word with two numbers and a dot. */
export function firstVersion(output: string): string | undefined {
  return /(?:^|[\s v])v?(\d+\.\d+[\w.+-]*)/.exec(output)?.[1];
}

/** The usual case of an agent that nobody has tried yet. */
export const UNVERIFIED = {
  aliases: [],
  versionArgs: ['--version'],
  readVersion: firstVersion,
  launch: undefined,
  isPrefillOnly: false,
  resume: undefined,
  evidence: [],
  verified: false,
} as const satisfies Partial<CatalogueAgent>;
