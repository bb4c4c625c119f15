import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type CommandLine, prepareCommandLine, type Script } from '../../../test/kit/command-line.ts';

const cleanup = cleanupAfterEach();
let tuic: CommandLine;
beforeEach(async () => {
  tuic = await prepareCommandLine(cleanup);
});

const session = { session_id: 's1', alias: 'tu-1', lifecycle: 'live' };
const receipt = { submission_id: 'x', submitted: true, write_state: 'complete', acknowledged: true, retry_safe: false };
const serve = (script: Script) => tuic.serve({ 'GET /sessions?lifecycle=all': { body: [session] }, ...script });
const asked = (route: string) => tuic.requests.filter((request) => request.route.startsWith(route));

describe('tuic submit', () => {
  it('sends the words as one prompt, with what the session works on', async () => {
    await serve({ 'POST /sessions/s1/submit': { body: receipt } });
    expect(await tuic.run(['submit', '--describe', 'tests', 'tu-1', 'run', 'the tests'])).toBe(0);
    expect(asked('POST')[0]?.body).toEqual({ input: 'run the tests', pty_description: 'tests' });
  });

  it.each([
    ['not_idle', 'busy'],
    ['composer_not_empty', 'input line'],
    ['ack_timeout', 'not moved'],
    ['write_uncertain', 'broke'],
  ])('fails with what to do next: %s', async (reason, words) => {
    await serve({ 'POST /sessions/s1/submit': { body: { ...receipt, submitted: false, reason } } });
    expect(await tuic.run(['submit', 'tu-1', 'go'])).toBe(1);
    expect(tuic.errors).toContain(words);
    expect(tuic.errors).toContain(reason);
  });

  it('--json prints the receipt of a refusal too', async () => {
    const refusal = { ...receipt, submitted: false, reason: 'not_idle', retry_safe: true };
    await serve({ 'POST /sessions/s1/submit': { body: refusal } });
    expect(await tuic.run(['submit', '--json', 'tu-1', 'go'])).toBe(1);
    expect(JSON.parse(tuic.output)).toEqual(refusal);
  });

  it('--wait waits for the end of the turn, and not when nothing was submitted', async () => {
    const route = 'GET /sessions/s1/wait?until=idle&timeout_ms=600000';
    await serve({
      'POST /sessions/s1/submit': ({ body }) => ({
        body:
          (body as { input: string }).input === 'go' ? receipt : { ...receipt, submitted: false, reason: 'not_idle' },
      }),
      [route]: { body: { met: true, timed_out: false, until: 'idle' } },
    });
    expect(await tuic.run(['submit', '--wait', 'tu-1', 'go'])).toBe(0);
    expect(asked('GET /sessions/s1/wait')).toHaveLength(1);
    expect(await tuic.run(['submit', '--wait', 'tu-1', 'other'])).toBe(1);
    expect(asked('GET /sessions/s1/wait')).toHaveLength(1);
  });
});

describe('tuic wait', () => {
  it('asks again until it is met, and tells how it ended', async () => {
    let round = 0;
    await serve({
      'GET /sessions/s1/wait?until=exited&timeout_ms=600000': () =>
        ++round < 3
          ? { body: { met: false, timed_out: true, until: 'exited' } }
          : { body: { met: true, timed_out: false, until: 'exited', exit_code: 3 } },
    });
    expect(await tuic.run(['wait', '--until', 'exited', 'tu-1'])).toBe(0);
    expect([round, tuic.lines]).toEqual([3, ['exited 3']]);
  });

  it('fails when an exited session is to become idle', async () => {
    await serve({});
    expect(await tuic.run(['wait', 'tu-1'])).toBe(1);
    expect(tuic.errors).toContain('has exited');
  });
});
