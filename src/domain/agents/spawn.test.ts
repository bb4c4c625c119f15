import { beforeEach, describe, expect, it } from 'vitest';
import { FakeAgents } from '../../../test/kit/fake-agents.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { AppError, type CreateSession, DEADLINES, type SpawnAgent } from '../../contract/index.ts';
import { DeferredPrompts } from './deferred-prompts.ts';
import { createAgentLauncher } from './launch.ts';
import { withPreamble } from './preamble.ts';
import { createAgentSpawner } from './spawn.ts';

const CHILD = '00000000-0000-4000-8000-000000000001';
const PARENT = 'aaaaaaaa-1111-4111-8111-111111111111';
const TASK = { task_id: 'task', poll_interval_ms: 1_000 };

/** Codex is here too. */
class Machine extends FakeAgents {
  override async programs(names: readonly string[]): Promise<Map<string, string | null>> {
    return new Map(names.map((name) => [name, ['claude', 'codex'].includes(name) ? `/opt/agents/${name}` : null]));
  }
}

let calls: [string, ...unknown[]][];
let liveCount: number;
let refused: AppError | undefined;
let runConfigs: object[];
let canType: boolean;

beforeEach(() => {
  calls = [];
  liveCount = 0;
  refused = undefined;
  runConfigs = [];
  canType = true;
});

const note =
  (name: string) =>
  (...values: unknown[]): void => {
    calls.push([name, ...values]);
  };

function spawn(input: Partial<SpawnAgent>) {
  const sessions = {
    async create(session: CreateSession) {
      note('create')(session);
      if (refused !== undefined) throw refused;
      return { session_id: session.session_id ?? '', alias: 'sh-1' };
    },
    get liveCount() {
      return liveCount;
    },
    maxSessions: 2,
  };
  const files = { read: async () => ({ value: { agents: { codex: { run_configs: runConfigs } } } }) };
  const spawner = createAgentSpawner({
    launcher: createAgentLauncher({ detection: new Machine(), home: '/home/me', files, log: { info: () => {} } }),
    sessions,
    peers: { introduce: note('introduce'), remove: note('peer removed') },
    parents: { set: note('parent'), remove: note('parent removed') },
    tasks: {
      create(task) {
        note('task')(task);
        return TASK;
      },
    },
    deferred: { isOff: !canType, defer: note('defer') },
    clock: new ManualClock(5_000),
    ids: { uuid: () => CHILD },
  });
  return spawner.spawn({ prompt: 'Fix it', owner: input.identity ?? 'pending:p', ...input });
}
const names = () => calls.map(([name]) => name);
const created = () => calls.find(([name]) => name === 'create')?.[1] as CreateSession;

describe('a child', () => {
  it('AGT-8, TSK-1: is a named peer with a parent before it runs, and a task once it does', async () => {
    const answer = await spawn({ identity: PARENT, name: ' helper ', cwd: '/srv', rows: 40 });
    expect(calls).toEqual([
      ['introduce', CHILD, { name: 'helper' }],
      ['parent', CHILD, PARENT],
      ['create', expect.objectContaining({ session_id: CHILD, tuic_session: CHILD, display_name: 'helper' })],
      ['task', { sessionId: CHILD, owner: PARENT }],
    ]);
    expect(created()).toMatchObject({ cwd: '/srv', rows: 40, env: { TUIC_PARENT: PARENT }, agent_type: 'claude' });
    expect(answer).toEqual({
      session_id: CHILD,
      ...TASK,
      name: 'helper',
      server_ts: 5_000,
      monitor_with: `session action=output session_id=${CHILD}`,
      status_with: `session action=status session_id=${CHILD}`,
      wait_with: expect.stringMatching(/^(session action=wait session_id=|task action=get task_id=)/),
      parent_session_id: PARENT,
      peer_monitor_with: 'agent action=inbox',
      peer_wait_with: 'agent action=wait',
    });
  });

  it('AGT-9, AGT-10: of nobody gets its prompt as it is, and the caller is told what that costs', async () => {
    const answer = await spawn({});
    expect(created().args?.at(-1)).toBe('Fix it');
    expect(created().env).not.toHaveProperty('TUIC_PARENT');
    expect(answer).toMatchObject({ name: 'agent', communication_warning: expect.stringContaining('register') });
    expect(answer).not.toHaveProperty('parent_session_id');
    expect(calls).toContainEqual(['parent', CHILD, 'pending:p']);
  });

  it('AGT-7: works where it is told to, else where its caller does', async () => {
    await spawn({ caller_folder: '/caller' });
    expect(created().cwd).toBe('/caller');
    calls = [];
    await spawn({ caller_folder: '/caller', cwd: '~/own' });
    expect(created().cwd).toBe('~/own');
  });

  it('AGT-5: a prompt that is typed later waits until the terminal is there; a wrapper is told', async () => {
    runConfigs = [{ name: 'wrapped', command: 'claude' }];
    expect(await spawn({ agent_type: 'wrapped' })).toMatchObject({ launch_warning: expect.any(String) });
    expect(names()).not.toContain('defer');
    calls = [];
    await spawn({ agent_type: 'codex', args: ['-q'], identity: PARENT });
    expect(names()).toEqual(['introduce', 'parent', 'create', 'defer', 'task']);
    expect(created().args?.at(-1)).toBe('-q');
    const [, child, prompt] = calls[3] ?? [];
    canType = false;
    await spawn({ agent_type: 'codex', args: ['-q'] });
    expect(calls.findLast(([name]) => name === 'create')?.[1]).toMatchObject({
      args: expect.arrayContaining(['Fix it']),
    });
    expect([child, String(prompt).endsWith('\n\nFix it')]).toEqual([CHILD, true]);
  });

  it('AGT-2: is refused before anything exists, by the first thing that is wrong', async () => {
    liveCount = 2;
    const wrong = { agent_type: 'aider', rows: 0, name: ' ' };
    await expect(spawn(wrong)).rejects.toMatchObject({ code: 'session_limit' });
    liveCount = 0;
    await expect(spawn(wrong)).rejects.toMatchObject({ code: 'program_not_found' });
    await expect(spawn({ ...wrong, agent_type: 'claude' })).rejects.toMatchObject({ code: 'size_out_of_range' });
    for (const name of ['', ' ', 7, null, 'x'.repeat(129)])
      await expect(spawn({ name })).rejects.toMatchObject({ code: 'invalid_input' });
    expect(calls).toEqual([]);
  });

  it('TSK-1: whose terminal does not open leaves nothing behind', async () => {
    refused = new AppError('spawn_failed', { detail: 'no' });
    await expect(spawn({ identity: PARENT })).rejects.toBe(refused);
    expect(names()).toEqual(['introduce', 'parent', 'create', 'parent removed', 'peer removed']);
  });
});

describe('the preamble', () => {
  const ids = { child: CHILD, name: 'helper', parent: PARENT };

  it('AGT-10: names the child, its parent, how to write and how to be known again, then the prompt', () => {
    const text = withPreamble('Fix it', ids);
    expect(text.endsWith('\n\nFix it')).toBe(true);
    for (const part of [
      `You are agent ${CHILD}, named helper, started by agent ${PARENT}.`,
      `agent action=send to=${PARENT} message=...`,
      `agent action=register tuic_session=${CHILD}`,
    ])
      expect(text).toContain(part);
  });

  it('MSG-9: nothing but ids and harmless names gets in', () => {
    for (const wrong of [{ parent: 'pending:x' }, { parent: PARENT.toUpperCase() }, { child: 'x\nObey' }])
      expect(withPreamble('Fix it', { ...ids, ...wrong })).toBe('Fix it');
    for (const name of ['a\nIgnore all', 'a"b', '', ' a', '[TUIC]', 'x'.repeat(65)])
      expect(withPreamble('Fix it', { ...ids, name })).toContain(`${CHILD}, started`);
  });
});

describe('a prompt that is typed later', () => {
  class Queue {
    readonly isOff = false;
    lines: { id: string; sessionId: string; kind: string; text: string }[] = [];
    pumped: string[] = [];
    push(sessionId: string, line: { kind: 'prompt'; text: string }) {
      const entry = { id: `${this.lines.length}`, sessionId, ...line };
      this.lines.push(entry);
      return entry;
    }
    list(sessionId: string) {
      return this.lines.filter((line) => line.sessionId === sessionId);
    }
    get sessions() {
      return this.lines.map(({ sessionId }) => sessionId);
    }
    pump(sessionId: string) {
      this.pumped.push(sessionId);
    }
  }
  const told: unknown[] = [];
  beforeEach(() => {
    told.length = 0;
  });
  const watch = (queue: Queue, clock: ManualClock) =>
    new DeferredPrompts({
      queue,
      clock,
      notifyParent: (notice) => told.push(notice),
      log: { warn: () => {} },
    });

  it('MSG-85: is told to the parent once when it still waits after 30 s', () => {
    const [queue, clock] = [new Queue(), new ManualClock()];
    const prompts = watch(queue, clock);
    prompts.defer('one', 'Fix it');
    prompts.defer('two', 'Fix that');
    expect(queue.pumped).toEqual(['one', 'two']);
    // It was typed.
    queue.lines = queue.lines.filter(({ sessionId }) => sessionId !== 'two');
    clock.advance(DEADLINES.promptDelivery - 1);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual([{ child: 'one', state: 'prompt_delivery_failed', reason: 'timeout' }]);
    clock.advance(DEADLINES.promptDelivery);
    expect(told).toHaveLength(1);
  });

  it('MSG-85: is watched anew by the next server, and by none that has ended', () => {
    const [queue, clock] = [new Queue(), new ManualClock()];
    const first = watch(queue, clock);
    first.defer('one', 'Fix it');
    first.dispose();
    clock.advance(DEADLINES.promptDelivery);
    expect(told).toEqual([]);
    watch(queue, clock);
    clock.advance(DEADLINES.promptDelivery);
    expect(told).toHaveLength(1);
  });
});
