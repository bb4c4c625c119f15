/** The room over real terminals: the in-process host, the real screen engine, real SQLite and files. */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/kit/eventually.ts';
import {
  createSessionHarness,
  mortal,
  RecordingViewer,
  type SessionHarness,
} from '../../../test/kit/session-harness.ts';
import { Emitter, systemClock } from '../../base/index.ts';
import type { LogOutput, PtyHost, RawOutput } from '../../contract/index.ts';
import { createHost, type LocalHost } from '../../pty-host/index.ts';
import { createScreen, type HostSupervisor } from './index.ts';

/** The host in this process; each server has a connection of its own. */
class LocalSupervisor implements HostSupervisor {
  readonly local: LocalHost;
  readonly life: AbortSignal;
  host: PtyHost | undefined;
  readonly #connected = new Emitter<PtyHost>();

  constructor(local: LocalHost, life: AbortSignal) {
    this.local = local;
    this.life = life;
  }

  async ensure(): Promise<PtyHost> {
    if (this.host === undefined) {
      // A connection of its own, so that it can be told from the one before.
      this.host = mortal<PtyHost>(this.local, this.life);
      this.#connected.emit(this.host);
    }
    return this.host;
  }

  onConnected(listener: (host: PtyHost) => void) {
    return this.#connected.on(listener);
  }

  onLost() {
    return { dispose: () => undefined };
  }
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(): Promise<{ harness: SessionHarness; local: LocalHost }> {
  const local = createHost({ bootId: 'real', build: 'test' });
  cleanups.push(() => local.shutdown());
  const harness = await createSessionHarness({
    createScreen,
    change: (dependencies, life) => ({
      ...dependencies,
      hosts: new LocalSupervisor(local, life),
      clock: systemClock,
      environment: { ...dependencies.environment, CLAUDECODE: '1', TMUX: '/tmp/x,1,0', NO_COLOR: '1', GIT_DIR: '/x' },
    }),
  });
  cleanups.push(() => harness.dispose());
  await harness.service.start();
  return { harness, local };
}

const local = { isRemote: false };
const until = (check: () => boolean | Promise<boolean>) => eventually(String(check), check);
const run = (script: string) => ({ shell: '/bin/sh', args: ['-c', script], cwd: '/' });
const raw = async (harness: SessionHarness, id: string, limit = 1_048_576) =>
  (await harness.service.output(id, { format: 'raw', limit })) as RawOutput;
const isOver = (harness: SessionHarness, id: string) => () => harness.service.get(id).lifecycle === 'exited';

describe('real terminals', () => {
  it('T01: 8 programs that print 20,480 bytes and end at once: all bytes before the exit, in output, stream and log', async () => {
    const { harness } = await start();
    for (let round = 0; round < 8; round++) {
      const { session_id } = await harness.service.create(
        run('read x; head -c 20480 /dev/zero | tr "\\0" x; exit 5'),
        local,
      );
      const viewer = new RecordingViewer();
      await harness.service.openViewer(session_id, { format: 'bytes', offset: 0 }, viewer);
      await harness.service.write(session_id, Buffer.from('\n'));
      await until(() => harness.service.get(session_id).lifecycle === 'exited');
      const output = await raw(harness, session_id);
      expect(output.data.replace(/^\r\n/, '')).toHaveLength(20_480);
      await until(() => viewer.ended !== undefined);
      expect(viewer.text).toHaveLength(output.total_written);
      expect(viewer.frames('exit')[0]?.exit_code).toBe(5);
    }
  }, 60_000);

  it('T03: a letter in two writes is one letter in every view', async () => {
    const { harness } = await start();
    const { session_id } = await harness.service.create(
      run("printf '\\342'; sleep 0.05; printf '\\211'; sleep 0.05; printf '\\244\\n'"),
      local,
    );
    const viewer = new RecordingViewer();
    await harness.service.openViewer(session_id, { format: 'raw' }, viewer);
    await until(isOver(harness, session_id));
    expect((await raw(harness, session_id)).data).toBe('≤\r\n');
    expect(await harness.service.output(session_id, { format: 'text', limit: 1 })).toMatchObject({ data: '≤' });
    await until(() => viewer.ended !== undefined);
    expect(viewer.output).toBe('≤\r\n');
  });

  it('T22: variables of agents, multiplexers and repositories do not reach the program', async () => {
    const { harness } = await start();
    const { session_id } = await harness.service.create(run('env'), local);
    await until(isOver(harness, session_id));
    const names = (await raw(harness, session_id)).data.split('\r\n').map((line) => line.split('=')[0]);
    for (const name of ['CLAUDECODE', 'TMUX', 'NO_COLOR', 'GIT_DIR']) expect(names).not.toContain(name);
    for (const name of ['TERM', 'COLORTERM', 'TUIC_SESSION', 'TUIC_CONFIG_DIR', 'PATH']) expect(names).toContain(name);
  });

  it('T12: cursor and attribute questions are answered with no viewer', async () => {
    const { harness } = await start();
    const { session_id } = await harness.service.create(
      run("stty raw -echo; printf 'abc\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c"),
      local,
    );
    await until(isOver(harness, session_id));
    expect((await raw(harness, session_id)).data).toMatch(/033\s+\[\s+1\s+;\s+4\s+R/);
  });

  it('resizes reach the program, the screen and the table', async () => {
    const { harness } = await start();
    const { session_id } = await harness.service.create(
      { ...run('trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.02; done'), rows: 24, cols: 80 },
      local,
    );
    await until(async () => (await raw(harness, session_id)).data.includes('ready'));
    await harness.service.resize(session_id, 30, 100);
    await until(isOver(harness, session_id));
    expect((await raw(harness, session_id)).data).toContain('30 100');
    expect(harness.service.get(session_id)).toMatchObject({ rows: 30, cols: 100 });
  });

  it('P2: after a server died in the middle of a flood, log, stream and screen are whole', async () => {
    const { harness } = await start();
    const { session_id } = await harness.service.create(run('seq 1 30000; sleep 60'), local);
    const expected = Buffer.from(Array.from({ length: 30_000 }, (_, index) => `${index + 1}\r\n`).join(''));
    let position = 0;
    const hash = createHash('sha256');
    for (let life = 0; life < 4; life++) {
      const viewer = new RecordingViewer();
      const { service } = harness;
      const opened = await service.openViewer(session_id, { format: 'bytes', offset: position }, viewer);
      await until(() => {
        const end = position + Buffer.byteLength(viewer.text);
        opened.acknowledge(end);
        return end >= Math.min(expected.length, (life + 1) * 50_000);
      });
      expect(viewer.kinds).not.toContain('gap');
      hash.update(viewer.text);
      position += Buffer.byteLength(viewer.text);
      // The old server is dropped without a word, as kill -9 does.
      await harness.restart();
    }
    expect(position).toBe(expected.length);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(expected).digest('hex'));
    const log = (await harness.service.output(session_id, { format: 'log' })) as LogOutput;
    const lines = [...log.lines, ...log.screen].map((line) =>
      line.spans
        .map((span) => span.text)
        .join('')
        .trim(),
    );
    expect(log.total_lines).toBe(30_000 - log.screen.length + (lines.at(-1) === '' ? 1 : 0));
    expect(lines.filter(Boolean)).toEqual(
      Array.from({ length: lines.filter(Boolean).length }, (_, index, all = lines.filter(Boolean).length) =>
        String(30_000 - all + 1 + index),
      ),
    );
    await harness.service.kill(session_id);
  }, 60_000);

  it('T19: close ends the whole tree; foreground and leaf are what the kernel says', async () => {
    const { harness } = await start();
    const { session_id } = await harness.service.create({ shell: '/bin/sh', cwd: '/' }, local);
    await harness.service.write(session_id, Buffer.from('sleep 300\n'));
    await until(async () => (await harness.service.foregroundProcess(session_id)) === 'sleep');
    const leaf = await harness.service.leafPid(session_id);
    expect(leaf).toBeGreaterThan(0);
    await harness.service.close(session_id);
    expect(() => process.kill(leaf ?? 0, 0)).toThrow();
    await until(isOver(harness, session_id));
    expect(await harness.service.foregroundProcess(session_id)).toBeNull();
  });
});
