/** session submit and wait over a real server: a puppet stands for the agent, and tells exactly what it read, read by read. */
import { describe, expect, it } from 'vitest';
import type { SubmitReceipt, WaitOutcome } from '../../src/contract/index.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();
const says = (state: string) => `\x1b]7501;${state}\x1b\\`;

/** An agent without an adapter of its own: only what it says of itself confirms that it is idle. */
async function setUp() {
  const { ipc } = await startServer(cleanup);
  const { id, puppet } = await startPuppet(cleanup, ipc, { mode: 'raw', agent_type: 'goose' });
  const state = async () => (await ipc.listSessions()).find(({ session_id }) => session_id === id)?.state;
  const tell = async (word: string, isThere: (state: NonNullable<Awaited<ReturnType<typeof info>>>) => boolean) => {
    await puppet.write(says(word));
    await eventually(`the server to know ${word}`, async () => {
      const known = await info();
      return known !== undefined && isThere(known);
    });
  };
  const info = state;
  const submit = async (input: string, more: object = {}) =>
    (await ipc.ok('POST', `/sessions/${id}/submit`, { input, ...more })) as SubmitReceipt;
  const wait = async (query: string) => (await ipc.ok('GET', `/sessions/${id}/wait?${query}`)) as WaitOutcome;
  await tell('state=idle', ({ shell_state }) => shell_state === 'idle');
  return { ipc, id, puppet, tell, submit, wait, read: () => puppet.reads.map(String) };
}

describe('session submit', () => {
  it('SUB-4, SUB-6: text and Enter are two reads of the agent; it moves, works, and is waited for', async () => {
    const { submit, wait, puppet, read, tell } = await setUp();
    const submitting = submit('run the tests\n', { pty_description: 'tests' });
    await puppet.until('Enter', () => read().includes('\r'));
    await puppet.write(says('state=working'));
    expect(await submitting).toMatchObject({
      submitted: true,
      write_state: 'complete',
      acknowledged: true,
      acknowledgement: 'terminal_output',
      retry_safe: false,
    });
    expect(read()).toEqual(['\x15run the tests', '\r']);
    expect(await submit('more')).toMatchObject({ submitted: false, reason: 'not_idle', retry_safe: true });
    expect(await wait('until=idle&timeout_ms=300')).toEqual({ met: false, timed_out: true, until: 'idle' });
    const waiting = wait('until=idle&timeout_ms=60000');
    await tell('state=done', ({ shell_state }) => shell_state === 'idle');
    expect(await waiting).toMatchObject({ met: true, timed_out: false, shell_state: 'idle' });
    expect(read()).toEqual(['\x15run the tests', '\r']);
  });

  it('BUF-3: what stands half typed in its input line is left alone', async () => {
    const { ipc, id, submit, puppet, read } = await setUp();
    await ipc.write(id, 'half a sent');
    await puppet.untilRead(11);
    expect(await submit('go')).toMatchObject({ reason: 'composer_not_empty', retry_safe: true });
    expect(read().join('')).toBe('half a sent');
  });

  it('SUB-1: an agent that asks something gets no prompt for an answer', async () => {
    const { submit, puppet, tell } = await setUp();
    await tell('state=blocked:kind=permission', ({ awaiting_input }) => awaiting_input);
    expect(await submit('go')).toMatchObject({ submitted: false, retry_safe: true });
    expect(puppet.received).toHaveLength(0);
  });

  it('SUB-4: several lines are one paste, and nothing at all while the agent takes none', async () => {
    const { submit, puppet, read } = await setUp();
    expect(await submit('one\ntwo')).toMatchObject({ reason: 'bracketed_paste_off', retry_safe: true });
    expect(puppet.received).toHaveLength(0);
    await puppet.write(`\x1b[?2004h${says('state=idle')}`);
    const receipt = await eventually('the paste to be taken', async () => {
      const tried = submit('one\ntwo\n\n', { timeout_ms: 250 });
      const { reason, ...rest } = await tried;
      return reason === 'bracketed_paste_off' ? undefined : { reason, ...rest };
    });
    expect(receipt).toMatchObject({ submitted: true, acknowledged: false, reason: 'ack_timeout', retry_safe: false });
    expect(read()).toEqual(['\x15\x1b[200~one\ntwo\x1b[201~', '\r']);
  });

  it('SUB-8: an agent that dies of it is told as exited, and so is its end', async () => {
    const { submit, wait, puppet, read } = await setUp();
    const submitting = submit('go');
    const ending = wait('until=exited');
    await puppet.until('Enter', () => read().includes('\r'));
    await puppet.exit(3);
    expect(await submitting).toMatchObject({ submitted: true, reason: 'session_exited', retry_safe: false });
    expect(await ending).toEqual({ met: true, timed_out: false, until: 'exited', exit_code: 3 });
  });

  it('SUB-10: of several at once one is typed, and the others wrote nothing', async () => {
    const { submit, puppet, read } = await setUp();
    const all = ['one', 'two', 'three'].map((input) => submit(input));
    await puppet.until('Enter', () => read().includes('\r'));
    await puppet.write('working');
    const receipts = await Promise.all(all);
    expect(receipts.filter(({ submitted }) => submitted)).toHaveLength(1);
    for (const { submitted, retry_safe } of receipts) expect(retry_safe).toBe(!submitted);
    expect(read().join('')).toMatch(/^\x15(one|two|three)\r$/);
  });

  it('SUB-3: keys that are pressed during the line come behind its Enter', async () => {
    const { ipc, id, submit, puppet, read } = await setUp();
    const submitting = submit('text', { timeout_ms: 250 });
    await puppet.until('the text', () => read().join('').includes('text'));
    await ipc.write(id, 'abc');
    await submitting;
    await puppet.until('the keys', () => read().join('').includes('abc'));
    expect(read().join('')).toBe('\x15text\rabc');
  });
});

describe('session wait', () => {
  it('a stop of the server answers it at once', async () => {
    const server = await startServer(cleanup);
    const { id } = await startPuppet(cleanup, server.ipc);
    const waiting = server.ipc.get(`/sessions/${id}/wait?until=exited`);
    await eventually('the wait to be there', async () => (await server.ipc.listSessions()).length === 1);
    await server.ipc.ok('POST', '/shutdown');
    const answer = await waiting;
    expect([answer.status, answer.json()]).toMatchObject([503, { code: 'server_stopping' }]);
  });
});
