/** Writes what agents say they are about to do into the journal (PRJ-5), from the states of their sessions. */
import { type Bus, type Disposable, toDisposable } from '../../base/index.ts';
import type { AppEvent, SessionInfo, SessionState } from '../../contract/index.ts';
import type { ProgressService } from './service.ts';

export interface FollowIntents {
  bus: Bus<AppEvent>;
  progress: Pick<ProgressService, 'recordIntent' | 'lastIntent'>;
  sessions: { list(): SessionInfo[]; workingFolder(id: string): Promise<string | null> };
  log: { warn(fields: object, message: string): void };
}

/** `text (title)`, as a state tells an intent. */
function partsOf(intent: string): { text: string; title?: string } {
  const parts = /^(.*\S)\s*\(([^()]+)\)$/u.exec(intent);
  const [, text, title] = parts ?? [];
  return text === undefined || title === undefined ? { text: intent } : { text, title };
}

export function followIntents({ bus, progress, sessions, log }: FollowIntents): Disposable {
  let isScheduled = false;
  let isDisposed = false;
  const known = new Map<string, string>();
  /** One after the other, in the order in which they were said. */
  let writing = Promise.resolve();

  async function write(session_id: string, agent_type: string, intent: string): Promise<void> {
    const { cwd } = sessions.list().find((session) => session.session_id === session_id) ?? {};
    const folder = (await sessions.workingFolder(session_id)) ?? cwd;
    if (isDisposed || folder === undefined || folder === null) return;
    await progress.recordIntent({ ...partsOf(intent), folder, session_id, agent_type });
  }

  function take(session_id: string, { agent_intent, agent_type }: SessionState): void {
    if (agent_intent === undefined || agent_type === undefined) return;
    // After a restart the state tells again what an earlier server has written.
    const { text } = partsOf(agent_intent);
    const isTold = known.has(session_id)
      ? known.get(session_id) === agent_intent
      : progress.lastIntent(session_id) === text;
    known.set(session_id, agent_intent);
    if (isTold) return;
    writing = writing
      .then(() => write(session_id, agent_type, agent_intent))
      .catch((error: unknown) => log.warn({ session: session_id, err: error }, 'an intent was not recorded'));
  }

  function drain(): void {
    isScheduled = false;
    for (let read = cursor.read(); read !== undefined && !isDisposed; read = cursor.read()) {
      if (read.kind === 'lagged') continue;
      const { event } = read.record;
      if (event.name === 'session-state') take(event.data.session_id, event.data.state);
      else if (event.name === 'session-closed') known.delete(event.data.session_id);
    }
  }

  const cursor = bus.subscribe(() => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(drain);
  });
  return toDisposable(() => {
    isDisposed = true;
    cursor.dispose();
  });
}
