import { z } from 'zod';
import {
  clearedProgressSchema,
  clearProgressSchema,
  correctProgressSchema,
  exportProgressSchema,
  pauseProgressSchema,
  progressEntrySchema,
  progressListSchema,
  progressQuerySchema,
} from '../actions/progress.ts';
import { json, type RouteDescription } from './model.ts';

const done = z.object({ ok: z.literal(true) });
const badPath = ['path_required', 'path_traversal', 'path_not_absolute', 'path_user_home'] as const;

export const progressRoutes = {
  'progress.list': {
    tag: 'Repositories',
    summary: 'The journal of a repository',
    detail:
      'What its agents said they will do, did, and are blocked by. Without `since` the newest `limit` entries, with it the oldest after it; `next_since` goes on.',
    query: progressQuerySchema,
    answers: json(progressListSchema, 'The entries.'),
    refuses: badPath,
  },
  'progress.pause': {
    tag: 'Repositories',
    summary: 'Pauses the journal of a repository, or goes on',
    detail: 'While it is paused nothing is added; agents that report are told.',
    body: { schema: pauseProgressSchema, example: { path: '/', paused: false } },
    answers: json(done, 'It is so.'),
    refuses: badPath,
  },
  'progress.clear': {
    tag: 'Repositories',
    summary: 'Takes entries out of the journal',
    body: { schema: clearProgressSchema, example: { path: '/', before: 0 } },
    answers: json(clearedProgressSchema, 'How many went.'),
    refuses: badPath,
    confirm: 'The entries of this repository are removed for good.',
  },
  'progress.correct': {
    tag: 'Repositories',
    summary: 'Corrects an entry of the journal',
    detail: 'What is not given stays.',
    path: { entry_id: z.string().describe('`id` of the entry.') },
    body: { schema: correctProgressSchema, example: { text: 'wrote the parser' } },
    answers: json(progressEntrySchema, 'The entry as it is now.'),
    refuses: ['not_found'],
  },
  'progress.export': {
    tag: 'Repositories',
    summary: 'The whole journal as a document',
    query: exportProgressSchema,
    answers: [
      { status: 200, what: 'With `format=md`, by days (UTC).', type: 'text/markdown; charset=utf-8' },
      { status: 200, what: 'With `format=json`, a list of entries.', type: 'application/json' },
    ],
    refuses: badPath,
  },
} as const satisfies Record<string, RouteDescription>;
