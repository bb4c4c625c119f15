import { describe, expect, it } from 'vitest';
import { FakeSocket } from '../../test/kit/fake-socket.ts';
import { ManualClock, settle } from '../../test/kit/manual-clock.ts';
import type { LogLine, SessionInfo } from '../contract/index.ts';
import { ServerUnreachable } from './errors.ts';
import { openLogStream } from './log-stream.ts';

class LogSocket extends FakeSocket {
  get offset(): number {
    return Number(this.url.searchParams.get('offset'));
  }

  override send(): void {
    throw new Error('a log stream sends nothing');
  }
}

const lines = (from: number, to: number): LogLine[] =>
  Array.from({ length: to - from }, (_, index) => ({ spans: [{ text: String(from + index) }] }));

function open(offset?: number) {
  const clock = new ManualClock();
  const sockets: LogSocket[] = [];
  const told: string[] = [];
  const states: string[] = [];
  let listed: () => Promise<SessionInfo | undefined> = async () => ({ lifecycle: 'live' }) as SessionInfo;
  const stream = openLogStream(
    {
      openSocket: (path) => {
        const socket = new LogSocket(path);
        sockets.push(socket);
        return socket;
      },
      lookUp: () => listed(),
      clock,
      random: () => 0.5,
    },
    'a/b',
    {
      lines: (first, some) => told.push(`${first}:${some.map((line) => line.spans[0]?.text).join(',')}`),
      screen: (rows) => told.push(`screen ${rows.length}`),
      gap: ({ from, to, reason }) => told.push(`gap ${from}-${to} ${reason}`),
      program: (state) => told.push(`program ${state.bracketed_paste === true}`),
      connection: (state) => states.push(state.kind),
      ended: (end) => told.push(`ended ${end.kind}${end.kind === 'exit' ? ` ${end.exitCode}` : ''}`),
    },
    offset === undefined ? {} : { offset },
  );
  return {
    clock,
    sockets,
    told,
    states,
    stream,
    last: () => sockets.at(-1) as LogSocket,
    list: (next: typeof listed) => {
      listed = next;
    },
  };
}

describe('log stream', () => {
  it('delivers lines, screen and state; it is live once the first frame was shown', () => {
    const { last, told, states, stream } = open(5);
    expect([last().url.pathname, last().offset]).toEqual(['/sessions/a%2Fb/stream', 5]);
    last().open();
    expect(states).toEqual([]);
    last().frame({ type: 'log', offset: 5, total_lines: 7, lines: lines(5, 7), screen: lines(0, 3) });
    last().frame({ type: 'state', state: { bracketed_paste: true } });
    expect(told).toEqual(['5:5,6', 'screen 3', 'program true']);
    expect([states, stream.position]).toEqual([['live'], 7]);
  });

  it('W02: after a break it resumes behind the last line, and nothing comes twice', async () => {
    const { clock, last, told, states, sockets } = open(0);
    last().open();
    last().frame({ type: 'log', offset: 0, total_lines: 3, lines: lines(0, 3) });
    last().break();
    expect(states.at(-1)).toBe('reconnecting');
    await clock.advanceAsync(200);
    expect([sockets.length, last().offset]).toEqual([2, 3]);
    last().open();
    last().frame({ type: 'log', offset: 2, total_lines: 5, lines: lines(2, 5) });
    expect(told).toEqual(['0:0,1,2', '3:3,4']);
  });

  it('P1: lines that are gone are told, also when the server did not', () => {
    const { last, told } = open(0);
    last().open();
    last().frame({ type: 'gap', from: 0, to: 4, reason: 'evicted' });
    last().frame({ type: 'log', offset: 4, total_lines: 5, lines: lines(4, 5) });
    last().frame({ type: 'log', offset: 9, total_lines: 10, lines: lines(9, 10) });
    expect(told).toEqual(['gap 0-4 evicted', '4:4', 'gap 5-9 evicted', '9:9']);
  });

  it('W05: reconnect lets a dead socket go; what it still says counts for nothing', () => {
    const { last, told, sockets, stream } = open(0);
    last().open();
    last().frame({ type: 'log', offset: 0, total_lines: 2, lines: lines(0, 2) });
    stream.reconnect();
    expect([sockets.length, sockets[0]?.isClosed, last().offset]).toEqual([2, true, 2]);
    sockets[0]?.frame({ type: 'log', offset: 2, total_lines: 3, lines: lines(2, 3) });
    sockets[0]?.break();
    expect([told, sockets.length]).toEqual([['0:0,1'], 2]);
  });

  it('the end of the program ends it; a session that is gone is no reason to try for ever', async () => {
    const first = open();
    first.last().open();
    first.last().frame({ type: 'exit', session_id: 'a', exit_code: 3 });
    first.last().frame({ type: 'closed', session_id: 'a', reason: 'process_exit' });
    expect(first.told).toEqual(['ended exit 3']);
    const second = open();
    second.list(async () => undefined);
    second.last().break();
    await settle();
    expect([second.told, second.states.at(-1)]).toEqual([['ended missing'], 'ended']);
    await second.clock.advanceAsync(60_000);
    expect(second.sockets).toHaveLength(1);
  });

  it('goes on trying while the server does not answer, also when an opening hangs', async () => {
    const { clock, last, list, sockets, states } = open();
    list(() => Promise.reject(new ServerUnreachable(undefined)));
    last().break();
    await clock.advanceAsync(200);
    expect(sockets).toHaveLength(2);
    await clock.advanceAsync(12_000);
    expect(sockets.length).toBeGreaterThan(2);
    expect(states).not.toContain('ended');
  });

  it('what it does not understand is no frame', () => {
    const { last, told, states } = open();
    last().open();
    for (const frame of ['', 'null', '[]', '{"type":"log"}', '{"type":"gap","from":-1,"to":2}', '{"type":"new"}', '{'])
      last().frame(frame);
    expect([told, states]).toEqual([[], []]);
    last().frame({ type: 'log', offset: 0, total_lines: 1, lines: [null, { spans: [{ text: 1 }, { text: 'x' }] }] });
    expect(told).toEqual(['0:,x']);
  });
});
