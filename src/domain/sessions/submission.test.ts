import { afterEach, describe, expect, it } from 'vitest';
import { settle } from '../../../test/kit/manual-clock.ts';
import { ScriptedReader } from '../../../test/kit/scripted-reader.ts';
import { createSessionHarness, type SessionHarness } from '../../../test/kit/session-harness.ts';
import { DEADLINES, type SubmitReceipt } from '../../contract/index.ts';

let harness: SessionHarness;
afterEach(() => harness.dispose());

async function setUp(change: Partial<ScriptedReader> = { refusal: undefined, composer: 'empty' }) {
  const reader = Object.assign(new ScriptedReader(), change);
  harness = await createSessionHarness({
    change: (dependencies) => ({ ...dependencies, createActivityReader: () => reader }),
  });
  await harness.service.start();
  const { session_id: id } = await harness.service.create({ cwd: '/tmp', shell: '/bin/sh' }, { isRemote: false });
  const program = harness.process.program(id);
  program.print('ready');
  await settle();
  const caller = new AbortController();
  const submit = (input: string, more: { timeout_ms?: number; pty_description?: string | null } = {}) =>
    harness.service.submit(id, { input, ...more }, caller.signal);
  return {
    id,
    reader,
    program,
    caller,
    submit,
    gap: () => harness.clock.advanceAsync(DEADLINES.typingGap),
    described: () => harness.events.filter(({ name }) => name === 'pty-description-changed').map(({ data }) => data),
  };
}

const REFUSED = { submitted: false, write_state: 'not_started', acknowledged: false, retry_safe: true } as const;

describe('session submit', () => {
  it('SUB-3, SUB-4, SUB-7: text and Enter in two writes, then a receipt when the terminal moves', async () => {
    const { submit, program, gap, reader } = await setUp();
    const submitting = submit('run the tests\n');
    await gap();
    expect(program.written).toEqual(['\x15run the tests', '\r']);
    expect(reader.outcomes).toEqual(['submitted']);
    program.print('working');
    expect(await submitting).toEqual({
      submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      submitted: true,
      write_state: 'complete',
      acknowledged: true,
      acknowledgement: 'terminal_output',
      retry_safe: false,
      turn_epoch: 1,
      composer_state: 'cleared',
    } satisfies Record<keyof Omit<SubmitReceipt, 'reason'>, unknown>);
    expect(harness.clock.pendingTimers).toBeLessThan(6);
  });

  it('SUB-6: what was written before Enter is no acknowledgement', async () => {
    const { submit, program, gap } = await setUp();
    const submitting = submit('go', { timeout_ms: 250 });
    await settle();
    program.print('echo of the text');
    await gap();
    await harness.clock.advanceAsync(250);
    expect(await submitting).toMatchObject({
      submitted: true,
      write_state: 'complete',
      acknowledged: false,
      reason: 'ack_timeout',
      retry_safe: false,
    });
  });

  it.each([
    [undefined, 3_000],
    [0, 250],
    [1, 250],
    [5_000, 5_000],
    [60_000, 10_000],
  ])('SUB-2: timeout_ms %s waits %i ms', async (timeout_ms, expected) => {
    const { submit, gap } = await setUp();
    let receipt: SubmitReceipt | undefined;
    void submit('go', timeout_ms === undefined ? {} : { timeout_ms }).then((value) => {
      receipt = value;
    });
    await gap();
    await harness.clock.advanceAsync(expected - 1);
    expect(receipt).toBeUndefined();
    await harness.clock.advanceAsync(1);
    expect(receipt?.reason).toBe('ack_timeout');
  });

  it.each(['not_managed', 'not_idle', 'unconfirmed', 'composer_not_empty', 'dialog_open'] as const)(
    'SUB-1: %s is refused before the first byte',
    async (refusal) => {
      const { submit, program, described } = await setUp({ refusal });
      expect(await submit('go', { pty_description: 'going' })).toMatchObject({ ...REFUSED, reason: refusal });
      expect([program.written, described()]).toEqual([[], []]);
    },
  );

  it('SUB-4: several lines while bracketed paste is off are refused before the first byte', async () => {
    const { submit, program, reader } = await setUp();
    expect(await submit('one\ntwo')).toMatchObject({ ...REFUSED, reason: 'bracketed_paste_off' });
    expect([program.written, reader.outcomes]).toEqual([[], []]);
  });

  it('SUB-1: what waits to be typed there goes first', async () => {
    const { submit, program, id } = await setUp();
    harness.service.setQueue((sessionId) => sessionId === id);
    expect(await submit('go')).toMatchObject({ ...REFUSED, reason: 'queue_not_empty' });
    expect(program.written).toEqual([]);
  });

  it('SUB-10: of two at once one wins, and the other writes nothing', async () => {
    const { submit, program, gap } = await setUp();
    const both = Promise.all([submit('one'), submit('two')]);
    await gap();
    program.print('x');
    await gap();
    const [first, second] = await both;
    expect(first).toMatchObject({ submitted: true, acknowledged: true, turn_epoch: 1 });
    expect(second).toMatchObject({ ...REFUSED, reason: 'not_idle' });
    expect(program.written).toEqual(['\x15one', '\r']);
  });

  it('SUB-10: who may type when it asks and may not when its turn comes has lost the race', async () => {
    const { submit, program, gap, reader, id } = await setUp();
    const entering = harness.service.enterLine(id, 'of a person');
    const submitting = submit('go');
    await settle();
    reader.refusal = 'not_idle';
    await gap();
    await entering;
    expect(await submitting).toMatchObject({ ...REFUSED, reason: 'lost_race' });
    expect(program.written).toEqual(['\x15of a person', '\r']);
  });

  it('SUB-3: keystrokes over HTTP and of a viewer during the line come after its Enter', async () => {
    const { submit, program, gap, id } = await setUp();
    const submitting = submit('text');
    await settle();
    const keys = harness.service.write(id, Buffer.from('abc'));
    await settle();
    expect(program.written).toEqual(['\x15text']);
    await gap();
    await keys;
    program.print('x');
    await submitting;
    expect(program.written).toEqual(['\x15text', '\r', 'abc']);
  });

  it('SUB-8: a host that drops in the middle leaves the write uncertain', async () => {
    const { submit, reader } = await setUp();
    const submitting = submit('go');
    await settle();
    harness.supervisor.disconnect();
    await harness.clock.advanceAsync(DEADLINES.typingGap);
    expect(await submitting).toMatchObject({
      submitted: false,
      write_state: 'uncertain',
      acknowledged: false,
      reason: 'write_uncertain',
      retry_safe: false,
    });
    expect(reader.outcomes).toEqual(['uncertain']);
  });

  it('SUB-8: a program that ends after the write is told as such, and repeating is not safe', async () => {
    const { submit, program, gap } = await setUp();
    const submitting = submit('go');
    await gap();
    program.end(1);
    await harness.settle();
    expect(await submitting).toMatchObject({ submitted: true, reason: 'session_exited', retry_safe: false });
  });

  it('SUB-8: a later submission overtakes the acknowledgement', async () => {
    const { submit, gap, reader, id } = await setUp();
    const submitting = submit('go');
    await gap();
    reader.epoch++;
    // Noticed with the next change, before any output.
    await harness.service.write(id, Buffer.from('\r'));
    await harness.clock.advanceAsync(DEADLINES.submit);
    expect(await submitting).toMatchObject({
      submitted: true,
      acknowledged: false,
      reason: 'epoch_superseded',
      retry_safe: false,
      turn_epoch: 1,
    });
  });

  it('an exited and a lost session are refused', async () => {
    const { submit, program } = await setUp();
    program.end(0);
    await harness.settle();
    expect(await submit('go')).toMatchObject({ ...REFUSED, reason: 'session_exited' });
  });

  it('an empty prompt and an unknown session are errors', async () => {
    const { submit } = await setUp();
    await expect(submit(' \n'.trim())).rejects.toMatchObject({ code: 'invalid_input' });
    const nobody = harness.service.submit('nobody', { input: 'x' }, new AbortController().signal);
    await expect(nobody).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('the end of the server answers who waits for the acknowledgement', async () => {
    const { submit, gap } = await setUp();
    const submitting = submit('go');
    await gap();
    harness.service.endWaits();
    expect(await submitting).toMatchObject({ submitted: true, reason: 'ack_timeout' });
  });

  it('a caller that has left before the first byte types nothing', async () => {
    const { submit, program, caller } = await setUp();
    caller.abort();
    expect(await submit('go')).toMatchObject(REFUSED);
    expect(program.written).toEqual([]);
  });
});

describe('SES-16: the description', () => {
  it('is set by a submission, kept without one, and survives a restart', async () => {
    const { submit, program, gap, reader, id, described } = await setUp();
    const give = async (more: { pty_description?: string | null }) => {
      const submitting = submit('go', more);
      await gap();
      program.print('x');
      await submitting;
      reader.refusal = undefined;
      return harness.service.get(id).pty_description;
    };
    expect(await give({ pty_description: 'tests' })).toBe('tests');
    expect(await give({})).toBe('tests');
    await harness.restart();
    expect(harness.service.get(id).pty_description).toBe('tests');
    harness.service.describe(id, '');
    expect(harness.service.get(id).pty_description).toBeUndefined();
    expect(described()).toEqual([
      { session_id: id, pty_description: 'tests' },
      { session_id: id, pty_description: null },
    ]);
  });
});

describe('lines for others', () => {
  it('MSG-65: a line is refused with the reason of its turn, and its start is told before the first byte', async () => {
    const { program, gap, reader, id } = await setUp();
    const started: number[] = [];
    const type = (text: string) =>
      harness.service.typeLine(id, text, { onStart: () => void started.push(program.written.length) });
    const both = Promise.all([type('one'), type('two')]);
    await gap();
    const [first, second] = await both;
    expect([first?.write_state, second]).toEqual(['complete', expect.objectContaining({ refusal: 'not_idle' })]);
    expect([started, program.written]).toEqual([[0], ['\x15one', '\r']]);
    expect(harness.service.typingRefusal(id)).toBe('not_idle');
    reader.refusal = undefined;
    expect(harness.service.typingRefusal('nobody')).toBe('not_managed');
  });

  it('a start that cannot be noted types nothing and gives the claim back', async () => {
    const { program, reader, id } = await setUp();
    const onStart = () => {
      throw new Error('the disk is full');
    };
    await expect(harness.service.typeLine(id, 'one', { onStart })).rejects.toThrow('the disk is full');
    expect([program.written, reader.outcomes, reader.refusal]).toEqual([[], ['untouched'], undefined]);
  });

  it('SES-5: a raw line needs no claim; several lines without bracketed paste are refused', async () => {
    const { program, gap, reader, id } = await setUp({ refusal: 'not_idle' });
    const entering = harness.service.enterLine(id, 'one');
    await gap();
    await entering;
    await expect(harness.service.enterLine(id, 'one\ntwo')).rejects.toMatchObject({ code: 'bracketed_paste_off' });
    expect([program.written, reader.outcomes]).toEqual([['\x15one', '\r'], []]);
  });
});
