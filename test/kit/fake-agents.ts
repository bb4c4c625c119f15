/** A machine with Claude Code and without the others; nothing is started. */
import type { DetectedAgent } from '../../src/contract/index.ts';
import type { AgentDetection } from '../../src/domain/agents/index.ts';

export class FakeAgents implements AgentDetection {
  readonly here: DetectedAgent = { name: 'claude', path: '/opt/agents/claude', version: '2.1.332' };
  /** Names that were looked up. */
  readonly lookups: string[] = [];

  async agents(): Promise<DetectedAgent[]> {
    return [this.here, ...['codex', 'gemini', 'aider', 'goose'].map((name) => ({ name, path: null, version: null }))];
  }

  async agent(name: string): Promise<DetectedAgent | undefined> {
    return (await this.agents()).find((agent) => agent.name === name);
  }

  async editors(): Promise<string[]> {
    return ['vscode'];
  }

  async programs(names: readonly string[]): Promise<Map<string, string | null>> {
    this.lookups.push(...names);
    return new Map(names.map((name) => [name, name === 'claude' ? this.here.path : null]));
  }

  async path(): Promise<string> {
    return '/usr/bin:/opt/agents';
  }

  close(): void {}
}
