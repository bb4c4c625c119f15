export { type Log, type LogOptions, type OpenLog, openLog } from './log.ts';
