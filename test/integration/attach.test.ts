/** tuic attach in a real terminal: one session of the server is the terminal at hand, another is attached to in it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { SERVER_PROGRAM, type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
});

async function screenOf(id: string): Promise<string[]> {
  const { screen } = await server.ipc.logOutput(id, { limit: 1 });
  const rows = screen.map((line) =>
    line.spans
      .map((span) => span.text)
      .join('')
      .trimEnd(),
  );
  while (rows.at(-1) === '') rows.pop();
  return rows;
}

/** A terminal in which somebody attaches to the session. */
async function attach(ref: string, ...options: string[]): Promise<string> {
  const args = [SERVER_PROGRAM, 'attach', ...options, ref];
  const { session_id } = await server.ipc.createSession({ shell: process.execPath, args });
  cleanup.defer(async () => {
    const open = await server.ipc.listSessions();
    if (open.some((session) => session.session_id === session_id)) await server.ipc.remove(session_id);
  });
  return session_id;
}

async function untilScreen(id: string, part: string): Promise<void> {
  await eventually(`"${part}" on the screen`, async () => (await screenOf(id)).join('\n').includes(part));
}

async function untilExited(id: string): Promise<number | undefined> {
  return await eventually('attach to end', async () => {
    const session = (await server.ipc.listSessions(true)).find((one) => one.session_id === id);
    return session?.lifecycle === 'exited' && { code: session.exit_code };
  }).then(({ code }) => code);
}

describe('tuic attach', () => {
  it('T09, P2: shows the session, types into it, survives kill -9 of the server, tells the exit code', async () => {
    const { id, alias, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.write('\x1b[31mred\x1b[0m before\r\nsecond 漢字\r\n');
    const at = await attach(alias);
    await untilScreen(at, 'red before');
    expect(await screenOf(at)).toEqual(await screenOf(id));
    await server.ipc.write(at, 'keys\x1b[A');
    await puppet.untilRead(7);
    expect(puppet.received.toString('latin1')).toBe('keys\x1b[A');

    await server.kill9();
    await puppet.write('while no server was there\r\n');
    await server.start();
    await untilScreen(at, 'while no server was there');
    expect(await screenOf(at)).toEqual(await screenOf(id));
    puppet.forgetReads();
    await eventually('a key to arrive again', async () => {
      await server.ipc.write(at, 'x');
      return puppet.received.length > 0;
    });

    await puppet.exit(7, 'last words');
    expect(await untilExited(at)).toBe(0);
    expect((await screenOf(at)).join('\n')).toContain('ended with exit code 7');
  });

  it('T13: the session takes the size of the terminal at hand', async () => {
    const { alias, puppet } = await startPuppet(cleanup, server.ipc);
    const at = await attach(alias);
    await server.ipc.ok('POST', `/sessions/${at}/resize`, { rows: 30, cols: 101 });
    await puppet.until('the size', () => puppet.sizes.some(({ columns, rows }) => columns === 101 && rows === 30));
  });

  it('ctrl-] leaves the session running; inside a paste it is text; all modes are as before', async () => {
    const { alias, puppet, id } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.write('\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?25lfull screen');
    const at = await attach(alias);
    await untilScreen(at, 'full screen');
    await server.ipc.write(at, '\x1b[200~a\x1db\x1b[201~');
    await puppet.untilRead(15);
    await server.ipc.write(at, '\x1d');
    expect(await untilExited(at)).toBe(0);
    expect((await screenOf(at)).join('\n')).toContain(`[${alias}: detached; it keeps running]`);
    expect(puppet.received.toString('latin1')).toBe('\x1b[200~a\x1db\x1b[201~');
    const { data } = await server.ipc.rawOutput(at);
    expect(data.lastIndexOf('\x1b[?1003l')).toBeGreaterThan(data.lastIndexOf('\x1b[?1003h'));
    expect(data.lastIndexOf('\x1b[?25h')).toBeGreaterThan(data.lastIndexOf('\x1b[?25l'));
    expect(data.lastIndexOf('\x1b[?1049l')).toBeGreaterThan(data.lastIndexOf('\x1b[?1049h'));
    expect((await server.ipc.listSessions()).map((session) => session.session_id)).toContain(id);
  });

  it('a signal ends it with the modes as before; a session does not attach to itself', async () => {
    const { alias, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.write('\x1b[?1049h\x1b[?1003hfull screen');
    const at = await attach(alias);
    await untilScreen(at, 'full screen');
    const pid = await server.ipc.ok('GET', `/sessions/${at}/leaf-pid`);
    process.kill((pid as { pid: number }).pid, 'SIGTERM');
    expect(await untilExited(at)).toBe(143);
    const { data } = await server.ipc.rawOutput(at);
    expect(data.lastIndexOf('\x1b[?1003l')).toBeGreaterThan(data.lastIndexOf('\x1b[?1003h'));

    const script = `"${process.execPath}" "${SERVER_PROGRAM}" attach "$TUIC_SESSION"`;
    const { session_id } = await server.ipc.createSession({ shell: '/bin/sh', args: ['-c', script] });
    expect(await untilExited(session_id)).toBe(2);
    await untilScreen(session_id, 'this very terminal');
  });

  it('a key that cannot be sent rings the bell, and is not sent later', async () => {
    const inner = await startServer(cleanup);
    const { alias, puppet } = await startPuppet(cleanup, inner.ipc, { mode: 'raw' });
    await puppet.write('inner');
    const args = [`TUIC_CONFIG_DIR=${inner.configDirectory}`, process.execPath, SERVER_PROGRAM, 'attach', alias];
    const { session_id: at } = await server.ipc.createSession({ shell: '/usr/bin/env', args });
    await untilScreen(at, 'inner');
    await inner.kill9();
    await eventually('the bell', async () => {
      await server.ipc.write(at, 'lost');
      return (await server.ipc.rawOutput(at)).data.includes('\x07\x07');
    });
    puppet.forgetReads();
    await inner.start();
    await eventually('keys to arrive again', async () => {
      await server.ipc.write(at, 'k');
      return puppet.received.includes('k');
    });
    expect(puppet.received.toString('latin1')).not.toContain('lost');
    await server.ipc.remove(at);
  });

  it('refuses what is not there, naming what is', async () => {
    const { alias } = await startPuppet(cleanup, server.ipc);
    const at = await attach('no-such-1');
    expect(await untilExited(at)).toBe(4);
    const text = (await screenOf(at)).join('');
    expect(text).toContain('No session "no-such-1"');
    expect(text).toContain(alias);
    expect(await untilExited(await attach(alias, '--detach-key', 'x'))).toBe(2);
  });
});
