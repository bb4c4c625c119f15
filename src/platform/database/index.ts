export {
  type Database,
  type Migration,
  type OpenDatabaseOptions,
  openDatabase,
  type SqlRow,
  type SqlValue,
} from './database.ts';
