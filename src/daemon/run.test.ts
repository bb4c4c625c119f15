import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../base/index.ts';
import { AppError, DEADLINES, EXIT_CODES } from '../contract/index.ts';
import { type ProcessPort, type RunOptions, runServer } from './run.ts';
import type { RunningServer, ServerInput } from './server.ts';

function createRun(change: Partial<RunningServer> = {}, failure?: unknown) {
  let signal: (signal: NodeJS.Signals) => void = () => undefined;
  let uncaught: (error: unknown) => void = () => undefined;
  let started: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    started = resolve;
  });
  const seen = { printed: '', errors: '', exits: [] as number[], logged: [] as string[], stops: 0, abandoned: 0 };
  let now = 1_000;
  const timers: { at: number; run: () => void; isDisposed: boolean }[] = [];
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    after: (milliseconds, run) => {
      const timer = { at: now + milliseconds, run, isDisposed: false };
      timers.push(timer);
      return {
        dispose: () => {
          timer.isDisposed = true;
        },
      };
    },
  };
  const port: ProcessPort = {
    pid: 7,
    env: { TUIC_CONFIG_DIR: '/data/tuic' },
    onSignal: (listener) => {
      signal = listener;
    },
    onUncaught: (listener) => {
      uncaught = listener;
    },
    print: (text) => {
      seen.printed += text;
    },
    printError: (text) => {
      seen.errors += text;
    },
    exit: (code) => {
      seen.exits.push(code);
    },
  };
  const log = (_: object, message: string) => {
    seen.logged.push(message);
  };
  const server: RunningServer = {
    workspace: 'http://127.0.0.1:9876/login?ticket=t',
    log: { info: log, warn: log, error: log, fatal: log },
    stop: async () => {
      seen.stops++;
      return { runningSessions: 2 };
    },
    abandon: async () => {
      seen.abandoned++;
    },
    ...change,
  };
  let requestStop: () => void = () => undefined;
  const run = (options: Partial<RunOptions> = {}) =>
    runServer(
      { commandName: 'tuic', onReady: () => started(), ...options },
      port,
      async (input: ServerInput) => {
        requestStop = input.requestStop;
        if (failure !== undefined) throw failure;
        return server;
      },
      clock,
    );
  return {
    run,
    seen,
    isReady,
    signal: (name: NodeJS.Signals = 'SIGINT') => signal(name),
    uncaught: (error: unknown) => uncaught(error),
    requestStop: () => requestStop(),
    advance: (milliseconds: number) => {
      now += milliseconds;
      for (const timer of timers) if (!timer.isDisposed && timer.at <= now) timer.run();
    },
  };
}

describe('the server in the foreground', () => {
  it('prints the link, stops in order on a signal, and tells how many sessions keep running and how to end them', async () => {
    const test = createRun();
    const code = test.run();
    await test.isReady;
    expect(test.seen.printed).toBe('workspace: http://127.0.0.1:9876/login?ticket=t\n');
    test.signal();
    expect(await code).toBe(EXIT_CODES.ok);
    expect(test.seen.stops).toBe(1);
    expect(test.seen.printed).toContain('2 sessions keep running');
    expect(test.seen.printed).toContain('tuic host stop');
    expect(test.seen.printed).toContain('tuic kill --all');
  });

  it('takes the doubled Ctrl-C of a terminal and npm as one, and a later one as "now"', async () => {
    let release: () => void = () => undefined;
    const test = createRun({
      stop: () =>
        new Promise((resolve) => {
          release = () => resolve({ runningSessions: 0 });
        }),
    });
    const code = test.run();
    await test.isReady;
    test.signal();
    test.signal();
    expect(test.seen.exits).toEqual([]);
    test.advance(DEADLINES.secondInterrupt);
    test.signal();
    expect(test.seen.exits).toEqual([130]);
    release();
    await code;
  });

  it('stops when a client asks for it, and once only', async () => {
    const test = createRun();
    const code = test.run();
    await test.isReady;
    test.requestStop();
    test.requestStop();
    test.signal('SIGTERM');
    expect(await code).toBe(EXIT_CODES.ok);
    expect(test.seen.stops).toBe(1);
  });

  it('does not wait for ever for an orderly stop', async () => {
    const test = createRun({ stop: () => new Promise(() => undefined) });
    const code = test.run();
    await test.isReady;
    test.signal();
    test.advance(DEADLINES.shutdown);
    expect(await code).toBe(EXIT_CODES.failure);
  });

  it('ends with one message and its exit code when it cannot start', async () => {
    const test = createRun({}, new AppError('server_running', { holder: 'pid 9, configuration /data/tuic' }));
    let told = '';
    const code = await test.run({
      onFailed: (message) => {
        told = message;
      },
    });
    expect(code).toBe(EXIT_CODES.alreadyRunning);
    expect(test.seen.errors.trimEnd().split('\n')).toHaveLength(1);
    expect(test.seen.errors).toContain('pid 9');
    expect(told).toContain('pid 9');
  });

  it('a fault during the start shows its stack and ends with the crash code', async () => {
    const test = createRun({}, new TypeError('x is undefined'));
    expect(await test.run()).toBe(EXIT_CODES.crash);
    expect(test.seen.errors).toContain('TypeError: x is undefined');
  });

  it('an error that nobody caught is logged and ends the process, without storing anything', async () => {
    const test = createRun();
    void test.run();
    await test.isReady;
    test.uncaught(new Error('broken'));
    await Promise.resolve();
    expect(test.seen.exits).toEqual([EXIT_CODES.crash]);
    expect([test.seen.stops, test.seen.abandoned]).toEqual([0, 1]);
    expect(test.seen.logged).toEqual(['unexpected error']);
    expect(test.seen.errors).toContain('broken');
  });

  it('says that the local server is off, and prints nothing at all when silent', async () => {
    const test = createRun({ workspace: undefined });
    void test.run();
    await test.isReady;
    expect(test.seen.printed).toContain('local_server_enabled');
    const silent = createRun();
    const code = silent.run({ isSilent: true });
    await silent.isReady;
    silent.signal();
    await code;
    expect(silent.seen.printed + silent.seen.errors).toBe('');
  });
});
