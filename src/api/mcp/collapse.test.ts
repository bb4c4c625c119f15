import { describe, expect, it } from 'vitest';
import { type CollapseSettings, isCollapsed } from './collapse.ts';

const settings = (change: Partial<CollapseSettings> = {}): CollapseSettings => ({
  collapse_tools: false,
  collapse_auto_threshold_bytes: 0,
  collapse_clients: {},
  ...change,
});
const never = () => {
  throw new Error('nobody should have asked for the size');
};

describe('LAZ-12: the first rule that applies decides', () => {
  it('the longest prefix of collapse_clients comes before everything', () => {
    const collapse_clients = { grok: false, 'grok-shell-x': true, claude: true };
    expect(isCollapsed('grok-shell-y', settings({ collapse_clients }), never)).toBe(false);
    expect(isCollapsed('grok-shell-x1', settings({ collapse_clients }), never)).toBe(true);
    expect(isCollapsed('claude-code', settings({ collapse_clients }), never)).toBe(true);
    const collapse_tools = true;
    expect(isCollapsed('claude-code', settings({ collapse_tools, collapse_clients: { claude: false } }), never)).toBe(
      false,
    );
  });

  it('LAZ-1: a client that drops nested names, in any case', () => {
    expect(isCollapsed('Grok-Shell-2', settings(), never)).toBe(true);
    expect(isCollapsed('x-grok-shell-2', settings(), never)).toBe(false);
  });

  it('then collapse_tools, then the size of the list when there is a threshold', () => {
    expect(isCollapsed('', settings({ collapse_tools: true }), never)).toBe(true);
    expect(isCollapsed('', settings(), never)).toBe(false);
    const collapse_auto_threshold_bytes = 100;
    expect(isCollapsed('', settings({ collapse_auto_threshold_bytes }), () => 101)).toBe(true);
    expect(isCollapsed('', settings({ collapse_auto_threshold_bytes }), () => 100)).toBe(false);
  });
});
