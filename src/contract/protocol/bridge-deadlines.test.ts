import { describe, expect, it } from 'vitest';
import { DEADLINES } from '../deadlines.ts';
import { bridgeDeadline } from './bridge-deadlines.ts';

const call = (name: string, args: object) => bridgeDeadline('tools/call', { name, arguments: args });

describe('BRG-6: the wait of the bridge', () => {
  it.each([
    ['session', { action: 'list' }, 10_000],
    ['session', { action: 'wait' }, 65_000],
    ['session', { action: 'wait', timeout_ms: 0 }, 65_000],
    ['session', { action: 'wait', timeout_ms: 900_000 }, 305_000],
    ['agent', { action: 'wait', timeout_ms: 20_000 }, 25_000],
    ['session', { action: 'submit' }, 10_000],
    ['session', { action: 'submit', timeout_ms: 20_000 }, 25_000],
    ['agent', { action: 'spawn' }, 30_000],
    ['ui', { action: 'confirm' }, 305_000],
    ['ui', { action: 'screenshot' }, 20_000],
    ['repo', { action: 'worktree_remove' }, 305_000],
    ['repo', { action: 'status' }, 10_000],
    ['ai_terminal_run_command', { timeout_ms: 5 }, 300_000],
    ['ai_terminal_drive_agent', { timeout_ms: 60_000 }, 185_000],
    ['ai_terminal_write_file', {}, 125_000],
    ['ai_terminal_wait_for', {}, 15_000],
    ['ai_terminal_read_file', {}, 10_000],
    ['github__create_issue', {}, 305_000],
  ])('%s %j: %i ms, direct and through call_tool', (name, args, expected) => {
    expect(call(name, args)).toBe(expected);
    expect(call('call_tool', { tool_name: name, arguments: args })).toBe(expected);
  });

  it('other methods are ordinary, subscriptions stay open, nonsense is ordinary', () => {
    expect(bridgeDeadline('tools/list', undefined)).toBe(DEADLINES.bridgeOrdinary);
    expect(bridgeDeadline('subscriptions/listen', {})).toBeUndefined();
    expect(bridgeDeadline('tools/call', 7)).toBe(DEADLINES.bridgeOrdinary);
    expect(call('call_tool', { tool_name: 'call_tool', arguments: { tool_name: 'call_tool' } })).toBe(DEADLINES.bridge);
  });

  it('LIM-1: no wait ends before the server has answered, none goes beyond the longest', () => {
    expect(call('session', { action: 'wait', timeout_ms: 295_000 })).toBe(300_000);
    expect(DEADLINES.bridge).toBeGreaterThan(DEADLINES.request);
  });
});
