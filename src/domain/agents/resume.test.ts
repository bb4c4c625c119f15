import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { FakeAgents } from '../../../test/kit/fake-agents.ts';
import { sessionInfo } from '../../../test/kit/session-info.ts';
import type { CreateSession, SessionInfo } from '../../contract/index.ts';
import { createAgentResumer } from './resume.ts';

const IDENTITY = 'aaaaaaaa-1111-4111-8111-111111111111';
const cleanup = cleanupAfterEach();
let created: CreateSession[];
let begun: string[] | undefined;
let program: string;
let release: (() => void) | undefined;

beforeEach(async () => {
  created = [];
  begun = [];
  release = undefined;
  program = join(await cleanup.temporaryDirectory('resume-'), 'codex');
  await writeFile(program, '');
  await chmod(program, 0o755);
});

function resumer(info: Partial<SessionInfo>, agent_type: string | null = 'claude', told: string | null = null) {
  const known = sessionInfo('old', { lifecycle: 'lost', tuic_session: IDENTITY, created_at: 500, ...info });
  return createAgentResumer({
    sessions: {
      get: () => known,
      agentOf: () => ({ agent_type, agent_session: told }),
      async create(session) {
        created.push(session);
        await new Promise<void>((resolve) => {
          if (release === undefined) resolve();
          else release = resolve;
        });
        return { session_id: 'new', alias: 'ab-1' };
      },
    },
    conversations: {
      begunSince: async (type, cwd, since) =>
        begun?.map((id) => ({ id: `${id} of ${type} in ${cwd} since ${since}`, begunAt: 1 })),
    },
    detection: new FakeAgents(),
  });
}
const local = { isRemote: false };
const resume = (agent_session?: string, ...from: Parameters<typeof resumer>) =>
  resumer(...from).resume({ id: 'old', ...(agent_session === undefined ? {} : { agent_session }) }, local);

describe('a conversation that goes on', () => {
  it('ADR-9: does so under the same identity, with the words of its agent', async () => {
    const info = { cwd: '/srv', rows: 30, cols: 90, shell: '/absent/claude', args: ['x'], alias: 'ab-7' };
    expect(await resume('c1', info)).toEqual({ session_id: 'new', alias: 'ab-1', agent_session: 'c1' });
    expect(created).toEqual([
      {
        shell: '/opt/agents/claude',
        args: ['--resume', 'c1'],
        agent_type: 'claude',
        cwd: '/srv',
        rows: 30,
        cols: 90,
        env: { PATH: '/usr/bin:/opt/agents' },
        tuic_session: IDENTITY,
      },
    ]);
  });

  it('of a session that has ended keeps its alias and name; Codex keeps what it may do', async () => {
    const args = ['--dangerously-bypass-approvals-and-sandbox', 'Fix it'];
    const named = { alias: 'ab-7', display_name: 'fixer', display_name_is_custom: true };
    await resume('c1', { lifecycle: 'exited', shell: program, args, ...named }, 'codex');
    expect(created).toMatchObject([{ shell: program, args: [args[0], 'resume', 'c1'], ...named }]);
  });

  it('is the one that was asked for, told, given as an argument, or the only one that began there', async () => {
    const args = ['--verbose', '--resume', 'given'];
    const info = { cwd: '/srv' };
    begun = ['one'];
    const of = async (...from: Parameters<typeof resume>) => (await resume(...from)).agent_session;
    expect(await of('asked', { args }, 'claude', 'told')).toBe('asked');
    expect(await of(undefined, { args }, 'claude', 'told')).toBe('told');
    expect(await of(undefined, { args })).toBe('given');
    expect(await of(undefined, info)).toBe('one of claude in /srv since 500');
  });

  it('is never guessed', async () => {
    const code = 'conversation_unknown';
    await expect(resume(undefined, {})).rejects.toMatchObject({ code });
    begun = ['one', 'two'];
    await expect(resume(undefined, {})).rejects.toThrow(/one of claude.*two of claude.*Give agent_session/);
    begun = undefined;
    await expect(resume(undefined, {}, 'gemini')).rejects.toMatchObject({ code });
    for (const type of [null, 'own', 'aider']) await expect(resume('c1', {}, type)).rejects.toMatchObject({ code });
    await expect(resume('c1', { shell: '/absent' }, 'codex')).rejects.toMatchObject({ code: 'program_not_found' });
    expect(created).toEqual([]);
  });

  it('does not begin twice', async () => {
    await expect(resume('c1', { lifecycle: 'live' })).rejects.toMatchObject({ code: 'agent_runs' });
    release = () => {};
    const both = resumer({});
    const first = both.resume({ id: 'old', agent_session: 'c1' }, local);
    await expect(both.resume({ id: 'old', agent_session: 'c1' }, local)).rejects.toMatchObject({ code: 'agent_runs' });
    await expect.poll(() => created).toHaveLength(1);
    release();
    expect((await first).session_id).toBe('new');
  });
});
