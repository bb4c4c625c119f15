import {
  activeRepositorySchema,
  repositoryEntrySchema,
  repositoryInfoSchema,
  repositoryQuerySchema,
} from '../actions/repositories.ts';
import { json, type RouteDescription } from './model.ts';

export const repositoryRoutes = {
  'repository.info': {
    tag: 'Repositories',
    summary: 'State of one folder',
    detail:
      'Registered or not. A folder that is no repository, or is not there, is `not-git`; a folder inside one is none.',
    query: repositoryQuerySchema,
    answers: json(repositoryInfoSchema, 'What is known of it.'),
    refuses: ['path_required', 'path_traversal', 'path_not_absolute', 'path_user_home'],
  },
  'repository.list': {
    tag: 'Repositories',
    summary: 'The registered repositories',
    detail:
      'In the order of the person, each with its state of now. Registered are the keys of `repos` in `/config/repositories`; `tuic repo add` enters one.',
    answers: json(repositoryEntrySchema.array(), 'The repositories.'),
    refuses: ['config_unreadable'],
  },
  'repository.active': {
    tag: 'Repositories',
    summary: 'The repository that the person looks at',
    answers: json(activeRepositorySchema, 'It, or `{"active": null}`.'),
    refuses: ['config_unreadable'],
  },
} as const satisfies Record<string, RouteDescription>;
