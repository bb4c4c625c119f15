export { createRepositoryService, type RepositoryService, type RepositoryServiceOptions } from './service.ts';
