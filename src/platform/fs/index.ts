export { FileUnusable, readSmallFile, removeDrafts, writeFileAtomically } from './atomic-file.ts';
export { isInside, openPlainFile, type PlainFile, realPathOf } from './contained-file.ts';
export { withFileLock } from './file-lock.ts';
export { fileStamp, findProgram } from './find-program.ts';
export { readFirstLine } from './first-line.ts';
export {
  describeFolderFailure,
  fileKind,
  freeSpace,
  isProgramFile,
  listFolders,
  measureFolder,
  readLines,
} from './folders.ts';
export { createSessionFiles, type LogFile, type SessionFiles, type StoredSession } from './session-files.ts';
