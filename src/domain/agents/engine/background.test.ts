import { expect, it } from 'vitest';
import { ScriptedAgent } from '../../../../test/kit/scripted-agent.ts';
import type { ProcessEntry } from '../../../platform/process/index.ts';
import { findBackgroundWork } from '../background.ts';

const entry = (pid: number, parent: number, name: string, state = 'S'): ProcessEntry => ({
  pid,
  parent,
  name,
  state,
  group: pid,
  session: 1,
  foregroundGroup: 10,
  startTicks: 5,
  residentBytes: 0,
  cpuTicks: 0,
});

it('STM-32: a shell that the agent started is work; servers it keeps, what has ended and what others run are not', () => {
  const table = [
    entry(1, 0, 'bash'),
    entry(10, 1, 'node'),
    entry(11, 10, 'codex'),
    entry(12, 11, 'bash'),
    entry(13, 12, 'sleep'),
    entry(14, 11, 'tuic-bridge'),
    entry(15, 14, 'sh'),
    entry(16, 11, 'bash', 'Z'),
    entry(17, 1, 'sh'),
  ];
  expect(findBackgroundWork(table, 10)).toEqual(['12:5']);
  expect(findBackgroundWork(table, 99)).toEqual([]);
});

function started() {
  const agent = new ScriptedAgent('claude', true).settles();
  expect(agent.evidence.wantsProcesses).toBe(true);
  agent.evidence.processes(['20:1'], agent.now);
  return agent;
}

it('STM-33: idle is told only after the table was read behind it, and may be typed into before', () => {
  const agent = new ScriptedAgent('claude', true).settles();
  expect(agent).toMatchObject({ state: 'working', shell: 'idle', refusal: undefined });
  agent.evidence.processes([], agent.now - 1);
  expect(agent.state).toBe('working');
  agent.evidence.processes([], agent.now);
  expect(agent.state).toBe('idle');
  expect(agent.evidence.wantsProcesses).toBe(false);
});

it('STM-33: a table that cannot be read leaves what was known', () => {
  const agent = started().begins().rests().pass(2_000);
  agent.evidence.processes(['30:2'], agent.now);
  expect(agent.evidence.read()).toMatchObject({ background_work: true, agent_state: 'working' });
  agent.evidence.processes(null, agent.now + 1_000);
  expect(agent.evidence.read().background_work).toBe(true);
});

it('STM-32: work keeps it working until it is over; what ran before the first turn is a helper', () => {
  const agent = started();
  expect(agent).toMatchObject({ state: 'idle' });
  agent.begins().rests().pass(2_000);
  agent.evidence.processes(['20:1', '30:2'], agent.now);
  expect(agent).toMatchObject({ state: 'working', shell: 'idle', refusal: undefined });
  expect(agent.evidence.wantsProcesses).toBe(true);
  agent.evidence.processes(['20:1'], agent.now + 1_000);
  expect(agent.state).toBe('idle');
});

it('STM-33: working evidence voids the boundary', () => {
  const agent = started().begins().rests().pass(1_500);
  expect(agent.evidence.wantsProcesses).toBe(true);
  agent.types('next\r');
  expect(agent.evidence.wantsProcesses).toBe(false);
});
