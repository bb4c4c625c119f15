/** A released agent in a terminal of ours, driven by keys and read by its rows. */
import type { Cleanup } from '../kit/cleanup-steps.ts';
import { eventually } from '../kit/eventually.ts';
import { journalNow } from '../kit/fake-models/server.ts';
import type { ApiClient } from '../kit/http.ts';
import type { ServerUnderTest } from '../kit/server.ts';
import { type AgentHome, type AgentName, agentProgram } from './agent-home.ts';
import { endAllOf } from './agent-run.ts';
import { HABITS, type Habits } from './habits.ts';

export interface Size {
  rows: number;
  cols: number;
}

export class AgentTerminal {
  readonly id: string;
  readonly name: AgentName;
  readonly habits: Habits;
  readonly #api: ApiClient;

  private constructor(api: ApiClient, name: AgentName, id: string) {
    this.#api = api;
    this.name = name;
    this.habits = HABITS[name];
    this.id = id;
  }

  /** Opens it; the agent may still be starting. */
  static async open(
    cleanup: Cleanup,
    server: ServerUnderTest,
    name: AgentName,
    { home, project, env }: AgentHome,
    size: Size,
  ): Promise<AgentTerminal> {
    cleanup.defer(() => endAllOf(home));
    const { session_id } = await server.ipc.createSession({
      shell: agentProgram(name),
      args: [...HABITS[name].args],
      cwd: project,
      env,
      agent_type: name,
      ...size,
    });
    return new AgentTerminal(server.ipc, name, session_id);
  }

  async rows(): Promise<string[]> {
    const { screen } = await this.#api.logOutput(this.id);
    return screen.map(({ spans }) => spans.map(({ text }) => text).join(''));
  }

  /** Waits until the screen shows `pattern` (or no longer shows it) and says when that was seen. */
  async shows(pattern: RegExp, { gone = false, patience = 60_000 } = {}): Promise<number> {
    let last = '';
    try {
      return await eventually(
        `${this.name} to show ${pattern}`,
        async () => {
          last = (await this.rows()).join('\n');
          return pattern.test(last) !== gone && journalNow();
        },
        patience,
      );
    } catch (error) {
      throw new Error(`${String(error)}. It shows:\n${last.replace(/\n{3,}/g, '\n\n')}`);
    }
  }

  async isShowing(pattern: RegExp): Promise<boolean> {
    return pattern.test((await this.rows()).join('\n'));
  }

  async ready(): Promise<number> {
    return await this.shows(this.habits.ready);
  }

  /** Until it has written nothing for so long: some draw their input line well before they take keys. */
  async quiet(milliseconds: number): Promise<void> {
    await eventually(`${this.name} to be quiet`, async () => {
      const session = (await this.#api.listSessions()).find(({ session_id }) => session_id === this.id);
      return Date.now() - (session?.state?.last_activity_ms ?? Date.now()) > milliseconds;
    });
  }

  /** Returns when it was handed over. */
  async keys(data: string): Promise<number> {
    const at = journalNow();
    await this.#api.write(this.id, data);
    return at;
  }

  /** Types a line as a person does: the text, a look that it is there, Enter. */
  async submit(text: string): Promise<number> {
    await this.keys(text);
    const tail = text.slice(-12).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    await this.shows(new RegExp(tail));
    // An Enter on the heels of the text is part of a paste for some.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return await this.keys('\r');
  }

  async resize(size: Size): Promise<number> {
    const at = journalNow();
    await this.#api.ok('POST', `/sessions/${this.id}/resize`, size);
    return at;
  }

  /** Waits for the end of its program and says when that was seen. */
  async ended(): Promise<number> {
    return await eventually(`${this.name} to end`, async () => {
      const session = (await this.#api.listSessions(true)).find(({ session_id }) => session_id === this.id);
      return session?.lifecycle === 'exited' && journalNow();
    });
  }

  async close(): Promise<void> {
    await this.#api.remove(this.id);
  }
}
