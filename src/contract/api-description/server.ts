import { z } from 'zod';
import {
  healthSchema,
  hostReportSchema,
  hostStoppedSchema,
  metricsSchema,
  shutdownSchema,
  statsSchema,
  versionSchema,
} from '../actions/ui.ts';
import { json, type RouteDescription } from './model.ts';

export const serverRoutes = {
  health: {
    tag: 'Server',
    summary: 'Is it there?',
    answers: json(healthSchema, 'It is.'),
  },
  stats: {
    tag: 'Server',
    summary: 'How many sessions, of how many',
    answers: json(statsSchema, 'Live sessions and the cap on them.'),
  },
  metrics: {
    tag: 'Server',
    summary: 'Counters of terminals',
    answers: json(metricsSchema, 'Counted since the server started.'),
  },
  version: {
    tag: 'Server',
    summary: 'Version of the server',
    answers: json(versionSchema, 'Version, and the commit it was built from.'),
  },
  'plugins.docs': {
    tag: 'Server',
    summary: 'How to extend TUICommander by a program of your own',
    answers: json(z.object({ content: z.string().describe('Markdown.') }), 'What `plugin_dev_guide` tells an agent.'),
  },
  'host.status': {
    tag: 'Server',
    summary: 'State of the terminal host',
    detail: 'The terminal host is the process that keeps terminals alive while the server restarts.',
    answers: json(hostReportSchema, 'What the server knows of it.'),
    refuses: ['host_unavailable'],
  },
  'host.stop': {
    tag: 'Server',
    summary: 'End the terminal host and all terminals',
    answers: json(hostStoppedSchema, 'It has ended, and every terminal with it.'),
    refuses: ['host_unavailable'],
    confirm: 'This ends all terminals and what runs in them.',
  },
  shutdown: {
    tag: 'Server',
    summary: 'End the server',
    detail: 'Sessions go on in the terminal host; the next server takes them over.',
    answers: json(shutdownSchema, 'It ends when this answer is out.'),
    confirm: 'This ends the server, and with it this page.',
  },
} as const satisfies Record<string, RouteDescription>;
