import { describe, expect, it } from 'vitest';
import type { Client, LogStreamListener } from '../../src/client/index.ts';
import type { LogLine, SessionInfo } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { LogBuffer } from './log-buffer.ts';
import { LogFeed } from './log-feed.ts';

const line = (text: string): LogLine => ({ spans: [{ text }] });

describe('log feed', () => {
  it('P1: what a session wrote between the first window and its end is shown, though its stream never stood', async () => {
    const windows: LogLine[][] = [[], [line('last words')]];
    const listeners: LogStreamListener[] = [];
    const client = {
      sessions: {
        logOutput: async () => ({ lines: [], total_lines: 0, offset: 0, screen: windows.shift() ?? [] }),
      },
      openLogStream: (_id: string, listener: LogStreamListener) => {
        listeners.push(listener);
        return { dispose: () => undefined, reconnect: () => undefined };
      },
    } as unknown as Client;
    const told: string[] = [];
    const feed = new LogFeed(
      client,
      new ManualClock(),
      'x',
      new LogBuffer(),
      { isFollowed: () => true, isOver: () => false },
      {
        changed: (isReset) => told.push(isReset ? 'window' : 'more'),
        connection: (connection) => told.push(connection),
        program: () => undefined,
        ended: (end) => told.push(`end: ${end.kind}`),
        refused: (error) => told.push(error.message),
      },
    );
    await feed.open();
    const session = { session_id: 'x', lifecycle: 'exited', exit_code: 7 } as SessionInfo;
    listeners[0]?.ended?.({ kind: 'missing', session });
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(['window', 'end: missing', 'window', 'ended']);
    expect(windows).toEqual([]);
    expect(listeners).toHaveLength(1);
  });
});
