export { type AccessLog, createAccessLog } from './access-log.ts';
export { ApplicationLog } from './application-log.ts';
