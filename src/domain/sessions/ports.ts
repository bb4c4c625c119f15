/** What the sessions room needs from outside; the daemon hands in the real ones. */
import type { Clock, Ids } from '../../base/index.ts';
import type { Database } from '../../platform/database/index.ts';
import type { SessionFiles } from '../../platform/fs/index.ts';
import type { ProcessEntry, ProcessTable } from '../../platform/process/index.ts';
import type { ActivityReader, ForegroundProgram } from './activity.ts';
import type { HostSupervisor } from './host-supervisor.ts';
import type { PublishEvent } from './model.ts';
import type { CreateScreen } from './screen/model.ts';

/** Structured log; terminal content never goes in. */
export interface SessionLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Sees the bytes of every terminal as they pass, for the raw capture. Must neither wait nor throw, and copies what it keeps: the bytes
 * are changed afterwards.
 */
export interface RawTap {
  /** Read from the terminal, at once. */
  output(session: string, bytes: Uint8Array): void;
  /** Handed to the terminal, at once. */
  input(session: string, bytes: Uint8Array): void;
  /** Output was lost before it came here. */
  gap(session: string): void;
}

export interface SessionSettings {
  maxSessions(): number;
  /** The person's default program, when the configuration names one. */
  shell?(): string | undefined;
}

export interface SessionDependencies {
  hosts: HostSupervisor;
  database: Database;
  /** Durable screens and logs. */
  checkpoints: SessionFiles;
  publish: PublishEvent;
  clock: Clock;
  ids: Ids;
  createScreen: CreateScreen;
  processes: ProcessTable;
  log: SessionLog;
  /** The server's own environment. */
  environment: Readonly<Record<string, string | undefined>>;
  settings: SessionSettings;
  version: string;
  configDirectory: string;
  instance?: string | undefined;
  tap?: RawTap;
  /** `agentType`: the agent a session was opened for. */
  createActivityReader(agentType: string | null, hookNonce: string | null): ActivityReader;
  /** What a process is; without it nobody looks. Null: it is gone, or not ours. */
  recogniseProgram?(pid: number): Promise<ForegroundProgram | null>;
  /** Names of what the agent in front (`pid`) left running; without it nobody looks. */
  findBackgroundWork?(processes: readonly ProcessEntry[], pid: number): readonly string[];
}
