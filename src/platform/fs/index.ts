export { FileUnusable, readSmallFile, removeDrafts, writeFileAtomically } from './atomic-file.ts';
export { createSessionFiles, type LogFile, type SessionFiles, type StoredSession } from './session-files.ts';
