/**
 * Answers what an agent asks of this one window. What is for another window is none of its business, and an answer that comes too late
 * is nobody's any more. A script runs with all that the page can do: it comes as a module from our own server, so that the policy
 * of the page stays as strict as it is.
 */
import { type Client, RequestRefused } from '../../src/client/index.ts';
import { type AppEvent, LIMITS, type ScriptOutcome } from '../../src/contract/index.ts';
import { isRefusal } from './failures.ts';
import { describeError, toJsonValue } from './json-value.ts';
import type { PanelPicture } from './panel-pictures.ts';

export interface WindowAnswerDependencies {
  client: Pick<Client, 'windows'>;
  clientId: string;
  /** Imports a module of our own server. */
  load(path: string): Promise<unknown>;
  takePicture(id: string): Promise<PanelPicture>;
  notify(kind: 'info', text: string): void;
}

export class WindowAnswers {
  readonly #dependencies: WindowAnswerDependencies;

  constructor(dependencies: WindowAnswerDependencies) {
    this.#dependencies = dependencies;
  }

  onEvent(event: AppEvent): void {
    const { clientId } = this.#dependencies;
    if (event.name === 'debug-invoke-js' && event.data.client_id === clientId) {
      void this.#runScript(event.data.request_id);
    } else if (event.name === 'ui-screenshot' && event.data.client_id === clientId) {
      void this.#sendPicture(event.data.request_id, event.data.id);
    }
  }

  async #runScript(requestId: string): Promise<void> {
    const { client, notify } = this.#dependencies;
    const outcome = await this.#outcomeOf(requestId);
    notify('info', 'An agent ran a script in this window.');
    await this.#tell(() => client.windows.answerScript(requestId, outcome));
  }

  async #outcomeOf(requestId: string): Promise<ScriptOutcome> {
    try {
      const module = (await this.#dependencies.load(`/debug/scripts/${encodeURIComponent(requestId)}`)) as {
        default: () => unknown;
      };
      return { result: toJsonValue(await module.default(), LIMITS.windowResult) };
    } catch (error) {
      return { error: describeError(error).slice(0, LIMITS.windowError) };
    }
  }

  async #sendPicture(requestId: string, id: string): Promise<void> {
    const { client, notify } = this.#dependencies;
    const picture = await this.#pictureOf(id);
    if ('error' in picture) {
      await this.#tell(() => client.windows.refusePicture(requestId, picture.error.slice(0, LIMITS.windowError)));
      return;
    }
    notify('info', `A picture of “${picture.label}” was given to an agent.`);
    await this.#tell(() => client.windows.sendPicture(requestId, picture));
  }

  async #pictureOf(id: string): Promise<PanelPicture> {
    try {
      return await this.#dependencies.takePicture(id);
    } catch (error) {
      // Whoever asked is told; it is a fault of this page all the same.
      reportError(error);
      return { error: `the workspace failed to draw it: ${describeError(error)}` };
    }
  }

  async #tell(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      // It had ended already, or the server is gone; whoever asked was told so.
      if (!isRefusal(error) || (error instanceof RequestRefused && error.status === 400)) throw error;
    }
  }
}
