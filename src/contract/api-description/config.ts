import { z } from 'zod';
import { CONFIG_FILES, configSchema } from '../actions/config.ts';
import { doneSchema } from '../actions/ui.ts';
import { type AnswerDescription, json, type RouteDescription } from './model.ts';

const ETAG = { ETag: 'Tag of what is stored now.' };
const IF_MATCH = { 'If-Match': 'Tag of what was read; refused when it was changed since.' };
const file = { file: z.enum(Object.keys(CONFIG_FILES)).describe('Name of the file, without `.json`.') };
const tagged = (answers: AnswerDescription[]) => answers.map((answer) => ({ ...answer, headers: ETAG }));

export const configRoutes = {
  'config.read': {
    tag: 'Configuration',
    summary: 'Read the configuration',
    detail: 'With all defaults. Secrets are not in it; `…_exists` tells whether there is one.',
    answers: tagged(json(configSchema, 'The configuration.')),
  },
  'config.save': {
    tag: 'Configuration',
    summary: 'Change the configuration',
    detail:
      'The body is merged into what is stored, key by key; keys that are not in it stay, unknown ones too. Listeners follow their settings at once.',
    headers: IF_MATCH,
    body: { schema: configSchema, example: { font_size: 14 } },
    answers: tagged(json(doneSchema, 'Stored.')),
    refuses: ['precondition_failed', 'config_unreadable', 'storage_failed', 'secrets_unavailable'],
  },
  'config.file.read': {
    tag: 'Configuration',
    summary: 'Read another file of the configuration',
    path: file,
    answers: tagged(json(z.unknown(), 'Its document; the default when there is no file yet.')),
    refuses: ['not_found', 'config_unreadable'],
  },
  'config.file.write': {
    tag: 'Configuration',
    summary: 'Replace another file of the configuration',
    path: file,
    headers: IF_MATCH,
    body: { schema: z.unknown().describe('The whole document.'), example: { text: 'Buy milk' } },
    answers: tagged(json(doneSchema, 'Stored.')),
    refuses: ['not_found', 'precondition_failed', 'config_unreadable', 'storage_failed'],
    confirm: 'This replaces the whole file.',
  },
} as const satisfies Record<string, RouteDescription>;
