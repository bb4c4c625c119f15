/** The tuic command against a real server: what it prints, its --json and its exit codes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { verify } from '@node-rs/bcrypt';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/contract/index.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { isAlive } from '../kit/processes.ts';
import { startPuppet } from '../kit/puppet.ts';
import {
  baseEnvironment,
  findFreePort,
  prepareServer,
  SERVER_PROGRAM,
  type ServerUnderTest,
  startServer,
} from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
});

interface Ran {
  code: number;
  output: string;
  errors: string;
}

async function tuic(configDirectory: string, values: readonly string[], port?: number, input = ''): Promise<Ran> {
  const env = baseEnvironment({ configDirectory, port: port ?? (await findFreePort()) });
  return await new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [SERVER_PROGRAM, ...values],
      { env, cwd: '/', timeout: 60_000 },
      (error, output, errors) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ code, output, errors });
        else reject(error);
      },
    );
    child.stdin?.end(input);
  });
}

const here = (...values: string[]) => tuic(server.configDirectory, values);

describe('what the build leaves', () => {
  it.each(['cli', 'daemon'])('%s starts from a code cache that this engine takes', async (name) => {
    const door = SERVER_PROGRAM.replace('/cli/', `/${name}/`);
    const look = `
      const vm = require('node:vm');
      const { Script } = vm;
      vm.Script = function (source, options) {
        const script = new Script(source, options);
        process.on('exit', () => process.stderr.write(String(script.cachedDataRejected)));
        return script;
      };
      process.argv = [process.execPath, ${JSON.stringify(door)}, '--version'];
      require(${JSON.stringify(door)});
    `;
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=commonjs', '--eval', look]);
    expect(stderr).toBe('false');
  });
});

describe('with a server', () => {
  it('status, ls, new and kill work, for people and as JSON', async () => {
    const status = await here('status', '--json');
    expect(status.code).toBe(0);
    expect(JSON.parse(status.output)).toMatchObject({ server: { running: true, pid: server.pid, port: server.port } });
    expect((await here('status')).output).toContain(String(server.pid));

    const created = await here('new', '--json', '--', '/bin/sleep', '600');
    expect(created, created.errors).toMatchObject({ code: 0 });
    const { session_id, alias } = JSON.parse(created.output) as { session_id: string; alias: string };
    const list = JSON.parse((await here('ls', '--json')).output) as { session_id: string; lifecycle: string }[];
    expect(list.find((session) => session.session_id === session_id)?.lifecycle).toBe('live');
    const table = await here('ls');
    expect(table.output).toContain(alias);
    expect(table.output, 'no colour without a terminal').not.toContain('\x1b');

    expect(await here('kill', alias)).toMatchObject({ code: 0 });
    expect((await server.ipc.listSessions()).map((session) => session.session_id)).not.toContain(session_id);
    expect((await here('kill', alias)).code).toBe(EXIT_CODES.notFound);
  });

  it('kill --all ends every session', async () => {
    const { puppet } = await startPuppet(cleanup, server.ipc);
    const deaf = await startPuppet(cleanup, server.ipc);
    await deaf.puppet.do('ignore', { signals: ['SIGINT', 'SIGHUP', 'SIGTERM'] });
    expect(await here('kill', '--all', '--force')).toMatchObject({ code: 0 });
    await puppet.untilGone();
    await deaf.puppet.untilGone();
    expect(await server.ipc.listSessions()).toEqual([]);
  });

  it('open prints a login link that works once', async () => {
    const { code, output } = await here('open', '--print');
    expect(code).toBe(0);
    const link = new URL(/^workspace: (\S+)/m.exec(output)?.[1] ?? '');
    expect(link.port).toBe(String(server.port));
    const path = link.pathname + link.search;
    expect((await server.local.get(path)).status).toBe(303);
    expect((await server.local.get(path)).status).toBe(401);
  });

  it('host status tells of the pty host', async () => {
    await startPuppet(cleanup, server.ipc);
    const { code, output } = await here('host', 'status', '--json');
    expect(code).toBe(0);
    expect(JSON.stringify(JSON.parse(output))).toContain(String(server.host?.pid));
    await here('kill', '--all');
  });

  it('tail -f prints what comes until the session ends; send types', async () => {
    const created = await here('new', '--json', '--', 'sh', '-c', 'read line; echo "got $line"');
    const { alias } = JSON.parse(created.output) as { alias: string };
    const tail = here('tail', '-f', alias);
    expect(await here('send', alias, '--enter', 'x y')).toMatchObject({ code: 0 });
    const { code, output, errors } = await tail;
    expect({ code, output, errors }).toEqual({
      code: 0,
      output: 'x y\ngot x y\n',
      errors: `[${alias}: ended with exit code 0]\n`,
    });
  });

  it('doctor logs in by a link; a capture is replayed and a password hashed by the code of the server', async () => {
    const doctor = await here('doctor', '--json');
    expect(doctor, doctor.output).toMatchObject({ code: 0 });
    const findings = JSON.parse(doctor.output) as { name: string; state: string }[];
    expect(findings.find(({ name }) => name === 'login link')?.state).toBe('ok');

    await here('capture', 'start');
    const { puppet, alias } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.write('\x1b[2J\x1b[2;3Hplaced\x1b[5;1H');
    await eventually('the screen', async () => (await here('tail', alias)).output.includes('placed'));
    const replayed = await here('capture', 'replay', alias);
    expect(replayed.output.split('\n')).toEqual(['', '  placed', '']);

    const hashed = await tuic(server.configDirectory, ['hash-password'], undefined, 'correct horse\n');
    expect(await verify('correct horse', hashed.output.trim())).toBe(true);
  });

  it('wrong usage has its own exit code and says what is right', async () => {
    for (const values of [['fly'], ['ls', '--no-such-option'], ['kill']]) {
      const ran = await here(...values);
      expect(ran.code, values.join(' ')).toBe(EXIT_CODES.usage);
      expect(ran.errors.length).toBeGreaterThan(0);
      expect(ran.errors).not.toMatch(/^\s+at /m);
    }
    const help = await here('--help');
    expect(help.code).toBe(0);
    for (const verb of ['start', 'stop', 'status', 'open', 'ls', 'new', 'kill', 'host']) {
      expect(help.output).toContain(verb);
    }
  });
});

describe('without a server', () => {
  it('every verb that needs one says how to start it', async () => {
    const directory = await cleanup.temporaryDirectory();
    for (const values of [['ls'], ['new'], ['open'], ['stop'], ['status'], ['kill', 'x-1']]) {
      const ran = await tuic(directory, values);
      expect(ran.code, `${values.join(' ')}: ${ran.errors}`).toBe(EXIT_CODES.serverNotRunning);
      expect(ran.output + ran.errors).toContain('tuic start');
    }
  });

  it('start --detach returns when it serves; stop keeps the sessions; host stop ends them', async () => {
    // Prepared for its cleanup, not started by the test.
    const own = await prepareServer(cleanup);
    const port = await findFreePort();
    const started = await tuic(own.configDirectory, ['start', '--detach', '--json'], port);
    expect(started, started.errors).toMatchObject({ code: 0 });
    const { pid } = JSON.parse(started.output) as { pid: number };
    expect(isAlive(pid)).toBe(true);
    const again = await tuic(own.configDirectory, ['start', '--detach'], port);
    expect(again.code).toBe(EXIT_CODES.alreadyRunning);
    expect(again.errors).toContain(String(pid));
    const { puppet } = await startPuppet(cleanup, own.ipc);
    const stopped = await tuic(own.configDirectory, ['stop', '--json']);
    expect(stopped, stopped.errors).toMatchObject({ code: 0 });
    expect(JSON.parse(stopped.output)).toMatchObject({ running_sessions: 1 });
    await eventually('the server to end', () => !isAlive(pid));
    expect(isAlive(puppet.pid)).toBe(true);
    expect((await tuic(own.configDirectory, ['host', 'stop'])).code).toBe(0);
    await puppet.untilGone();
    await eventually('the host to end', () => own.host === undefined);
  });
});
