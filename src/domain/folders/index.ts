export { createFolderService, type FolderService } from './service.ts';
