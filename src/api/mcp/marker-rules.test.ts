import { expect, it } from 'vitest';
import { agentOfClient, markersFor } from './marker-rules.ts';

const ON = { intent_tab_title: true, suggest_followups: true };

it('INS-4: the agent follows from the name of the client; the bridge alone is none', () => {
  expect(['claude-code', 'Codex', 'gemini-cli-mcp-client', 'tuic-bridge', ''].map(agentOfClient)).toEqual([
    'claude',
    'codex',
    'gemini',
    undefined,
    undefined,
  ]);
});

it('INS-4: the switch for all counts, and that of the agent, which is on by default', () => {
  const file = { agents: { codex: { suggest_followups: false }, claude: { intent_tab_title: true } } };
  expect(markersFor('claude-code', ON, file)).toEqual({ intent: true, suggest: true });
  expect(markersFor('codex', ON, file)).toEqual({ intent: true, suggest: false });
  expect(markersFor('tuic-bridge', ON, file)).toEqual({ intent: true, suggest: true });
  expect(markersFor('claude-code', { ...ON, intent_tab_title: false }, file)).toEqual({ intent: false, suggest: true });
  for (const broken of [undefined, [], { agents: 1 }, { agents: { claude: 'off' } }]) {
    expect(markersFor('claude-code', ON, broken)).toEqual({ intent: true, suggest: true });
  }
});
