/**
 * Folders of this machine for the choice of where a terminal starts, and what the data folder holds. Owns nothing and changes
 * nothing; every answer is bounded (LIMITS.folder...).
 */
import { dirname } from 'node:path';
import {
  AppError,
  type FolderList,
  type LaunchChoices,
  LIMITS,
  type ResolvedPath,
  type StorageReport,
} from '../../contract/index.ts';
import {
  describeFolderFailure,
  freeSpace,
  isProgramFile,
  listFolders,
  measureFolder,
  readLines,
} from '../../platform/fs/index.ts';
import { expandPath } from '../sessions/index.ts';
import { resolveTerminalPath } from './terminal-path.ts';

export interface FolderService {
  /** Folders in `path` whose names begin with `prefix`. Throws folder_unreadable, or what a bad path is. */
  list(path: string, prefix: string, signal: AbortSignal): Promise<FolderList>;
  /** What a piece of text names, counted from the first of the absolute `folders` that has it. */
  resolve(folders: readonly string[], candidate: string): Promise<ResolvedPath | null>;
  launchChoices(): Promise<LaunchChoices>;
  storage(signal: AbortSignal): Promise<StorageReport>;
}

export interface FolderServiceOptions {
  home: string;
  configDirectory: string;
  /** What starts when no shell is asked for. */
  defaultShell: () => string;
  /** File that lists the shells of the machine. */
  shellsFile?: string;
}

export function createFolderService(options: FolderServiceOptions): FolderService {
  const { home, configDirectory, defaultShell, shellsFile = '/etc/shells' } = options;
  return {
    async list(asked, prefix, signal) {
      const path = expandPath(asked, home);
      const wanted = prefix.toLowerCase();
      const isWanted = (name: string) =>
        name.toLowerCase().startsWith(wanted) && (prefix.startsWith('.') || !name.startsWith('.'));
      try {
        const bounds = { read: LIMITS.folderRead, names: LIMITS.folderNames };
        const { names, truncated } = await listFolders(path, isWanted, bounds, signal);
        const parent = dirname(path);
        return { path, parent: parent === path ? null : parent, directories: names, truncated };
      } catch (error) {
        const detail = describeFolderFailure(error);
        if (detail === undefined) throw error;
        throw new AppError('folder_unreadable', { path, detail }, { cause: error });
      }
    },
    resolve: (folders, candidate) => resolveTerminalPath(folders, candidate, home),
    async launchChoices() {
      const listed = (await readLines(shellsFile)).map((line) => line.trim()).filter((line) => line.startsWith('/'));
      const distinct = [...new Set(listed)].slice(0, LIMITS.shells);
      const checked = await Promise.all(distinct.map(async (path) => ((await isProgramFile(path)) ? path : undefined)));
      return { home, default_shell: defaultShell(), shells: checked.filter((path) => path !== undefined) };
    },
    async storage(signal) {
      const { entries, truncated } = await measureFolder(configDirectory, LIMITS.storageFiles, signal);
      return {
        directory: configDirectory,
        total_bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
        free_bytes: (await freeSpace(configDirectory)) ?? null,
        entries: entries.slice(0, LIMITS.storageEntries),
        truncated,
      };
    },
  };
}
