/**
 * Prompts that are typed once their agent takes one (mcp.md AGT-5, MSG-85). They wait in the queue of their terminal, in one order with what
 * others type there; here is only watched whether that happens in time.
 *
 * Promise: a prompt that still waits after DEADLINES.promptDelivery is told to the parent, once; it goes on waiting. One that a server
 * before this one left is watched anew.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';

export interface PromptQueue {
  /** Nobody types. */
  readonly isOff: boolean;
  push(sessionId: string, line: { kind: 'prompt'; text: string }): { readonly id: string };
  /** What waits there, oldest first. */
  list(sessionId: string): readonly { readonly id: string; readonly kind: string }[];
  readonly sessions: readonly string[];
  /** The agent may be ready already. */
  pump(sessionId: string): void;
}

export interface DeferredPromptsDependencies {
  queue: PromptQueue;
  clock: Clock;
  notifyParent: (notice: { child: string; state: 'prompt_delivery_failed'; reason: 'timeout' }) => void;
  log: { warn(fields: object, message: string): void };
}

export class DeferredPrompts implements Disposable {
  readonly #dependencies: DeferredPromptsDependencies;
  readonly #timers = new Map<string, Disposable>();

  constructor(dependencies: DeferredPromptsDependencies) {
    this.#dependencies = dependencies;
    const { queue } = dependencies;
    for (const sessionId of queue.sessions) {
      for (const { id, kind } of queue.list(sessionId)) if (kind === 'prompt') this.#watch(sessionId, id);
    }
  }

  get isOff(): boolean {
    return this.#dependencies.queue.isOff;
  }

  defer(sessionId: string, prompt: string): void {
    const { queue } = this.#dependencies;
    const { id } = queue.push(sessionId, { kind: 'prompt', text: prompt });
    this.#watch(sessionId, id);
    queue.pump(sessionId);
  }

  #watch(sessionId: string, id: string): void {
    const { queue, clock, notifyParent, log } = this.#dependencies;
    const timer = clock.after(DEADLINES.promptDelivery, () => {
      this.#timers.delete(id);
      // Typed, begun without a certain end, or its terminal is over: nothing to tell here.
      if (!queue.list(sessionId).some((line) => line.id === id)) return;
      log.warn({ session: sessionId }, 'an agent has not taken its prompt in time');
      notifyParent({ child: sessionId, state: 'prompt_delivery_failed', reason: 'timeout' });
    });
    this.#timers.set(id, timer);
  }

  dispose(): void {
    for (const timer of this.#timers.values()) timer.dispose();
    this.#timers.clear();
  }
}
