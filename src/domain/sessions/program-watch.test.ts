import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { createTerminalRig } from '../../../test/kit/terminal-rig.ts';
import { DEADLINES } from '../../contract/index.ts';
import { SessionEvidence } from '../agents/index.ts';
import type { ScreenRows } from './activity.ts';
import { ActivityWatch } from './activity-watch.ts';
import { ForegroundWatch } from './foreground-watch.ts';
import { createScreen } from './screen/index.ts';
import { ScreenLook } from './screen-look.ts';

describe('the rows of a screen', () => {
  function setUp() {
    const clock = new ManualClock();
    const engine = createScreen({ cols: 20, rows: 3 });
    const views: ScreenRows[] = [];
    const agent = { isThere: true };
    const look = new ScreenLook({ engine, clock, isAgent: () => agent.isThere, onRows: (view) => views.push(view) });
    const print = (text: string) => {
      engine.ingest(engine.ingestedOffset, Buffer.from(text));
      engine.parseAll();
      look.onParsed();
    };
    return { clock, views, agent, look, print };
  }

  it('are read at once, then at a modest pace, the newest of a burst last', () => {
    const { clock, views, print } = setUp();
    for (const text of ['a', 'b', 'c']) print(text);
    expect(views.map(({ rows }) => rows[0])).toEqual(['a']);
    clock.advance(DEADLINES.screenLook);
    expect(views.map(({ rows }) => rows[0])).toEqual(['a', 'abc']);
    expect(views[1]).toMatchObject({ cursorRow: 0, cursorColumn: 3, isAlternate: false });
    expect(clock.pendingTimers).toBe(0);
  });

  it('of a plain shell are never read', () => {
    const { clock, views, agent, print } = setUp();
    agent.isThere = false;
    print('a');
    clock.advance(1_000);
    expect([views.length, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('are not read again when nothing was parsed since', () => {
    const { clock, views, look, print } = setUp();
    print('a');
    look.onParsed();
    clock.advance(1_000);
    expect(views).toHaveLength(1);
  });
});

describe('what runs in front (STM-36)', () => {
  it('is looked at a moment after the reason for it and once more, however many reasons there are', async () => {
    const clock = new ManualClock();
    const found: string[] = [];
    const failures: unknown[] = [];
    let isBroken = false;
    const watch = new ForegroundWatch({
      clock,
      look: async () => {
        if (isBroken) throw new Error('no table');
        return { agent: 'codex', isShell: false };
      },
      onFound: (program) => found.push(program?.agent ?? 'unknown'),
      onFailure: (error) => failures.push(error),
    });
    watch.expect();
    watch.expect();
    await clock.advanceAsync(DEADLINES.foregroundAgain);
    expect(found).toEqual(['codex', 'codex']);
    isBroken = true;
    watch.expect();
    await clock.advanceAsync(DEADLINES.foregroundSettle);
    expect(failures).toHaveLength(1);
    expect(found.at(-1), 'S04: nobody can tell is no answer').toBe('unknown');
    watch.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('makes an agent of what a shell started, and none of the shell that is back', () => {
    const evidence = new SessionEvidence();
    evidence.command(133, 'C', 0);
    evidence.foreground({ agent: 'codex', isShell: false }, 300);
    expect(evidence.explain()).toMatchObject({ agent_type_by: 'foreground' });
    // The mark of the shell says when it was started, and nothing about its turns (STM-26).
    expect(evidence.read()).toMatchObject({ agent_type: 'codex', agent_state: 'starting' });
    evidence.command(7501, 'state=idle:app=codex', 400);
    evidence.foreground({ agent: undefined, isShell: true }, 5_000);
    expect(evidence.read().agent_type).toBeUndefined();
    expect(evidence.typingRefusal()).toBe('not_managed');
  });
});

describe('a shell that is back in front', () => {
  const agent = () => {
    const evidence = new SessionEvidence(undefined, { hasProcessTable: true });
    evidence.foreground({ agent: 'codex', isShell: false }, 0);
    evidence.command(7501, 'state=idle:app=codex', 10);
    return evidence;
  };
  const rows = (...lines: string[]) => ({ rows: lines, cursorRow: 0, cursorColumn: 0, isAlternate: false });

  it('STM-57, STM-36: what is written while idle closes the gate until somebody has looked', () => {
    const evidence = agent();
    evidence.screen(rows('bye'), 100);
    expect(evidence.typingRefusal()).toBeUndefined();
    evidence.screen(rows('bye', 'me@here:~$'), 200);
    expect([evidence.typingRefusal(), evidence.wantsForeground]).toEqual(['unconfirmed', true]);
    evidence.foreground({ agent: undefined, isShell: true }, 300);
    expect(evidence.typingRefusal()).toBe('not_managed');
  });

  it('S04: when nobody can tell, what was known stays', () => {
    const evidence = agent();
    evidence.command(133, 'A', 100);
    expect(evidence.typingRefusal()).toBe('unconfirmed');
    evidence.foreground(null, 200);
    expect(evidence.typingRefusal()).toBeUndefined();
  });
});

it('STM-10: a machine that slept does not call every terminal idle', () => {
  const clock = new ManualClock();
  const states: string[] = [];
  const watch = new ActivityWatch(new SessionEvidence(), clock, () => {
    states.push(watch.current.shell_state ?? 'unknown');
  });
  watch.output(false);
  clock.jump(60_000);
  clock.advance(DEADLINES.shellSilence);
  expect(states).toEqual(['busy']);
  clock.advance(DEADLINES.shellSilence);
  expect(states).toEqual(['busy', 'idle']);
  watch.dispose();
});

it('BUF-3: everything written to a terminal is followed, and what may not have arrived is unknown', async () => {
  const rig = await createTerminalRig();
  await rig.terminal.write(Buffer.from('half'));
  expect(rig.terminal.composer).toBe('partial');
  await rig.terminal.write(Buffer.from(' a line\r'));
  expect([rig.terminal.composer, rig.terminal.turnEpoch]).toEqual(['cleared', 1]);
  await expect(rig.terminal.following(Buffer.from('x'), Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(rig.terminal.composer).toBe('unknown');
  rig.dispose();
});
