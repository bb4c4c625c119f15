import { z } from 'zod';
import type { RouteDescription } from './model.ts';

const html = (what: string) => [{ status: 200, what, type: 'text/html' }];

export const pageRoutes = {
  'process.monitor': {
    tag: 'Pages',
    summary: 'Process monitor',
    answers: html('A page over `/process/stats` and `/process/history`.'),
    refuses: ['not_found'],
  },
  'docs.page': {
    tag: 'Pages',
    summary: 'Description of the API, with forms that call it',
    answers: html('A page over `/docs/api/openapi.json`.'),
    refuses: ['not_found'],
  },
  'docs.openapi': {
    tag: 'Pages',
    summary: 'This description',
    answers: [{ status: 200, what: 'An OpenAPI 3.1 document.', schema: z.looseObject({ openapi: z.string() }) }],
  },
  page: {
    tag: 'Pages',
    summary: 'The workspace and its files',
    detail: 'A path that is neither a file nor a route is answered by the workspace itself.',
    path: { path: z.string().describe('May contain slashes.') },
    answers: html('The page, or a file of it.'),
    refuses: ['not_found', 'method_not_allowed'],
  },
} as const satisfies Record<string, RouteDescription>;
