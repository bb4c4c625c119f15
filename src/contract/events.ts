/** Events of the window surface, /events (http.md 6). Published once on the bus. */

import type { z } from 'zod';
import type { EVENT_SCHEMAS } from './event-data.ts';

export type EventData = { [N in keyof typeof EVENT_SCHEMAS]: z.infer<(typeof EVENT_SCHEMAS)[N]> };

export type EventName = keyof EventData;

export type AppEvent = { [N in EventName]: { readonly name: N; readonly data: EventData[N] } }[EventName];

/** What anybody may listen to. */
export const EVENT_NAMES = [
  'session-created',
  'term-alias-assigned',
  'session-closed',
  'session-renamed',
  'pty-description-changed',
  'session-title',
  'session-state',
  'pty-exit',
  'peer-registered',
  'peer-unregistered',
  'progress-recorded',
  'progress-changed',
  'mcp-toast',
  'mcp-confirm',
  'mcp-confirm-resolved',
  'ui-tab',
  'close-html-tabs',
  'upstream-status-changed',
  'config-changed',
] as const satisfies readonly EventName[];

/** Delivered to the subscription of the client that its data names, and to nobody else. */
export const ADDRESSED_EVENTS = ['debug-invoke-js', 'ui-screenshot'] as const satisfies readonly EventName[];
