import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { AppError, type EventData, LIMITS, type ProgressQuery } from '../../contract/index.ts';
import { type Database, openDatabase } from '../../platform/database/index.ts';
import { createProgressService, createProgressSwitch, type ProgressService, progressMigrations } from './index.ts';

const REPOSITORY = '/home/me/app';

let clock: ManualClock;
let database: Database;
let service: ProgressService;
let told: [string, unknown][];
let isTracked: (agentType: string | undefined) => Promise<boolean>;
let number = 0;

function start(): void {
  told = [];
  service = createProgressService({
    database,
    clock,
    ids: { uuid: () => `entry-${++number}` },
    repositories: {
      repositoryOf: async (path) => (path.startsWith(REPOSITORY) ? REPOSITORY : undefined),
      normalize: (path) => path,
    },
    isTracked: (type) => isTracked(type),
    publish: <N extends 'progress-recorded' | 'progress-changed'>(name: N, data: EventData[N]) => {
      told.push([name, data]);
    },
  });
}

beforeEach(() => {
  number = 0;
  clock = new ManualClock();
  database = openDatabase(':memory:', {
    migrations: progressMigrations.map((migration, index) => ({ ...migration, version: index + 1 })),
    clock,
  });
  isTracked = async () => true;
  start();
});
afterEach(() => database.close());

const query = (more: Partial<ProgressQuery> = {}): ProgressQuery => ({ path: REPOSITORY, limit: 50, ...more });
const done = (text: string, more: object = {}) =>
  service.record({ type: 'done', text, folder: `${REPOSITORY}/src`, ...more });
const texts = async (more: Partial<ProgressQuery> = {}) => (await service.list(query(more))).entries.map((e) => e.text);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof AppError ? error.code : Promise.reject(error)),
  );

describe('the journal', () => {
  it('PRJ-1, PRJ-3: an entry is stored, then told, with who wrote it', async () => {
    const receipt = await done('wrote the parser', { step: '2 of 3', agent_type: 'claude', session_id: 's' });
    const entry = {
      id: 'entry-1',
      kind: 'done',
      text: 'wrote the parser',
      step: '2 of 3',
      agent: 'claude',
      session_id: 's',
      created_at: clock.now(),
    };
    expect(receipt).toEqual({ ok: true, id: 'entry-1' });
    expect(told).toEqual([['progress-recorded', { repo_path: REPOSITORY, entry }]]);
    // Another server over the same file knows it.
    start();
    expect((await service.list(query())).entries).toEqual([entry]);
  });

  it('PRJ-2: the project of the peer, then its folder, then the repository of its protocol session; none is an error', async () => {
    const all = { project: '/other', folder: REPOSITORY, root: '/elsewhere' };
    await done('by project', all);
    await done('by folder', { ...all, project: undefined });
    await done('by root', { folder: '/nowhere', root: REPOSITORY });
    await done('a name is no place', { project: 'app', folder: REPOSITORY });
    expect(await texts({ path: '/other' })).toEqual(['by project']);
    expect(await texts()).toEqual(['by folder', 'by root', 'a name is no place']);
    expect(await codeOf(done('lost', { folder: '/nowhere' }))).toBe('progress_no_repository');
    expect(told).toHaveLength(4);
  });

  it('PRJ-4: an agent whose journal is off is told, and nothing is stored', async () => {
    let isOn = true;
    isTracked = createProgressSwitch({
      isOn: () => isOn,
      read: async () => ({ agents: { codex: { progress_tracking: false }, claude: {} } }),
    });
    expect(await codeOf(done('x', { agent_type: 'codex' }))).toBe('progress_tracking_disabled');
    expect(await codeOf(done('by claude', { agent_type: 'claude' }))).toBe('none');
    expect(await codeOf(done('by nobody'))).toBe('none');
    const spoken = { text: 'read it', folder: REPOSITORY, session_id: 's' };
    expect(await service.recordIntent({ ...spoken, agent_type: 'codex' })).toBeUndefined();
    isOn = false;
    expect(await codeOf(done('x', { agent_type: 'claude' }))).toBe('progress_tracking_disabled');
    expect(await texts()).toEqual(['by claude', 'by nobody']);
  });

  it('PRJ-5: an intent comes from a terminal, with its title as the step', async () => {
    const spoken = { text: 'read the parser', title: 'Parser', folder: REPOSITORY, session_id: 's' };
    await service.recordIntent({ ...spoken, agent_type: 'claude' });
    expect((await service.list(query({ kind: 'intent' }))).entries).toMatchObject([
      { kind: 'intent', text: 'read the parser', step: 'Parser', agent: 'claude', session_id: 's' },
    ]);
    expect(await service.recordIntent({ ...spoken, folder: '/nowhere', agent_type: 'claude' })).toBeUndefined();
  });

  it('PRJ-8: without since the newest, with it the oldest after it; the times grow within one millisecond and over a clear', async () => {
    for (const text of ['1', '2', '3', '4', '5']) await done(text);
    const newest = await service.list(query({ limit: 2 }));
    expect(newest.entries.map(({ text }) => text)).toEqual(['4', '5']);
    const first = await service.list(query({ limit: 2, since: 0 }));
    expect(first.entries.map(({ text }) => text)).toEqual(['1', '2']);
    expect(await texts({ limit: 2, since: first.next_since })).toEqual(['3', '4']);
    expect((await service.list(query({ since: newest.next_since }))).next_since).toBe(newest.next_since);
    expect((await service.list(query({ path: '/empty' }))).next_since).toBe(0);
    await service.clear(REPOSITORY);
    start();
    await done('after');
    expect(await texts({ since: newest.next_since })).toEqual(['after']);
  });

  it('PRJ-9: while it is paused nothing is added, intents neither, and the caller is told', async () => {
    await service.pause(REPOSITORY, true);
    start();
    expect(await done('x')).toEqual({ ok: true, recorded: false, reason: 'paused' });
    const spoken = { text: 'read it', folder: REPOSITORY, session_id: 's', agent_type: 'claude' };
    expect(await service.recordIntent(spoken)).toBeUndefined();
    expect(told).toEqual([]);
    expect(await service.list(query())).toEqual({ entries: [], next_since: 0, paused: true });
    await service.pause(REPOSITORY, false);
    expect(told).toEqual([['progress-changed', { repo_path: REPOSITORY, paused: false, cleared: 0 }]]);
    expect(await done('goes on')).toMatchObject({ id: expect.any(String) });
  });

  it('PRJ-7: a person clears what is older, and corrects an entry', async () => {
    await done('old');
    clock.advance(1_000);
    await done('new', { step: 'one' });
    told = [];
    expect(await service.clear(REPOSITORY, clock.now())).toEqual({ removed: 1 });
    expect(told).toEqual([['progress-changed', { repo_path: REPOSITORY, paused: false, cleared: 1 }]]);
    const corrected = service.correct('entry-2', { text: 'newer', step: null, kind: 'blocked' });
    expect(corrected).toEqual({
      id: 'entry-2',
      kind: 'blocked',
      text: 'newer',
      created_at: clock.now(),
      corrected_at: clock.now(),
    });
    expect(told[1]).toEqual(['progress-recorded', { repo_path: REPOSITORY, entry: corrected }]);
    expect((await service.list(query())).entries).toEqual([corrected]);
    expect(() => service.correct('nobody', { text: 'x' })).toThrow('progress entry nobody');
  });

  it('a journal keeps its newest entries', async () => {
    await done('the first');
    database.transaction(() => {
      for (let at = 1; at <= LIMITS.progressEntries; at++) {
        database.run('INSERT INTO progress (id, repo_path, kind, text, created_at) VALUES (?, ?, ?, ?, ?)', [
          `filler-${at}`,
          REPOSITORY,
          'done',
          'filler',
          clock.now() + at,
        ]);
      }
      database.run('UPDATE progress_repositories SET newest = ?', [clock.now() + LIMITS.progressEntries]);
    });
    await done('the last');
    const count = database.get('SELECT count(*) AS number FROM progress')?.number;
    expect(count).toBe(LIMITS.progressEntries);
    expect(await texts({ since: 0, limit: 1 })).toEqual(['filler']);
    expect(await texts({ limit: 1 })).toEqual(['the last']);
  });

  it('the document holds every entry by days, and no markup of an agent', async () => {
    await done('wrote *it*\n# not a title [x](javascript:y)', { step: 'one', agent_type: 'claude' });
    clock.advance(86_400_000);
    await done('next');
    const { type, text } = await service.export(REPOSITORY, 'md');
    expect(type).toContain('text/markdown');
    const [day, nextDay] = [0, 86_400_000].map((more) =>
      new Date(clock.now() - 86_400_000 + more).toISOString().slice(0, 10),
    );
    expect(text.match(/^#.*$/gm)).toEqual([`# Progress of ${REPOSITORY}`, `## ${day}`, `## ${nextDay}`]);
    expect(text).toContain('wrote \\*it\\* \\# not a title \\[x\\]\\(javascript:y\\) (one, claude)');
    const json = await service.export(REPOSITORY, 'json');
    expect(JSON.parse(json.text)).toEqual((await service.list(query())).entries);
  });
});
