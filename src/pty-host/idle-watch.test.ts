import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { Emitter } from '../base/index.ts';
import { DEADLINES } from '../contract/index.ts';
import { watchIdle } from './idle-watch.ts';

describe('idle watch', () => {
  it('ends the host only after 60 s with neither session nor server', () => {
    const clock = new ManualClock();
    const changed = new Emitter<void>();
    const host = { sessionCount: 0, onSessionsChanged: (listener: () => void) => changed.on(listener) };
    const server = { hasServer: false, onServerChanged: (listener: () => void) => void changed.on(listener) };
    let ended = 0;
    const set = (sessions: number, hasServer: boolean) => {
      host.sessionCount = sessions;
      server.hasServer = hasServer;
      changed.emit();
    };
    watchIdle(host, server, clock, () => ended++);
    clock.advance(DEADLINES.hostIdleExit - 1);
    set(0, true);
    clock.advance(DEADLINES.hostIdleExit * 2);
    set(1, false);
    clock.advance(DEADLINES.hostIdleExit * 2);
    set(0, false);
    clock.advance(DEADLINES.hostIdleExit - 1);
    expect(ended).toBe(0);
    clock.advance(1);
    expect(ended).toBe(1);
  });
});
