/**
 * The conversations that agents keep on this machine (http.md 12), by which one is taken up again. Reads only the names of their files, and
 * of some the first lines; where an agent keeps them is a fact about another program, one function an agent. An agent that is not here keeps
 * them in a form that is not read: only what it told itself counts for it.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_SESSION_ID, LIMITS } from '../../contract/index.ts';
import { readFirstLine } from '../../platform/fs/index.ts';
import { findAgent } from './catalogue/index.ts';

export interface Place {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

export interface Conversation {
  id: string;
  /** Epoch milliseconds. */
  begunAt: number;
}

interface ConversationFiles {
  /** Those of one folder that began at `since` or later, in no order. */
  list(place: Place, cwd: string, since: number): Promise<Conversation[]>;
  has(place: Place, cwd: string, id: string): Promise<boolean>;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).slice(0, LIMITS.conversationFiles);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}

async function begunAt(path: string): Promise<number> {
  const { birthtimeMs, mtimeMs } = await stat(path);
  // A file system without times of birth says 0, or the time of the change.
  return birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
}

const claude: ConversationFiles = (() => {
  const folderOf = ({ home, env }: Place, cwd: string) =>
    join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'));
  return {
    async list(place, cwd, since) {
      const folder = folderOf(place, cwd);
      const files = (await namesIn(folder)).filter((name) => /^[0-9a-f-]{36}\.jsonl$/.test(name));
      const all = await Promise.all(
        files.map(async (name) => ({ id: name.slice(0, 36), begunAt: await begunAt(join(folder, name)) })),
      );
      return all.filter((conversation) => conversation.begunAt >= since);
    },
    has: async (place, cwd, id) => (await namesIn(folderOf(place, cwd))).includes(`${id}.jsonl`),
  };
})();

const codex: ConversationFiles = (() => {
  const ROLLOUT = /^rollout-(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)-([0-9a-f-]{36})\.jsonl$/;
  const rootOf = ({ home, env }: Place) => join(env.CODEX_HOME || join(home, '.codex'), 'sessions');

  /** Newest day first. */
  async function* files(place: Place): AsyncGenerator<{ path: string; id: string; begunAt: number }> {
    const root = rootOf(place);
    const below = async (folder: string) =>
      (await namesIn(folder))
        .filter((name) => /^\d+$/.test(name))
        .sort()
        .reverse();
    for (const year of await below(root)) {
      for (const month of await below(join(root, year))) {
        for (const day of await below(join(root, year, month))) {
          const folder = join(root, year, month, day);
          for (const name of await namesIn(folder)) {
            const [, ...parts] = ROLLOUT.exec(name) ?? [];
            const [y, mo, d, h, mi, s] = parts.map(Number) as [number, number, number, number, number, number];
            const id = parts[6];
            // The name tells the time of this place.
            if (id !== undefined)
              yield { path: join(folder, name), id, begunAt: new Date(y, mo - 1, d, h, mi, s).getTime() };
          }
        }
      }
    }
  }

  async function folderIn(path: string): Promise<unknown> {
    const line = await readFirstLine(path, LIMITS.conversationHead);
    try {
      return (JSON.parse(line ?? 'null') as { payload?: { cwd?: unknown } } | null)?.payload?.cwd;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  return {
    async list(place, cwd, since) {
      const found: Conversation[] = [];
      // A day more: names and folders are in the time of this place, which may have changed.
      const oldest = since - 86_400_000;
      for await (const { path, id, begunAt: begun } of files(place)) {
        if (begun < oldest) break;
        // Its name has whole seconds.
        if (begun >= since - 1_000 && (await folderIn(path)) === cwd) found.push({ id, begunAt: begun });
      }
      return found;
    },
    async has(place, _cwd, id) {
      for await (const file of files(place)) if (file.id === id) return true;
      return false;
    },
  };
})();

const FILES: Readonly<Record<string, ConversationFiles>> = { claude, codex };

export interface Conversations {
  /** False too for an agent whose files are not read. */
  has(agentType: string, cwd: string, id: string, env?: Readonly<Record<string, string>>): Promise<boolean>;
  /** Undefined when its files are not read. */
  begunSince(agentType: string, cwd: string, since: number): Promise<Conversation[] | undefined>;
}

export function createConversations({ home, env }: Place): Conversations {
  const filesOf = (agentType: string) => {
    const id = findAgent(agentType)?.id ?? '';
    return Object.hasOwn(FILES, id) ? FILES[id] : undefined;
  };
  return {
    async has(agentType, cwd, id, own = {}) {
      // It becomes the name of a file.
      if (!AGENT_SESSION_ID.test(id)) return false;
      return (await filesOf(agentType)?.has({ home: own.HOME ?? home, env: { ...env, ...own } }, cwd, id)) ?? false;
    },
    async begunSince(agentType, cwd, since) {
      const found = await filesOf(agentType)?.list({ home, env }, cwd, since);
      return found?.sort((left, right) => right.begunAt - left.begunAt);
    },
  };
}
