import { afterEach, describe, expect, it } from 'vitest';
import { FakeHostProcess } from '../../../test/kit/fake-pty-host.ts';
import {
  createSessionHarness,
  type HarnessOptions,
  ownMigrations,
  RecordingViewer,
  type SessionHarness,
} from '../../../test/kit/session-harness.ts';
import { AppError, DEADLINES, type LogOutput, type RawOutput } from '../../contract/index.ts';
import { createScreen } from './screen/index.ts';

const open: SessionHarness[] = [];

async function start(options?: HarnessOptions): Promise<SessionHarness> {
  const harness = await createSessionHarness(options);
  open.push(harness);
  await harness.service.start();
  return harness;
}

afterEach(async () => {
  for (const harness of open.splice(0)) await harness.dispose();
});

const local = { isRemote: false };
const names = (harness: SessionHarness) => harness.events.map((event) => event.name);

async function raw(harness: SessionHarness, id: string): Promise<RawOutput> {
  return (await harness.service.output(id, { format: 'raw' })) as RawOutput;
}

async function log(harness: SessionHarness, id: string, offset?: number): Promise<LogOutput> {
  return (await harness.service.output(id, {
    format: 'log',
    ...(offset === undefined ? {} : { offset }),
  })) as LogOutput;
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`no refusal: ${String(error)}`);
  return error.code;
}

describe('create', () => {
  it('registers, names, announces in the contract order, and exports the identity', async () => {
    const harness = await start();
    const created = await harness.service.create({ cwd: '/', rows: 30, cols: 100, env: { EXTRA: 'yes' } }, local);
    expect(created.alias).toBe('sh-1');
    expect(names(harness)).toEqual(['term-alias-assigned', 'session-created']);
    const { request } = harness.process.program(created.session_id);
    expect(request).toMatchObject({ file: '/bin/sh', args: [], cwd: '/', rows: 30, cols: 100 });
    expect(request.env).toMatchObject({
      TERM: 'xterm-256color',
      TERM_PROGRAM: 'tuicommander',
      TERM_PROGRAM_VERSION: '1.2.3',
      TUIC_SESSION: created.session_id,
      TUIC_CONFIG_DIR: harness.directory,
      EXTRA: 'yes',
    });
    expect(harness.service.get(created.session_id)).toMatchObject({
      lifecycle: 'live',
      alias: 'sh-1',
      is_remote: false,
      rows: 30,
      cols: 100,
    });
  });

  it('STM-51: each has a nonce of its own, told to who reads its markers, also after a restart, and to nobody else', async () => {
    const told: (string | null)[] = [];
    const harness = await start({
      change: (dependencies) => ({
        ...dependencies,
        createActivityReader(agentType, nonce) {
          told.push(nonce);
          return dependencies.createActivityReader(agentType, nonce);
        },
      }),
    });
    const ids: string[] = [];
    for (const env of [{ TUIC_HOOK_NONCE: 'inherited' }, {}])
      ids.push((await harness.service.create({ env }, local)).session_id);
    const nonces = ids.map((id) => harness.process.program(id).request.env.TUIC_HOOK_NONCE ?? '');
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(nonces).size).toBe(2);
    expect(told).toEqual(nonces);
    await harness.restart();
    await harness.settle();
    expect(told.slice(2).sort()).toEqual([...nonces].sort());
    const seen = JSON.stringify([harness.service.list({ includeExited: true }), harness.events, harness.logged]);
    for (const nonce of nonces) expect(seen).not.toContain(nonce);
  });

  it('STM-51: the conversation that a hook tells outlives server and host', async () => {
    const harness = await start({ createScreen });
    const { session_id } = await harness.service.create({ agent_type: 'claude' }, local);
    const program = harness.process.program(session_id);
    const { TUIC_HOOK_NONCE: nonce } = program.request.env;
    expect(harness.service.agentOf(session_id)).toEqual({ agent_type: 'claude', agent_session: null });
    program.print(`\u001b]7770;nonce=0123;session=forged\u0007\u001b]7770;nonce=${nonce};session=c1\u0007`);
    await harness.settle();
    await harness.restart();
    harness.supervisor.lose(new FakeHostProcess(harness.clock));
    await harness.settle();
    expect(harness.service.agentOf(session_id)).toEqual({ agent_type: 'claude', agent_session: 'c1' });
  });

  it('a session without a name is known by its alias, and listed by its id (http.md 7)', async () => {
    const { service } = await start();
    const { session_id: id, alias } = await service.create({}, local);
    const root = () => service.processRoots().map(({ name, label }) => ({ name, label }));
    expect(root()).toEqual([{ name: id.slice(0, 8), label: alias }]);
    service.rename(id, 'builds');
    expect(root()).toEqual([{ name: 'builds', label: 'builds' }]);
  });

  it('refuses sizes, ids, identities and paths before anything is reserved', async () => {
    const { service, process } = await start();
    expect(await refusal(service.create({ rows: 0 }, local))).toBe('size_out_of_range');
    expect(await refusal(service.create({ cols: 501 }, local))).toBe('size_out_of_range');
    expect(await refusal(service.create({ session_id: 'a/b' }, local))).toBe('invalid_session_id');
    expect(await refusal(service.create({ tuic_session: 'x' }, local))).toBe('invalid_identity');
    expect(await refusal(service.create({ cwd: '~bob' }, local))).toBe('path_user_home');
    expect(await refusal(service.create({ cwd: 'relative' }, local))).toBe('path_not_absolute');
    expect(await refusal(service.create({ cwd: '/a/../b' }, local))).toBe('path_traversal');
    expect(process.spawnCount).toBe(0);
    expect(service.list({ includeExited: true })).toEqual([]);
  });

  it('honours a free id and mints a UUID for a taken one, also when both are asked for at once', async () => {
    const { service } = await start();
    const both = await Promise.all([
      service.create({ session_id: 'mine' }, local),
      service.create({ session_id: 'mine' }, local),
    ]);
    const ids = both.map((created) => created.session_id);
    expect(ids.filter((id) => id === 'mine')).toHaveLength(1);
    expect(new Set(ids).size).toBe(2);
    expect(new Set(both.map((created) => created.alias)).size).toBe(2);
  });

  it('counts the cap without a race: of 5 at once with 2 places exactly 2 get in', async () => {
    const harness = await start();
    harness.maxSessions = 2;
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => harness.service.create({}, local)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(2);
    for (const result of results) {
      if (result.status === 'rejected') expect((result.reason as AppError).code).toBe('session_limit');
    }
    expect(harness.service.metrics().active_sessions).toBe(2);
  });

  it('a refused spawn leaves nothing behind', async () => {
    const harness = await start();
    harness.process.spawnFailure = new AppError('program_not_found', { program: 'nope' });
    expect(await refusal(harness.service.create({ shell: 'nope' }, local))).toBe('program_not_found');
    expect(harness.service.list({ includeExited: true })).toEqual([]);
    expect(harness.service.metrics()).toMatchObject({ failed_spawns: 1, total_spawned: 0, active_sessions: 0 });
    expect(names(harness)).toEqual([]);
    harness.process.spawnFailure = undefined;
    await harness.restart();
    expect(harness.service.list({ includeExited: true })).toEqual([]);
  });

  it('tries a failed allocation again after 100 and 200 ms, three times in all', async () => {
    const harness = await start();
    harness.process.spawnFailure = new AppError('spawn_failed', { detail: 'no terminal left' });
    const creating = refusal(harness.service.create({}, local));
    await harness.clock.advanceAsync(99);
    expect(harness.process.spawnCount).toBe(1);
    await harness.clock.advanceAsync(1);
    expect(harness.process.spawnCount).toBe(2);
    await harness.clock.advanceAsync(200);
    expect(await creating).toBe('spawn_failed');
    expect(harness.process.spawnCount).toBe(3);
  });

  it('D15: a create that a broken connection cut in two is found or removed, never doubled', async () => {
    const harness = await start();
    const creating = harness.service.create({ session_id: 'cut' }, local);
    await harness.clock.advanceAsync(0);
    await creating;
    // kill -9 between the stored row and the spawn: the row says "starting", the host knows nothing.
    const database = await import('../../platform/database/index.ts');
    const side = database.openDatabase(`${harness.directory}/state.db`, { migrations: ownMigrations });
    side.run("UPDATE sessions SET lifecycle = 'starting'");
    side.run(
      "INSERT INTO sessions SELECT 'never', tuic_session, 'xx-1', alias_name, display_name, display_name_is_custom, agent_type, cwd, file, args, rows, cols, is_remote, 'starting', exit_code, close_reason, created_at, ended_at, host_boot_id, parent, title, hook_nonce, agent_session, pty_description FROM sessions WHERE id = 'cut'",
    );
    side.close();
    await harness.restart();
    expect(harness.service.list({ includeExited: true }).map((session) => session.session_id)).toEqual(['cut']);
    expect(harness.service.get('cut').lifecycle).toBe('live');
    expect(harness.process.spawnCount).toBe(1);
  });
});

describe('addresses (ADR-1..9)', () => {
  it('id, identity and alias name one terminal; an unknown reference comes back unchanged', async () => {
    const { service } = await start();
    const identity = '11111111-1111-4111-8111-111111111111';
    const { session_id, alias } = await service.create(
      { session_id: 'one', tuic_session: identity, cwd: '/tmp' },
      local,
    );
    for (const ref of [session_id, identity, alias]) expect(service.resolve(ref)).toBe('one');
    expect(service.resolve('nobody')).toBe('nobody');
    expect(() => service.get('nobody')).toThrow('Session not found');
  });

  it('ADR-8: a live id wins over an identity, an identity over an alias', async () => {
    const { service } = await start();
    const identity = '22222222-2222-4222-8222-222222222222';
    await service.create({ session_id: 'a', tuic_session: identity, alias: 'tu-1' }, local);
    await service.create({ session_id: identity }, local);
    await service.create({ session_id: 'tu-1' }, local);
    expect(service.resolve(identity)).toBe(identity);
    expect(service.resolve('tu-1')).toBe('tu-1');
  });

  it('ADR-5: a restored alias is honoured, the next automatic one comes after it, also after a restart', async () => {
    const harness = await start();
    const cwd = '/srv/tuicommander';
    expect((await harness.service.create({ cwd, alias: 'tu-7' }, local)).alias).toBe('tu-7');
    expect((await harness.service.create({ cwd }, local)).alias).toBe('tu-8');
    expect((await harness.service.create({ cwd, alias: 'tu-7' }, local)).alias).toBe('tu-9');
    expect((await harness.service.create({ cwd, alias: '../etc' }, local)).alias).toBe('tu-10');
    await harness.restart();
    expect((await harness.service.create({ cwd }, local)).alias).toBe('tu-11');
  });

  it('ADR-9: a new terminal under a lost identity takes over alias and name', async () => {
    const harness = await start();
    const identity = '33333333-3333-4333-8333-333333333333';
    await harness.service.create({ session_id: 'old', tuic_session: identity, display_name: 'builder' }, local);
    harness.process = new FakeHostProcess(harness.clock, 'boot-2');
    harness.supervisor.lose(harness.process);
    await harness.settle();
    expect(harness.service.get(identity)).toMatchObject({ session_id: 'old', lifecycle: 'lost' });
    const { alias } = harness.service.get('old');
    const created = await harness.service.create({ session_id: 'new', tuic_session: identity }, local);
    expect(created.alias).toBe(alias);
    expect(harness.service.get(identity)).toMatchObject({ session_id: 'new', display_name: 'builder' });
    expect(await refusal(harness.service.output('old', { format: 'text' }))).toBe('session_not_found');
  });
});

describe('output', () => {
  it('raw, text and log speak of the same bytes', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({ rows: 4 }, local);
    harness.process.program(session_id).print('one\ntwo\nthree');
    await harness.settle();
    expect(await raw(harness, session_id)).toEqual({ data: 'one\ntwo\nthree', data_length: 13, total_written: 13 });
    expect(await harness.service.output(session_id, { format: 'text' })).toMatchObject({
      data: 'one\ntwo\nthree\n',
      total_written: 4,
    });
    expect(await harness.service.output(session_id, { format: 'text', limit: 2 })).toMatchObject({
      data: 'two\nthree',
    });
    expect(await log(harness, session_id)).toMatchObject({
      total_lines: 2,
      offset: 0,
      lines: [{ spans: [{ text: 'one' }] }, { spans: [{ text: 'two' }] }],
    });
  });

  it('T03: a letter cut by the window or still under way shows no replacement character', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const program = harness.process.program(session_id);
    program.print(Buffer.from('─'.repeat(100)));
    program.print(Uint8Array.of(0xe2, 0x89));
    await harness.settle();
    const output = (await harness.service.output(session_id, { format: 'raw', limit: 10 })) as RawOutput;
    expect(output.data).toBe('──');
    program.print(Uint8Array.of(0xa4));
    await harness.settle();
    expect((await raw(harness, session_id)).data.endsWith('≤')).toBe(true);
    program.print(Uint8Array.of(0xe2, 0x89));
    program.end(0);
    await harness.settle();
    expect([...(await raw(harness, session_id)).data].filter((letter) => letter === '\ufffd')).toHaveLength(1);
  });

  it('a log cursor that is older than what is kept is told what is gone', async () => {
    const { createFakeScreen } = await import('../../../test/kit/fake-screen.ts');
    const harness = await start({ createScreen: createFakeScreen({ logLines: 10 }) });
    const { session_id } = await harness.service.create({}, local);
    harness.process.program(session_id).print(Array.from({ length: 30 }, (_, index) => `l${index}\n`).join(''));
    await harness.settle();
    const output = await log(harness, session_id, 5);
    expect(output.gap).toEqual({ from: 5, to: 20, reason: 'evicted' });
    expect(output).toMatchObject({ offset: 20, total_lines: 30 });
    expect(output.lines).toHaveLength(10);
    expect((await log(harness, session_id)).gap).toBeUndefined();
  });

  it('CSI 3 J is told as a cut, and cursors never go back', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    harness.process.program(session_id).print('a\nb\n\x1b[3Jc\nd\n');
    await harness.settle();
    const output = await log(harness, session_id, 0);
    expect(output.gap).toEqual({ from: 0, to: 2, reason: 'cleared by program' });
    expect(output.lines).toHaveLength(2);
    expect(output.total_lines).toBe(4);
  });
});

describe('the end of a session', () => {
  it('T01: the exit is told after every byte is readable, in the order pty-exit, session-closed', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const viewer = new RecordingViewer();
    await harness.service.openViewer(session_id, { format: 'bytes' }, viewer);
    harness.events.length = 0;
    const program = harness.process.program(session_id);
    program.print('x'.repeat(20_480));
    program.end(3);
    expect(names(harness)).toEqual([]);
    await harness.settle();
    expect(harness.events).toEqual([
      { name: 'pty-exit', data: { session_id } },
      { name: 'session-closed', data: { session_id, reason: 'process_exit' } },
    ]);
    expect(viewer.text).toHaveLength(20_480);
    expect(viewer.kinds.slice(-2)).toEqual(['exit', 'closed']);
    expect(viewer.frames('exit')).toEqual([{ type: 'exit', session_id, exit_code: 3 }]);
    expect(viewer.ended).toBe('process_exit');
    expect((await raw(harness, session_id)).total_written).toBe(20_480);
    expect(harness.service.get(session_id)).toMatchObject({ lifecycle: 'exited', exit_code: 3 });
    expect(harness.service.list()).toEqual([]);
    expect(harness.service.list({ includeExited: true })).toHaveLength(1);
  });

  it('an exited session takes no input (T21), streams to nobody new, and goes after five minutes', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    harness.process.program(session_id).print('last words\n');
    harness.process.program(session_id).end(0);
    await harness.settle();
    expect(await refusal(harness.service.write(session_id, Buffer.from('x')))).toBe('session_not_live');
    expect(await refusal(harness.service.openViewer(session_id, { format: 'raw' }, new RecordingViewer()))).toBe(
      'session_not_found',
    );
    await harness.service.close(session_id);
    await harness.clock.advanceAsync(DEADLINES.tombstone - 1_000);
    await harness.settle();
    expect((await raw(harness, session_id)).data).toBe('last words\n');
    await harness.clock.advanceAsync(1_000 + DEADLINES.tombstoneSweep);
    await harness.settle();
    expect(await refusal(harness.service.output(session_id, { format: 'raw' }))).toBe('session_not_found');
    expect(harness.process.programs.size).toBe(0);
  });

  it('close tells it first, then ends the processes; viewers get the rest, exit and closed', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const viewer = new RecordingViewer();
    await harness.service.openViewer(session_id, { format: 'bytes', events: true }, viewer);
    harness.process.killCode = undefined;
    harness.events.length = 0;
    await harness.service.close(session_id);
    expect(harness.events).toEqual([{ name: 'session-closed', data: { session_id, reason: 'explicit_close' } }]);
    expect(harness.service.list()).toEqual([]);
    expect(await refusal(harness.service.write(session_id, Buffer.from('x')))).toBe('session_not_live');
    const program = harness.process.program(session_id);
    expect(program.kills).toEqual(['close']);
    program.print('bye');
    program.end(129);
    await harness.settle();
    expect(viewer.text).toBe('bye');
    expect(viewer.kinds.slice(-2)).toEqual(['exit', 'closed']);
    expect(viewer.ended).toBe('explicit_close');
    expect(harness.events).toHaveLength(1);
    expect(harness.service.get(session_id).exit_code).toBe(129);
    await harness.service.close(session_id);
    expect(program.kills).toEqual(['close']);
  });

  it('kill ends at once with reason killed, and refuses what is not live', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const program = harness.process.program(session_id);
    harness.events.length = 0;
    await harness.service.kill(session_id);
    await harness.settle();
    expect(program.kills).toEqual(['kill']);
    expect(harness.events.map((event) => event.data)).toEqual([{ session_id }, { session_id, reason: 'killed' }]);
    expect(await refusal(harness.service.kill(session_id))).toBe('session_not_live');
    expect(await refusal(harness.service.kill('nobody'))).toBe('session_not_found');
  });

  it('a close that a kill -9 of the server cut short is carried through by the next one', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const program = harness.process.program(session_id);
    harness.process.killCode = undefined;
    await harness.service.close(session_id);
    harness.process.killCode = 137;
    harness.events.length = 0;
    await harness.restart();
    expect(harness.service.list()).toEqual([]);
    await harness.settle();
    expect(program.kills).toEqual(['close', 'close']);
    expect(harness.service.get(session_id)).toMatchObject({ lifecycle: 'exited', exit_code: 137 });
    expect(harness.events).toEqual([]);
  });
});

describe('what an ended program wrote', () => {
  /** Its last bytes are half a sequence: the stored screen stands before them. */
  const printed = 'first\nlast words\x1b[3';

  async function ended(options: Parameters<typeof start>[0] = {}) {
    const harness = await start(options);
    const { session_id } = await harness.service.create({}, local);
    harness.process.program(session_id).print(printed);
    harness.process.program(session_id).end(3);
    await harness.settle();
    return { harness, session_id };
  }

  async function expectAll(harness: SessionHarness, id: string): Promise<void> {
    expect(await raw(harness, id)).toEqual({
      data: printed,
      data_length: printed.length,
      total_written: printed.length,
    });
    expect((await log(harness, id, 0)).total_lines).toBe(1);
    expect(Buffer.from(await harness.service.rawRing(id)).toString()).toBe(printed);
    expect(harness.service.get(id)).toMatchObject({ lifecycle: 'exited', exit_code: 3 });
  }

  it('P1: moves from the memory of the host to the disk, and is read as before', async () => {
    const { harness, session_id } = await ended();
    expect(harness.process.programs.size, 'the host has forgotten it').toBe(0);
    await expectAll(harness, session_id);
    await harness.restart();
    await expectAll(harness, session_id);
    await expectAll(harness, session_id);
  });

  it('P1: outlives its host', async () => {
    const { harness, session_id } = await ended();
    harness.supervisor.lose(new FakeHostProcess(harness.clock));
    await harness.settle();
    await expectAll(harness, session_id);
  });

  it('P2: is moved by the next server when one was killed before it could', async () => {
    let isDead = false;
    const never = new Promise<never>(() => undefined);
    const { harness, session_id } = await ended({
      change: (dependencies) => ({
        ...dependencies,
        checkpoints: {
          ...dependencies.checkpoints,
          writeRing: (...values) => (isDead ? dependencies.checkpoints.writeRing(...values) : never),
        },
      }),
    });
    expect(harness.process.programs.size).toBe(1);
    isDead = true;
    await harness.restart();
    await harness.settle();
    expect(harness.process.programs.size).toBe(0);
    await expectAll(harness, session_id);
  });

  it('stays in the host while the disk refuses it, and goes with its time', async () => {
    const full = new AppError('storage_failed', { detail: 'the disk is full' });
    const { harness, session_id } = await ended({
      change: (dependencies) => ({
        ...dependencies,
        checkpoints: { ...dependencies.checkpoints, writeRing: () => Promise.reject(full) },
      }),
    });
    expect(harness.process.programs.size).toBe(1);
    await expectAll(harness, session_id);
    expect(harness.logged.map((entry) => entry.message)).toContain('the host keeps an ended session');
    await harness.clock.advanceAsync(DEADLINES.tombstone + DEADLINES.tombstoneSweep);
    await harness.settle();
    expect(harness.process.programs.size).toBe(0);
  });
});

describe('a lost host (kill -9)', () => {
  it('never says exit 0: lost, told once per session, last screen and log readable, until a person closes it', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({ rows: 3 }, local);
    const viewer = new RecordingViewer();
    await harness.service.openViewer(session_id, { format: 'bytes' }, viewer);
    harness.process.program(session_id).print('one\ntwo\nthree');
    await harness.settle();
    harness.events.length = 0;
    harness.process = new FakeHostProcess(harness.clock, 'boot-2');
    harness.supervisor.lose(harness.process);
    await harness.settle();
    expect(harness.events).toEqual([{ name: 'session-closed', data: { session_id, reason: 'host_lost' } }]);
    expect(viewer.kinds).not.toContain('exit');
    expect(viewer.ended).toBe('host_lost');
    const info = harness.service.get(session_id);
    expect(info.lifecycle).toBe('lost');
    expect(info).not.toHaveProperty('exit_code');
    expect(await log(harness, session_id)).toMatchObject({ total_lines: 2 });
    const late = new RecordingViewer();
    await harness.service.openViewer(session_id, { format: 'bytes', offset: 2 }, late);
    await harness.settle();
    expect(late.kinds).toEqual(['size', 'gap', 'snapshot', 'closed']);

    await harness.restart();
    expect(harness.service.get(session_id).lifecycle).toBe('lost');
    expect(await harness.service.output(session_id, { format: 'text' })).toMatchObject({ data: 'one\ntwo\nthree' });
    expect(await log(harness, session_id)).toMatchObject({ total_lines: 2 });
    const another = new RecordingViewer();
    await harness.service.openViewer(session_id, { format: 'log' }, another);
    expect(another.frames('log')[0]?.lines).toHaveLength(2);
    expect(another.ended).toBe('host_lost');
    expect(await refusal(harness.service.kill(session_id))).toBe('session_not_live');
    await harness.service.close(session_id);
    expect(await refusal(harness.service.output(session_id, { format: 'text' }))).toBe('session_not_found');
  });

  it('a server that starts after the host died finds its sessions lost', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    harness.process.program(session_id).print('before\n');
    await harness.settle();
    await harness.clock.advanceAsync(DEADLINES.checkpointActive + 2_000);
    await harness.settle();
    harness.process = new FakeHostProcess(harness.clock, 'boot-2');
    harness.events.length = 0;
    await harness.restart();
    expect(harness.service.get(session_id).lifecycle).toBe('lost');
    expect(harness.events).toEqual([{ name: 'session-closed', data: { session_id, reason: 'host_lost' } }]);
    expect(await log(harness, session_id)).toMatchObject({ total_lines: 1 });
    expect((await harness.service.create({}, local)).alias).not.toBe(harness.service.get(session_id).alias);
  });
});

describe('restart of the server (P2)', () => {
  it('P1: what an ended session printed is there for whoever asks before the host was reached again', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    harness.process.program(session_id).print('last words\n');
    harness.process.program(session_id).end(7);
    await harness.settle();
    const restarting = harness.restart();
    const ring = harness.service.rawRing(session_id);
    await restarting;
    expect(Buffer.from(await ring).toString()).toContain('last words');
    expect(harness.service.get(session_id)).toMatchObject({ lifecycle: 'exited', exit_code: 7 });
  });

  it('finds screen, log, stream and title as they were, from blob, chunks and ring', async () => {
    const harness = await start();
    const { session_id, alias } = await harness.service.create({ display_name: 'work' }, local);
    const program = harness.process.program(session_id);
    program.print('\x1b]2;title\x07');
    for (let line = 0; line < 500; line++) program.print(`line ${line}\n`);
    await harness.settle();
    await harness.clock.advanceAsync(1_500);
    await harness.settle();
    expect(program.checkpoint?.offset).toBe(program.stream.ring.end);
    for (let line = 500; line < 700; line++) program.print(`line ${line}\n`);
    harness.supervisor.disconnect();
    for (let line = 700; line < 1_000; line++) program.print(`line ${line}\n`);
    await harness.restart();
    expect(harness.service.get(alias)).toMatchObject({ session_id, display_name: 'work', lifecycle: 'live' });
    const output = await log(harness, session_id, 0);
    expect(output.total_lines).toBe(1_000);
    expect(output.lines.map((line) => line.spans[0]?.text)).toEqual(
      Array.from({ length: 1_000 }, (_, line) => (line === 0 ? '\x1b]2;title\x07line 0' : `line ${line}`)),
    );
    program.print('after\n');
    await harness.settle();
    expect((await log(harness, session_id)).total_lines).toBe(1_001);
  });

  it('a program that ended while no server was there keeps its exit code, and it is told now', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const program = harness.process.program(session_id);
    await harness.settle();
    harness.supervisor.disconnect();
    program.print('the end');
    program.end(7);
    harness.events.length = 0;
    await harness.restart();
    await harness.settle();
    expect(names(harness)).toEqual(['pty-exit', 'session-closed']);
    expect(harness.service.get(session_id)).toMatchObject({ lifecycle: 'exited', exit_code: 7 });
    expect((await raw(harness, session_id)).data).toBe('the end');
    harness.events.length = 0;
    await harness.restart();
    await harness.settle();
    expect(harness.events).toEqual([]);
    expect((await raw(harness, session_id)).data).toBe('the end');
    expect(harness.service.get(session_id).exit_code).toBe(7);
  });

  it('queries older than two seconds are not answered again (D10)', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const program = harness.process.program(session_id);
    await harness.settle();
    harness.supervisor.disconnect();
    program.print('\x1b[6n');
    harness.process.staleBefore = program.stream.ring.end;
    program.print('\x1b[6n');
    await harness.restart();
    await harness.settle();
    expect(program.answers).toEqual([{ queryOffset: 8, data: '\x1b[1;1R' }]);
  });

  it('a broken connection is taken up where the engine is; viewers notice nothing', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const viewer = new RecordingViewer();
    await harness.service.openViewer(session_id, { format: 'bytes' }, viewer);
    const program = harness.process.program(session_id);
    program.print('before ');
    await harness.settle();
    harness.supervisor.disconnect();
    program.print('during ');
    expect(await refusal(harness.service.resize(session_id, 10, 10))).toBe('host_unavailable');
    harness.supervisor.reconnect();
    await harness.settle();
    program.print('after');
    await harness.settle();
    expect(viewer.text).toBe('before during after');
    expect(viewer.kinds.filter((kind) => kind !== 'bytes')).toEqual(['snapshot']);
  });

  it('running programs without a row are taken over', async () => {
    const harness = await start();
    harness.process.start({ id: 'orphan', file: 'sh', args: [], env: {}, cwd: '/srv', cols: 80, rows: 24 });
    await harness.restart();
    await harness.settle();
    expect(harness.service.get('orphan')).toMatchObject({ lifecycle: 'live', cwd: '/srv', alias: 'sr-1' });
  });

  it('an unreachable host leaves sessions as they are', async () => {
    const harness = await start();
    const { session_id } = await harness.service.create({}, local);
    const { process } = harness;
    harness.process = process;
    harness.supervisor.disconnect();
    harness.supervisor.failure = new AppError('host_unavailable', { detail: 'test' });
    expect(harness.service.get(session_id).lifecycle).toBe('live');
    expect(await refusal(harness.service.write(session_id, Buffer.from('x')))).toBe('host_unavailable');
    expect(await refusal(harness.service.create({}, local))).toBe('host_unavailable');
    harness.supervisor.failure = undefined;
    await harness.service.write(session_id, Buffer.from('now'));
    expect(process.program(session_id).written).toEqual(['now']);
  });
});
