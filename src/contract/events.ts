/** Events of the window surface, /events (http.md 6). Published once on the bus. */

import type { Lifecycle } from './actions/session.ts';
import type { CloseReason } from './frames.ts';

export interface EventData {
  'session-created': {
    session_id: string;
    cwd: string | null;
    agent_type: string | null;
    display_name: string | null;
    display_name_is_custom: boolean;
    is_remote: boolean;
    lifecycle: Lifecycle;
  };
  'term-alias-assigned': { session_id: string; alias: string };
  'session-closed': { session_id: string; reason: CloseReason };
  'session-renamed': { session_id: string; display_name: string | null; display_name_is_custom: boolean };
  'session-title': { session_id: string; title: string };
  'pty-exit': { session_id: string };
  /** `file` is `config`, or the name under /config/<file>. */
  'config-changed': { file: string; etag: string };
}

export type EventName = keyof EventData;

export type AppEvent = { [N in EventName]: { readonly name: N; readonly data: EventData[N] } }[EventName];

export const EVENT_NAMES = [
  'session-created',
  'term-alias-assigned',
  'session-closed',
  'session-renamed',
  'session-title',
  'pty-exit',
  'config-changed',
] as const satisfies readonly EventName[];
