import { expect, it } from 'vitest';
import { ScriptedAgent } from '../../../../test/kit/scripted-agent.ts';
import { readHookMarker } from './hook-marker.ts';

it('STM-51: a marker without the nonce of its session is no marker, and is counted', () => {
  const agent = new ScriptedAgent().settles().begins();
  for (const nonce of ['', 'x', 'N', 'n;nonce=n']) agent.hook('idle', nonce);
  agent.says('state=idle', 7770).says('nonce=n;state=dancing', 7770).says('nonce=n;state=idle;more=1', 7770);
  expect(agent).toMatchObject({ state: 'working' });
  expect(agent.evidence.explain()).toMatchObject({ foreign_markers: 7 });
  expect(readHookMarker('nonce=;state=idle', '')).toBeUndefined();
  expect(readHookMarker('nonce=n;state=idle', undefined)).toBeUndefined();
});

it('STM-8: busy of a hook stands through silence and ends by the hook', () => {
  const agent = new ScriptedAgent('blind').paint().types('go\r').hook('busy').pass(60_000);
  expect(agent).toMatchObject({ state: 'working', by: 'hook' });
  agent.hook('idle');
  expect(agent).toMatchObject({ state: 'idle', refusal: undefined });
});

it('STM-22: a ready screen does not end it before the turn has shown anything, and does after', () => {
  const agent = new ScriptedAgent().settles().types('go\r').hook('busy').paint().pass(10_000);
  expect(agent.by).toBe('hook');
  agent.writes('an answer').pass(1_500);
  expect(agent).toMatchObject({ by: 'ready_screen', refusal: undefined });
});

it('STM-40: awaiting is a confident question until it is busy again', () => {
  const agent = new ScriptedAgent().settles().begins().hook('awaiting');
  expect(agent).toMatchObject({ state: 'awaiting_input', refusal: 'dialog_open' });
  agent.hook('busy');
  expect(agent.state).toBe('working');
});

it('STM-34: a working row that moves reopens a turn that a hook called idle too early', () => {
  const agent = new ScriptedAgent().settles().begins().hook('idle').pass(200).works('✽ Working 2');
  expect(agent.shell).toBe('idle');
  agent.pass(200).works('✽ Working 3');
  expect(agent).toMatchObject({ state: 'working', by: 'screen' });
});

it('STM-9: the program itself outranks its hooks', () => {
  const agent = new ScriptedAgent().settles().begins().says('state=working').hook('idle');
  expect(agent).toMatchObject({ state: 'working', by: 'program_status' });
});

it('the conversation that a hook told outlives the server', () => {
  const agent = new ScriptedAgent().says('nonce=n;session=ses_1', 7770);
  const next = new ScriptedAgent();
  next.evidence.restore(agent.evidence.checkpoint());
  expect(next.evidence.conversation).toBe('ses_1');
});
