/**
 * Which agents and editors this machine has (http.md 12). Owns what was found out: the PATH of the login shell for a while, and
 * the version of each program for as long as its file stays the same. Every answer comes within DEADLINES.agentDetect; what was not known
 * by then is null in it and found by the next. Nothing is started but the login shell and `PROGRAM --version`.
 */
import { type Clock, delay, Slots } from '../../base/index.ts';
import { DEADLINES, type DetectedAgent, LIMITS } from '../../contract/index.ts';
import { fileStamp, findProgram } from '../../platform/fs/index.ts';
import { type ProgramEnd, type ProgramRun, runProgram } from '../../platform/process/index.ts';
import { CATALOGUE, type CatalogueAgent, findAgent } from './catalogue/index.ts';
import { EDITORS } from './editors.ts';
import { SearchPath } from './search-path.ts';

export interface AgentDetection {
  /** Every agent of the catalogue, in its order. */
  agents(): Promise<DetectedAgent[]>;
  /** One by type or program; undefined for one that is not in the catalogue. */
  agent(name: string): Promise<DetectedAgent | undefined>;
  /** Ids of the editors that are here, sorted as in the catalogue. */
  editors(): Promise<string[]>;
  /** Absolute path of each, null for one that is not here. */
  programs(names: readonly string[]): Promise<Map<string, string | null>>;
  /** PATH for a program that is started: the server's, as in every terminal, then what else the login shell has. */
  path(): Promise<string>;
  /** Ends what was started. */
  close(): void;
}

export interface AgentDetectionOptions {
  /** The login shell. */
  shell: () => string;
  home: string;
  /** Of the server, stripped as for a session. */
  environment: Readonly<Record<string, string>>;
  clock: Clock;
  run?: (run: ProgramRun) => Promise<ProgramEnd>;
  find?: typeof findProgram;
}

export function createAgentDetection(options: AgentDetectionOptions): AgentDetection {
  const { home, environment, clock, run = runProgram, find = findProgram } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const searchPath = new SearchPath({ ...options, run, signal });
  const versions = new Map<string, { stamp: string; version: Promise<string | null | undefined> }>();
  const slots = new Slots(LIMITS.versionPrograms);
  // One at a time: a folder whose disk does not answer holds one thread of the process, and not all.
  const looks = new Slots(1);

  /** What is not there in time is `late`. */
  async function inTime<T>(work: Promise<T>, late: T): Promise<T> {
    const waiting = new AbortController();
    const end = delay(clock, DEADLINES.agentDetect, waiting.signal).then(
      () => late,
      () => late,
    );
    try {
      return await Promise.race([work, end]);
    } finally {
      waiting.abort();
    }
  }

  async function findFirst(names: readonly string[], folders: Promise<readonly string[]>): Promise<string | undefined> {
    const places = await folders;
    return looks.use(async () => {
      for (const name of names) {
        const path = await find(name, places);
        if (path !== undefined) return path;
      }
      return undefined;
    });
  }

  /** Undefined when it did not answer; null when what it said is no version of this agent. */
  async function askVersion(agent: CatalogueAgent, path: string): Promise<string | null | undefined> {
    const env = { ...environment, TERM: 'dumb', NO_COLOR: '1', PATH: (await searchPath.folders()).join(':') };
    const { outcome, output } = await run({
      file: path,
      args: agent.versionArgs,
      cwd: home,
      env,
      clock,
      deadline: DEADLINES.agentVersion,
      outputLimit: LIMITS.versionOutput,
      signal,
    });
    return outcome === 'ended' ? (agent.readVersion(output) ?? null) : undefined;
  }

  /** Asked once for each state of the file; a program that did not answer is asked again. */
  async function versionOf(agent: CatalogueAgent, path: string): Promise<string | null | undefined> {
    const stamp = `${path} ${await looks.use(() => fileStamp(path))}`;
    const known = versions.get(agent.id);
    if (known?.stamp === stamp) return known.version;
    const asked = { stamp, version: slots.use(() => askVersion(agent, path)) };
    versions.set(agent.id, asked);
    const version = await asked.version;
    if (version === undefined && versions.get(agent.id) === asked) versions.delete(agent.id);
    return version;
  }

  async function detect(agent: CatalogueAgent, folders: Promise<readonly string[]>): Promise<DetectedAgent> {
    const found: DetectedAgent = { name: agent.binaries[0], path: null, version: null };
    const looking = (async () => {
      found.path = (await findFirst(agent.binaries, folders)) ?? null;
      if (found.path !== null) found.version = (await versionOf(agent, found.path)) ?? null;
    })();
    await inTime(looking, undefined);
    // A copy: what comes too late is not for this answer.
    return { ...found };
  }

  return {
    agents() {
      const folders = searchPath.folders();
      return Promise.all(CATALOGUE.map((agent) => detect(agent, folders)));
    },
    async agent(name) {
      const agent = findAgent(name);
      return agent === undefined ? undefined : detect(agent, searchPath.folders());
    },
    async editors() {
      const folders = searchPath.folders();
      const found = await Promise.all(
        Object.entries(EDITORS).map(async ([id, programs]) =>
          (await inTime(findFirst(programs, folders), undefined)) === undefined ? undefined : id,
        ),
      );
      return found.filter((id) => id !== undefined);
    },
    async programs(names) {
      const folders = searchPath.folders();
      const paths = await Promise.all(
        names.map(async (name): Promise<[string, string | null]> => {
          return [name, (await inTime(findFirst([name], folders), undefined)) ?? null];
        }),
      );
      return new Map(paths);
    },
    async path() {
      const own = (environment.PATH ?? '').split(':').filter((folder) => folder !== '');
      return [...new Set([...own, ...(await inTime(searchPath.folders(), []))])].join(':');
    },
    close: () => closing.abort(),
  };
}
