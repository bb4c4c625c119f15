/** Closes the tabs of a session when that is over, after the events that say so (http.md 6). */
import { type Bus, type Disposable, toDisposable } from '../../base/index.ts';
import type { AppEvent } from '../../contract/index.ts';
import type { AgentTabs } from './tabs.ts';

/** A lost session stays in the list, and its tabs with it, until a person closes it. */
export function followSessionEnds(bus: Bus<AppEvent>, tabs: Pick<AgentTabs, 'closeOf' | 'closeOrphans'>): Disposable {
  let isScheduled = false;
  let isDisposed = false;
  const cursor = bus.subscribe(() => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(drain);
  });
  function drain(): void {
    isScheduled = false;
    for (let read = cursor.read(); read !== undefined && !isDisposed; read = cursor.read()) {
      if (read.kind === 'lagged') tabs.closeOrphans();
      else if (read.record.event.name === 'session-closed' && read.record.event.data.reason !== 'host_lost') {
        tabs.closeOf(read.record.event.data.session_id);
      }
    }
  }
  return toDisposable(() => {
    isDisposed = true;
    cursor.dispose();
  });
}
