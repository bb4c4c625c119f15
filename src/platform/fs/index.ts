export { createSessionFiles, type LogFile, type SessionFiles, type StoredSession } from './session-files.ts';
