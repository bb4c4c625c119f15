import { expect, it } from 'vitest';
import { ScriptedAgent } from '../../../../test/kit/scripted-agent.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

it('STM-44: a dialog on the screen is a confident question with its choices, and ends with it', () => {
  const agent = new ScriptedAgent().settles().begins().draws(['? Run it', '>']);
  expect(agent.evidence.read()).toMatchObject({
    agent_state: 'awaiting_input',
    question_confident: true,
    question_text: '? Run it',
    choice_prompt: { title: '? Run it', options: [{ key: '1', label: 'Yes', highlighted: true, destructive: false }] },
  });
  agent.types('1').draws(['✽ Working 2', '>']);
  expect(agent.evidence.read()).toMatchObject({ agent_state: 'working', awaiting_input: false });
  expect(agent.evidence.read().choice_prompt).toBeUndefined();
});

it('STM-55: what the program asks itself is told in its own words, with the choices of the screen', () => {
  const agent = new ScriptedAgent()
    .settles()
    .begins()
    .says(`state=blocked:kind=permission:msg=${base64('May I?')}`);
  agent.draws(['? Run it', '>']);
  expect(agent.evidence.read()).toMatchObject({ question_text: 'May I?', question_kind: 'permission' });
  expect(agent.evidence.read().choice_prompt?.options).toHaveLength(1);
});

it('STM-40: a title that asks is a confident question until it is another one', () => {
  const agent = new ScriptedAgent().settles();
  agent.evidence.title('✳ Action Required: approve', agent.now);
  expect(agent).toMatchObject({ state: 'awaiting_input', refusal: 'dialog_open' });
  agent.evidence.title('✳ Ready', agent.now);
  expect(agent).toMatchObject({ state: 'idle', refusal: undefined });
});

it('STM-42: an answer closes what was asked, an empty line too', () => {
  const agent = new ScriptedAgent().settles().says('state=blocked').types('\r');
  expect(agent.evidence.read()).toMatchObject({ awaiting_input: false, agent_state: 'working' });
  expect(agent.evidence.epoch).toBe(1);
});

it('the task of the status line is told while it works, a long prompt until the next', () => {
  const prompt = 'one two three four five six seven eight nine ten';
  const agent = new ScriptedAgent().settles().begins(prompt).works('✽ Reading files… (3s)');
  expect(agent.evidence.read()).toMatchObject({ current_task: 'Reading files', last_prompt: prompt });
  agent.rests().pass(1_500).begins('short');
  expect(agent.evidence.read().last_prompt).toBe(prompt);
  expect(agent.evidence.read().current_task).toBeUndefined();
});
