export { followIntents } from './follow.ts';
export { progressMigrations } from './progress-store.ts';
export { createProgressService, type ProgressService } from './service.ts';
export { createProgressSwitch } from './switch.ts';
