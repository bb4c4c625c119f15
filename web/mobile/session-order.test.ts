import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../src/contract/index.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { orderSessions } from './session-order.ts';

const NOW = 1_700_000_000_000;

const session = (id: string, change: Partial<SessionInfo> = {}) =>
  sessionInfo(id, { created_at: NOW - 86_400_000, ...change });

const active = (ago: number) => ({
  state: { awaiting_input: false, rate_limited: false, last_activity_ms: NOW - ago },
});

const order = (...sessions: SessionInfo[]) =>
  orderSessions(sessions, NOW).map(({ session: { session_id } }) => session_id);

describe('order of the phone list', () => {
  it('who needs me first: open questions, failures, lost ones; then what runs; then what ended well', () => {
    const asks = { state: { awaiting_input: true, rate_limited: false, last_activity_ms: NOW - 3_600_000 } };
    expect(
      order(
        session('done', { lifecycle: 'exited', exit_code: 0 }),
        session('runs', active(1)),
        session('lost', { lifecycle: 'lost' }),
        session('failed', { lifecycle: 'exited', exit_code: 2 }),
        session('asks', asks),
        session('killed', { lifecycle: 'exited' }),
      ),
    ).toEqual(['asks', 'failed', 'lost', 'runs', 'done', 'killed']);
  });

  it('then by activity', () => {
    expect(
      order(session('day', active(50_000_000)), session('hour', active(2_000_000)), session('now', active(10))),
    ).toEqual(['now', 'hour', 'day']);
  });

  it('programs that write all the time do not change places with each line', () => {
    const older = session('older', { created_at: NOW - 5_000_000, ...active(100) });
    const newer = session('newer', { created_at: NOW - 4_000_000, ...active(20_000) });
    expect(order(older, newer)).toEqual(['newer', 'older']);
    expect(order({ ...older, ...active(30_000) }, { ...newer, ...active(5) })).toEqual(['newer', 'older']);
  });

  it('P3: a session that says nothing needs nobody', () => {
    expect(orderSessions([session('quiet')], NOW)[0]).toMatchObject({ need: undefined, group: 'running' });
  });

  it('is a total order, whatever the input', () => {
    const any = fc.record({
      session_id: fc.uuid(),
      lifecycle: fc.constantFrom('live' as const, 'exited' as const, 'lost' as const),
      created_at: fc.integer({ min: NOW - 1_000_000_000, max: NOW + 1_000 }),
      exit_code: fc.option(fc.integer({ min: 0, max: 255 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(any, { selector: (one) => one.session_id, maxLength: 12 }), (list) => {
        const sessions = list.map(({ session_id, exit_code, ...rest }) =>
          session(session_id, exit_code === undefined ? rest : { ...rest, exit_code }),
        );
        expect(order(...sessions)).toEqual(order(...[...sessions].reverse()));
        expect(order(...sessions)).toHaveLength(sessions.length);
      }),
      { numRuns: 50 },
    );
  });
});
