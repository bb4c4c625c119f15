import {
  folderListSchema,
  folderQuerySchema,
  launchChoicesSchema,
  resolvedPathSchema,
  resolvePathQuerySchema,
  storageReportSchema,
} from '../actions/folders.ts';
import { json, type RouteDescription } from './model.ts';

export const folderRoutes = {
  'folders.list': {
    tag: 'Sessions',
    summary: 'Folders to start a terminal in',
    detail: 'At most 500 names, sorted; the prefix is applied before that.',
    query: folderQuerySchema,
    answers: json(folderListSchema, 'The folders.'),
    refuses: ['path_required', 'path_traversal', 'path_not_absolute', 'path_user_home', 'folder_unreadable'],
  },
  'folders.resolve': {
    tag: 'Sessions',
    summary: 'What a piece of terminal text names',
    detail: 'Looks at metadata only. A session that is not there counts as none.',
    query: resolvePathQuerySchema,
    answers: json(resolvedPathSchema.nullable(), 'The path, or null when it names nothing that is there.'),
    refuses: [],
  },
  'launch.choices': {
    tag: 'Sessions',
    summary: 'Shells and home folder of the machine',
    answers: json(launchChoicesSchema, 'What a new terminal may start with.'),
  },
  'diagnostics.storage': {
    tag: 'Server',
    summary: 'The data folder and its size',
    answers: json(storageReportSchema, 'What lies in it.'),
  },
} as const satisfies Record<string, RouteDescription>;
