export type { ProcessMonitor } from './model.ts';
export { createProcessMonitor } from './monitor.ts';
