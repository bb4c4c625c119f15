export { createProcessTable, type ProcessEntry, type ProcessTable, parseStat } from './process-table.ts';
