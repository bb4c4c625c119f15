import { doneSchema } from '../actions/ui.ts';
import {
  invokedScriptSchema,
  invokeScriptSchema,
  PICTURE_TYPES,
  pictureRefusalSchema,
  scriptOutcomeSchema,
} from '../actions/window.ts';
import { json, type RouteDescription } from './model.ts';

export const windowRoutes = {
  'screenshots.upload': {
    tag: 'Clients',
    summary: 'Send the picture that this workspace was asked for',
    detail:
      'At most 2 MiB of `image/webp` or `image/png`, or as JSON why there is none. By the workspace that `ui-screenshot` named, which ' +
      'says so in `x-tuic-client`; everybody else, and a second answer, is told 404.',
    headers: { 'x-tuic-client': 'Its client id.' },
    body: {
      schema: pictureRefusalSchema,
      example: { error: 'it is not open in this workspace' },
      otherTypes: PICTURE_TYPES,
    },
    answers: json(doneSchema, 'Taken.'),
    refuses: ['not_found'],
  },
  'debug.invoke-js': {
    tag: 'Clients',
    summary: 'Run a script in the workspace',
    detail:
      'In the workspace that was looked at last, with all that it can do; `window.__TUIC__` tells what it knows. Each script and what ' +
      'came of it is in the log, source `eval_js`.',
    body: { schema: invokeScriptSchema, example: { script: 'window.__TUIC__.stores()' } },
    answers: json(invokedScriptSchema, 'Its value, or how it failed.'),
    refuses: ['window_missing', 'window_limit', 'window_unanswered'],
  },
  'debug.script': {
    tag: 'Clients',
    summary: 'Fetch a script that this workspace is asked to run',
    detail: 'A module, as long as its answer is waited for. `debug-invoke-js` named it to that workspace alone.',
    answers: [{ status: 200, what: 'Its default export runs it.', type: 'text/javascript; charset=utf-8' }],
    refuses: ['not_found'],
  },
  'debug.script-answer': {
    tag: 'Clients',
    summary: 'Tell what came of a script',
    detail:
      'By the workspace that was asked, named in `x-tuic-client`; everybody else, and a second answer, is told 404.',
    headers: { 'x-tuic-client': 'Its client id.' },
    body: { schema: scriptOutcomeSchema, example: { result: 2 } },
    answers: json(doneSchema, 'Taken.'),
    refuses: ['not_found'],
  },
} as const satisfies Record<string, RouteDescription>;
