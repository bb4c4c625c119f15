import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { Emitter } from '../../base/index.ts';
import { AppError, DEADLINES } from '../../contract/index.ts';
import { createSessionTyper, type TerminalLines } from './session-typer.ts';

type Written = Awaited<ReturnType<TerminalLines['typeLine']>>;

function rig(answer: () => Written | Promise<Written>) {
  const clock = new ManualClock();
  const changes = new Emitter<string>();
  const typed: string[] = [];
  const typer = createSessionTyper(
    {
      typingRefusal: (id) => (id === 'busy' ? 'not_idle' : undefined),
      typeLine: async (_id, text) => {
        typed.push(text);
        return answer();
      },
      onTypingChange: (listener) => changes.on(listener),
    },
    clock,
  );
  const told: string[] = [];
  typer.onChange((id) => told.push(id));
  return { clock, changes, typed, typer, told };
}

describe('typing of mail at terminals', () => {
  it('MSG-63: the terminal says whether a line may be typed', () => {
    const { typer } = rig(() => ({ write_state: 'complete' }));
    expect([typer.refusal('busy'), typer.refusal('free')]).toEqual(['not_idle', undefined]);
  });

  it.each<[string, Written, string]>([
    ['a whole line is typed', { write_state: 'complete' }, 'typed'],
    ['a part of one is uncertain', { write_state: 'uncertain' }, 'uncertain'],
    ['a lost race is untouched', { write_state: 'not_started' }, 'untouched'],
  ])('MSG-67: %s', async (_title, written, outcome) => {
    const { typer } = rig(() => written);
    expect(await typer.type('s', 'line')).toBe(outcome);
    expect(typer.refusal('s')).toBeUndefined();
  });

  it.each(['session_not_live', 'session_not_found', 'host_unavailable'] as const)(
    'MSG-67: %s before the first byte is untouched, and the terminal rests',
    async (code) => {
      const { typer, clock, told } = rig(() => {
        throw new AppError(code, code === 'session_not_live' ? { lifecycle: 'exited' } : {});
      });
      expect(await typer.type('s', 'line')).toBe('untouched');
      expect(typer.refusal('s')).toBe('resting');
      expect(typer.refusal('other')).toBeUndefined();
      clock.advance(DEADLINES.typingRest);
      await Promise.resolve();
      expect(typer.refusal('s')).toBeUndefined();
      expect(told).toEqual(['s']);
    },
  );

  it('a full writing queue is no reason to try again at once', async () => {
    const { typer } = rig(() => ({ write_state: 'not_started', failure: new AppError('write_queue_full') }));
    expect(await typer.type('s', 'line')).toBe('untouched');
    expect(typer.refusal('s')).toBe('resting');
  });

  it('what nobody foresaw is not called untouched', async () => {
    const { typer } = rig(() => {
      throw new Error('broken');
    });
    await expect(typer.type('s', 'line')).rejects.toThrow('broken');
  });

  it('changes of one turn are told once, and in a turn of their own', async () => {
    const { changes, told, typer } = rig(() => ({ write_state: 'complete' }));
    changes.emit('a');
    changes.emit('a');
    changes.emit('b');
    expect(told).toEqual([]);
    await Promise.resolve();
    expect(told).toEqual(['a', 'b']);
    changes.emit('a');
    typer.dispose();
    await Promise.resolve();
    expect(told).toEqual(['a', 'b']);
  });
});
