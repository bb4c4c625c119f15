import { expect, it } from 'vitest';
import { RequestRefused } from '../../src/client/index.ts';
import type { SessionInfo } from '../../src/contract/index.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { canResume, lostAgents, Resuming } from './resuming.ts';
import { createWorkspaceStore } from './workspace-state.ts';

const entry = (id: string, change: Partial<SessionInfo> = {}) => ({
  ...sessionInfo(id, { agent_type: 'claude', lifecycle: 'lost', ...change }),
  isClosing: false,
});

it('ADR-9: what can be resumed: an agent that does not run any more; for all, those that were lost', () => {
  expect(canResume(entry('a'))).toBe(true);
  expect(canResume(entry('a', { lifecycle: 'exited' }))).toBe(true);
  expect(canResume(entry('a', { lifecycle: 'live' }))).toBe(false);
  expect(canResume({ ...entry('a'), isClosing: true })).toBe(false);
  const { agent_type: _none, ...shell } = entry('s');
  expect(canResume(shell)).toBe(false);
  const all = [
    entry('b', { created_at: 2 }),
    entry('a', { created_at: 1 }),
    entry('c', { lifecycle: 'exited' }),
    shell,
  ];
  expect(lostAgents(new Map(all.map((one) => [one.session_id, one])))).toEqual(['a', 'b']);
});

it('takes them up one after the other, each once; what stands against one is told and holds up no other', async () => {
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const sessions = [entry('a', { created_at: 1 }), entry('b', { created_at: 2 }), entry('c', { created_at: 3 })];
  store.setState({ sessions: new Map(sessions.map((one) => [one.session_id, one])) });
  const told: string[] = [];
  const resuming = new Resuming({
    client: {
      agents: {
        resume: async (id) => {
          told.push(`resume ${id}`);
          await Promise.resolve();
          if (id === 'b') throw new RequestRefused(409, 'Which conversation to take up is not known');
          return { session_id: `new-${id}`, alias: id, agent_session: 'x' };
        },
      },
    },
    store,
    refresh: async () => undefined,
    replace: (id, by) => void told.push(`${by} for ${id}`),
    explain: (_error, what) => void told.push(what),
    nameOf: ({ session_id }) => session_id,
  });
  const all = resuming.resumeAll();
  expect(resuming.isUnderWay('a')).toBe(true);
  await Promise.all([all, resuming.resume('a')]);
  expect(told).toEqual(['resume a', 'new-a for a', 'resume b', 'b could not be resumed', 'resume c', 'new-c for c']);
  expect(resuming.isUnderWay('a')).toBe(false);
});
