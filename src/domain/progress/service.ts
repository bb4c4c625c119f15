/**
 * Owns the journal of each repository: what its agents said they will do, did, and are blocked by (mcp.md 12).
 *
 * Promises: an entry is on the disk before anybody is told of it (PRJ-3); the times of a repository only grow, so one of them is a
 * cursor that survives restarts, a clock that goes back and a clear (PRJ-8); while it is paused nothing is added, and the caller is told (PRJ-9).
 */
import { isAbsolute } from 'node:path';
import type { Clock, Ids } from '../../base/index.ts';
import {
  AppError,
  type CorrectProgress,
  type EventData,
  type ProgressEntry,
  type ProgressList,
  type ProgressQuery,
  type ProgressReceipt,
  type RecordProgress,
} from '../../contract/index.ts';
import type { Database } from '../../platform/database/index.ts';
import { toMarkdown } from './markdown.ts';
import { ProgressStore, toEntry } from './progress-store.ts';

/** What an agent said on its screen that it is about to do (MRK-2, PRJ-5). */
export interface SpokenIntent {
  text: string;
  title?: string | undefined;
  /** Working folder of its terminal. */
  folder: string;
  session_id: string;
  agent_type: string;
}

export interface ProgressService {
  record(input: RecordProgress): Promise<ProgressReceipt>;
  /** Undefined while nothing is recorded there. */
  recordIntent(intent: SpokenIntent): Promise<ProgressEntry | undefined>;
  /** What the terminal said last, as far as it is kept. */
  lastIntent(sessionId: string): string | undefined;
  list(query: ProgressQuery): Promise<ProgressList>;
  pause(path: string, paused: boolean): Promise<void>;
  clear(path: string, before?: number): Promise<{ removed: number }>;
  correct(id: string, change: CorrectProgress): ProgressEntry;
  export(path: string, format: 'md' | 'json'): Promise<{ type: string; text: string }>;
}

export interface ProgressDependencies {
  database: Database;
  clock: Clock;
  ids: Ids;
  repositories: {
    /** The repository that holds the path; undefined when none does. Throws what a bad path is. */
    repositoryOf(path: string): Promise<string | undefined>;
    /** One spelling of a path. Throws what a bad path is. */
    normalize(path: string): string;
  };
  /** The journal is on for agents of this type; undefined: of a caller that has none. */
  isTracked: (agentType: string | undefined) => Promise<boolean>;
  publish: <N extends 'progress-recorded' | 'progress-changed'>(name: N, data: EventData[N]) => void;
}

/** More than are kept. */
const ALL = 1_000_000;
const FROM_MARKER = { text: 2_000, step: 200 };

export function createProgressService(dependencies: ProgressDependencies): ProgressService {
  const { clock, ids, repositories, isTracked, publish } = dependencies;
  const store = new ProgressStore(dependencies.database);

  /** Of the person's question: also a folder that is no repository has a journal, if only an empty one. */
  async function named(path: string): Promise<string> {
    return (await repositories.repositoryOf(path)) ?? repositories.normalize(path);
  }

  /** PRJ-2. A project that is no path names no repository. */
  async function placeOf({ project, folder, root }: RecordProgress): Promise<string | undefined> {
    if (project !== undefined && isAbsolute(project)) return named(project);
    for (const place of [folder, root]) {
      const found = place === undefined ? undefined : await repositories.repositoryOf(place);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function append(entry: Parameters<ProgressStore['append']>[0]): ProgressEntry | undefined {
    if (store.repository(entry.repo_path).isPaused) return undefined;
    const stored = toEntry(store.append(entry, clock.now()));
    publish('progress-recorded', { repo_path: entry.repo_path, entry: stored });
    return stored;
  }

  return {
    async record(input) {
      const { type, text, step, agent_type, peer_name, session_id } = input;
      if (!(await isTracked(agent_type))) throw new AppError('progress_tracking_disabled');
      const repo_path = await placeOf(input);
      if (repo_path === undefined) throw new AppError('progress_no_repository');
      const entry = append({
        id: ids.uuid(),
        repo_path,
        kind: type,
        text,
        step: step ?? null,
        agent: agent_type ?? peer_name ?? null,
        session_id: session_id ?? null,
      });
      return entry === undefined ? { ok: true, recorded: false, reason: 'paused' } : { ok: true, id: entry.id };
    },

    async recordIntent({ text, title, folder, session_id, agent_type }) {
      if (!(await isTracked(agent_type))) return undefined;
      const repo_path = await repositories.repositoryOf(folder);
      if (repo_path === undefined) return undefined;
      const cut = { text: text.slice(0, FROM_MARKER.text), step: title?.slice(0, FROM_MARKER.step) ?? null };
      return append({ id: ids.uuid(), repo_path, kind: 'intent', ...cut, agent: agent_type, session_id });
    },

    lastIntent: (sessionId) => store.lastIntent(sessionId),

    async list({ path, limit, since, kind }) {
      const repository = await named(path);
      const found =
        since === undefined ? store.newest(repository, limit, kind) : store.after(repository, since, limit, kind);
      return {
        entries: found.map(toEntry),
        next_since: found.at(-1)?.created_at ?? since ?? 0,
        ...(store.repository(repository).isPaused ? { paused: true as const } : {}),
      };
    },

    async pause(path, paused) {
      const repo_path = await named(path);
      store.setPaused(repo_path, paused);
      publish('progress-changed', { repo_path, paused, cleared: 0 });
    },

    async clear(path, before) {
      const repo_path = await named(path);
      const removed = store.remove(repo_path, before);
      publish('progress-changed', { repo_path, paused: store.repository(repo_path).isPaused, cleared: removed });
      return { removed };
    },

    correct(id, change) {
      const found = store.find(id);
      if (found === undefined) throw new AppError('not_found', { what: `progress entry ${id}` });
      const corrected = {
        ...found,
        kind: change.kind ?? found.kind,
        text: change.text ?? found.text,
        step: change.step === undefined ? found.step : change.step,
        corrected_at: clock.now(),
      };
      store.correct(id, corrected);
      const entry = toEntry(corrected);
      publish('progress-recorded', { repo_path: found.repo_path, entry });
      return entry;
    },

    async export(path, format) {
      const repository = await named(path);
      const entries = store.newest(repository, ALL, undefined).map(toEntry);
      return format === 'json'
        ? { type: 'application/json', text: JSON.stringify(entries, null, 2) }
        : { type: 'text/markdown; charset=utf-8', text: toMarkdown(repository, entries) };
    },
  };
}
