import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/index.ts';
import { ProgramStatusTable, parseProgramStatus } from './program-status.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('STM-52: one sequence', () => {
  it('reads all its fields', () => {
    const data = `state=blocked:kind=permission:app=claude:id=a/b:progress=40:title=${base64('Ünï')}:msg=${base64('run it?')}`;
    expect(parseProgramStatus(data)).toEqual({
      id: 'a/b',
      state: 'blocked',
      kind: 'permission',
      app: 'claude',
      progress: 40,
      title: 'Ünï',
      message: 'run it?',
    });
  });

  it.each(['?', '', 'state', 'state=', 'state=busy', 'id=a', 'state=idle:id=a b', 'state=working:id=\u001b[2J'])(
    'is none: %j',
    (data) => expect(parseProgramStatus(data)).toBeUndefined(),
  );

  it('ignores unknown keys, and takes what cannot be read for absent', () => {
    expect(parseProgramStatus('state=working:new=1:kind=auth:progress=101:msg=%%%:app=a b:title=/w==')).toEqual({
      id: '',
      state: 'working',
      kind: undefined,
      app: undefined,
      progress: undefined,
      title: undefined,
      message: undefined,
    });
  });

  it('text is cut', () => {
    const parsed = parseProgramStatus(`state=error:msg=${base64('x'.repeat(3_000))}`);
    expect(parsed?.message).toHaveLength(LIMITS.statusText);
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (data) => {
        const parsed = parseProgramStatus(`state=idle:${data}`);
        expect(parsed === undefined || typeof parsed.id === 'string').toBe(true);
      }),
    );
  });
});

describe('STM-55, STM-56: the table', () => {
  it('a record stands until the next one of its id', () => {
    const table = new ProgramStatusTable();
    expect(table.own).toBeUndefined();
    table.take('state=working:app=codex');
    table.take('state=blocked:kind=question:id=sub');
    expect(table.own).toMatchObject({ state: 'working', app: 'codex' });
    expect(table.hasLiveChild).toBe(true);
    table.take('state=done:id=sub');
    expect(table.hasLiveChild).toBe(false);
    table.take('state=idle');
    expect(table.own?.state).toBe('idle');
  });

  it('clear drops the record and its children, and only these', () => {
    const table = new ProgramStatusTable();
    for (const id of ['a', 'a/b', 'ab', 'c']) table.take(`state=working:id=${id}`);
    table.take('state=clear:id=a');
    expect(table.children.map(({ id }) => id)).toEqual(['ab', 'c']);
    table.take('state=working');
    table.take('state=clear');
    expect(table.state()).toEqual([]);
    expect(table.hasSpoken).toBe(true);
  });

  it('a prompt of the shell ends what works and what waits; what is done stays', () => {
    const table = new ProgramStatusTable();
    table.take('state=blocked');
    table.take('state=done:id=a');
    expect(table.endTurn()).toBe(true);
    expect(table.state().map(({ id, state }) => [id, state])).toEqual([['a', 'done']]);
    expect(table.endTurn()).toBe(false);
  });

  it('is bounded: one record too many is dropped and counted, known ones still change', () => {
    const table = new ProgramStatusTable();
    for (let id = 0; id < LIMITS.statusRecords + 5; id++) table.take(`state=working:id=${id}`);
    expect(table.state()).toHaveLength(LIMITS.statusRecords);
    expect(table.dropped).toBe(5);
    expect(table.take('state=idle:id=0')).toBe(true);
    expect(table.take('garbage')).toBe(false);
    expect(table.dropped).toBe(6);
  });

  it('STM-50: comes back from its state', () => {
    const table = new ProgramStatusTable();
    table.take('state=blocked:kind=auth');
    const again = new ProgramStatusTable();
    again.restore(JSON.parse(JSON.stringify(table.state())));
    expect(again.own).toMatchObject({ state: 'blocked', kind: 'auth' });
    expect(again.hasSpoken).toBe(true);
  });
});
