export { followTasks } from './follow.ts';
export { createTaskService, type TaskService } from './service.ts';
export { taskMigrations } from './task-store.ts';
