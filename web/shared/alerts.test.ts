import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SessionInfo, SessionState } from '../../src/contract/index.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { Alerts, AskedSessions, alertOf } from './alerts.ts';
import type { Memory } from './preferences.ts';
import { parseSoundSettings, SOUND_NAMES } from './sound.ts';
import type { SessionEntry } from './workspace-state.ts';

const state = (change: Partial<SessionState> = {}): SessionState => ({
  awaiting_input: false,
  rate_limited: false,
  last_activity_ms: 0,
  agent_type: 'claude',
  ...change,
});
const entry = (change: Partial<SessionState>, info: Partial<SessionInfo> = {}): SessionEntry => ({
  ...sessionInfo('a', { state: state(change), display_name: 'builder', ...info }),
  isClosing: false,
});
const working = entry({ agent_state: 'working' });
const idle = entry({ agent_state: 'idle' });

describe('issue 6.8: which step of an agent sounds', () => {
  it.each([
    ['a question', working, entry({ awaiting_input: true }), 'question'],
    ['the end of a turn', working, idle, 'completion'],
    ['a task that is done', working, entry({ agent_state: 'completed' }), 'completion'],
    ['a limit', working, entry({ agent_state: 'working', rate_limited: true }), 'warning'],
    ['an error', working, entry({ agent_state: 'idle', last_error: 'overloaded' }), 'error'],
    ['a failure', working, { ...working, lifecycle: 'exited' as const, exit_code: 1 }, 'error'],
    ['the loss of its host', idle, { ...idle, lifecycle: 'lost' as const }, 'error'],
    ['a start', entry({ agent_state: 'starting' }), idle, undefined],
    ['work', idle, working, undefined],
    ['a close by a person', working, { ...working, isClosing: true }, undefined],
    ['offers that come after the end', idle, entry({ agent_state: 'completed' }), undefined],
    ['what this page sees first', undefined, entry({ awaiting_input: true }), undefined],
  ])('%s', (_what, before, after, sound) => expect(alertOf(before, after)).toBe(sound));

  it('of a shell only a question', () => {
    const shell = (change: Partial<SessionState>) => {
      const { agent_type: _none, ...rest } = state(change);
      return { ...sessionInfo('a', { state: rest }), isClosing: false };
    };
    expect(alertOf(shell({}), { ...shell({}), lifecycle: 'exited', exit_code: 1 })).toBeUndefined();
    expect(alertOf(shell({}), shell({ awaiting_input: true }))).toBe('question');
  });
});

function setUp(options: { isSeen?: boolean; wasAsked?: boolean; silencesRemote?: boolean } = {}) {
  const store = createStore(() => ({ isLoaded: false, sessions: new Map<string, SessionEntry>() }));
  const told: string[] = [];
  const alerts = new Alerts({
    store,
    isSeen: () => options.isSeen === true,
    wasAsked: () => options.wasAsked === true,
    silencesRemote: () => options.silencesRemote !== false,
    play: (sound) => void told.push(sound),
    show: (_id, title) => void told.push(title),
  });
  const see = (session: SessionEntry) => store.setState({ isLoaded: true, sessions: new Map([['a', session]]) });
  return { alerts, told, see };
}

describe('S06: nobody is disturbed without having asked', () => {
  it('an agent that was asked sounds and has a notice; what is found at the first look is no news', () => {
    const { see, told } = setUp({ wasAsked: true });
    see(entry({ awaiting_input: true }));
    expect(told).toEqual([]);
    see(working);
    see(idle);
    expect(told).toEqual(['completion', 'builder: idle']);
  });

  it('of one that was not asked there is no notice, and its turn ends in silence; a question sounds', () => {
    const { see, told } = setUp();
    for (const session of [idle, working, idle, entry({ awaiting_input: true })]) see(session);
    expect(told).toEqual(['question']);
  });

  it('turns of sessions from elsewhere sound where that is set', () => {
    const { see, told } = setUp({ silencesRemote: false });
    for (const session of [working, idle]) see({ ...session, is_remote: true });
    expect(told).toEqual(['completion']);
  });

  it('what the person has in front of them makes no sound', () => {
    const { see, told } = setUp({ isSeen: true, wasAsked: true });
    for (const session of [working, idle, entry({ awaiting_input: true })]) see(session);
    expect(told).toEqual([]);
  });

  it('whom a person asked is remembered by the browser, two hundred of them', () => {
    const kept = new Map<string, string>();
    const memory: Memory = { read: (key) => kept.get(key), write: (key, text) => void kept.set(key, text) };
    const asked = new AskedSessions(memory);
    for (let count = 0; count < 210; count++) asked.add(`s${count}`);
    const again = new AskedSessions(memory);
    expect([again.has('s209'), again.has('s10'), again.has('s9'), asked.has('s9')]).toEqual([true, true, false, true]);
  });
});

describe('http.md 11.4: settings of sounds', () => {
  it('what is missing or no setting stands at its default', () => {
    const usual = { enabled: true, volume: 0.5, silence_remote_completions: true };
    expect(parseSoundSettings(null)).toMatchObject(usual);
    expect(parseSoundSettings({ volume: 7, sounds: 'all', enabled: 'no' })).toMatchObject(usual);
    expect(Object.values(parseSoundSettings({}).sounds)).toEqual(SOUND_NAMES.map(() => true));
    expect(parseSoundSettings({ enabled: false, volume: 0, sounds: { error: false } })).toMatchObject({
      enabled: false,
      volume: 0,
      sounds: { error: false, question: true },
    });
  });
});
