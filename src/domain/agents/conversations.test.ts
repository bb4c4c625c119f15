import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { createConversations } from './conversations.ts';

const ID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const OTHER = '7f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const CWD = '/srv/my_app/.x';

const cleanup = cleanupAfterEach();
let home: string;
beforeEach(async () => {
  home = await cleanup.temporaryDirectory('conversations-');
});

async function put(path: string, text = ''): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const look = (env: Record<string, string> = {}) => createConversations({ home, env });

describe('conversations of Claude Code', () => {
  const folder = '.claude/projects/-srv-my-app--x';

  it('http.md 12: are found by folder and id, also elsewhere when a variable says so', async () => {
    await put(`${folder}/${ID}.jsonl`);
    expect(await look().has('claude', CWD, ID)).toBe(true);
    expect(await look().has('claude-code', CWD, ID)).toBe(true);
    for (const [cwd, id] of [
      ['/srv', ID],
      [CWD, OTHER],
      [CWD, `../-srv-my-app--x/${ID}`],
    ] as const)
      expect(await look().has('claude', cwd, id)).toBe(false);
    expect(await look({ CLAUDE_CONFIG_DIR: join(home, 'else') }).has('claude', CWD, ID)).toBe(false);
    await put(`else/projects/-srv-my-app--x/${OTHER}.jsonl`);
    expect(await look().has('claude', CWD, OTHER, { CLAUDE_CONFIG_DIR: join(home, 'else') })).toBe(true);
  });

  it('that began since a time are told, newest first', async () => {
    const old = await put(`${folder}/${ID}.jsonl`);
    // Its time of birth cannot be set; it counts by the older of the two.
    await utimes(old, 1_000, 1_000);
    await put(`${folder}/${OTHER}.jsonl`);
    await put(`${folder}/notes.jsonl`);
    expect((await look().begunSince('claude', CWD, 2_000_000))?.map(({ id }) => id)).toEqual([OTHER]);
    expect((await look().begunSince('claude', CWD, 0))?.map(({ id }) => id)).toEqual([OTHER, ID]);
    expect(await look().begunSince('claude', '/absent', 0)).toEqual([]);
  });
});

describe('conversations of Codex', () => {
  const meta = (cwd: string) => `${JSON.stringify({ type: 'session_meta', payload: { id: ID, cwd } })}\n{}\n`;

  it('are found by id in any folder of days, and by the folder that their first line names', async () => {
    const day = '.codex/sessions/2026/11/30';
    await put(`${day}/rollout-2026-11-30T10-00-00-${ID}.jsonl`, meta(CWD));
    await put(`${day}/rollout-2026-11-30T11-00-00-${OTHER}.jsonl`, meta('/else'));
    await put(`${day}/rollout-2026-11-30T12-00-00-8${OTHER.slice(1)}.jsonl`, '{"cut');
    await put('.codex/sessions/notes.txt');
    const begun = new Date(2026, 10, 30, 10, 0, 0).getTime();
    expect(await look().has('codex', '/anywhere', ID)).toBe(true);
    expect(await look().has('codex', '/anywhere', ID.replace('6', '9'))).toBe(false);
    expect(await look().begunSince('codex', CWD, begun)).toEqual([{ id: ID, begunAt: begun }]);
    expect(await look().begunSince('codex', CWD, begun + 2_000)).toEqual([]);
    expect(await look({ CODEX_HOME: join(home, 'else') }).begunSince('codex', CWD, 0)).toEqual([]);
  });
});

describe('conversations of an agent whose files are not read', () => {
  it('are not known', async () => {
    for (const name of ['goose', 'own', 'constructor']) {
      expect(await look().has(name, CWD, ID)).toBe(false);
      expect(await look().begunSince(name, CWD, 0)).toBeUndefined();
    }
  });
});
