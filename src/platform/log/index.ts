export { type Log, type LogOptions, type OpenLog, openLog } from './log.ts';
export { RotatingFile } from './rotating-file.ts';
export { scrubSecrets } from './scrub.ts';
