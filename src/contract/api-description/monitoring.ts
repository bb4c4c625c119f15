import { z } from 'zod';
import { captureSchema, captureStatusSchema } from '../actions/capture.ts';
import {
  accessEntrySchema,
  accessQuerySchema,
  logEntrySchema,
  logInputSchema,
  logQuerySchema,
} from '../actions/logs.ts';
import {
  killedProcessSchema,
  killProcessSchema,
  processHistoryQuerySchema,
  processHistorySchema,
  processStatsSchema,
} from '../actions/process.ts';
import { json, type RouteDescription } from './model.ts';

const nothing = (what: string) => [{ status: 204, what }];

export const monitoringRoutes = {
  'process.stats': {
    tag: 'Monitoring',
    summary: 'Processes of the server and its terminals',
    answers: json(z.array(processStatsSchema), 'The processes.'),
  },
  'process.history': {
    tag: 'Monitoring',
    summary: 'Their load over time',
    detail: 'Samples are taken while somebody asks.',
    query: processHistoryQuerySchema,
    answers: json(processHistorySchema, 'The samples, oldest first.'),
  },
  'process.kill': {
    tag: 'Monitoring',
    summary: 'End one process of a session',
    body: { schema: killProcessSchema, example: { pid: 4_711, start_ticks: 81_250, mode: 'end' } },
    answers: json(killedProcessSchema, 'The signal was sent.'),
    refuses: ['not_found', 'forbidden'],
    confirm: 'This ends the process.',
  },
  'capture.status': {
    tag: 'Monitoring',
    summary: 'What is being recorded',
    answers: json(captureStatusSchema, 'State of the raw capture.'),
  },
  'capture.change': {
    tag: 'Monitoring',
    summary: 'Start or stop the raw capture',
    detail:
      'Records all bytes of one session, or of all, into `captures/<session id>.tcap`: what is typed as well, passwords included.',
    body: { schema: captureSchema, example: { enabled: false } },
    answers: json(captureStatusSchema, 'State of the raw capture from now on.'),
    refuses: ['session_not_found', 'storage_failed'],
  },
  'logs.list': {
    tag: 'Monitoring',
    summary: 'Read the application log',
    detail: 'The newest 1000 entries, in memory.',
    query: logQuerySchema,
    answers: json(z.array(logEntrySchema), 'The entries, newest last.'),
  },
  'logs.add': {
    tag: 'Monitoring',
    summary: 'Add to the application log',
    body: { schema: logInputSchema, example: { level: 'info', source: 'script', message: 'The build is done' } },
    answers: nothing('It is in the log.'),
  },
  'logs.clear': {
    tag: 'Monitoring',
    summary: 'Clear the application log',
    answers: nothing('The log is empty; ids go on.'),
  },
  'logs.access': {
    tag: 'Monitoring',
    summary: 'Read the access log',
    detail: 'One entry a write, never its content.',
    query: accessQuerySchema,
    answers: json(z.array(accessEntrySchema), 'The entries, newest last.'),
    refuses: ['storage_failed'],
  },
} as const satisfies Record<string, RouteDescription>;
