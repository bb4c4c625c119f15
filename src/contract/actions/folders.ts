/** Folders of the server's machine: for the choice of where a terminal starts, and what the data folder holds. Additions to the contract. */
import { z } from 'zod';

export const folderQuerySchema = z.object({
  path: z.string().max(4_096).default('~').describe('Absolute, or from `~`.'),
  prefix: z
    .string()
    .max(255)
    .default('')
    .describe('Only folders whose name begins so, in upper or lower case; hidden ones only when it begins with a dot.'),
});
export type FolderQuery = z.input<typeof folderQuerySchema>;

/** GET /fs/directories. */
export const folderListSchema = z
  .object({
    path: z.string().describe('The folder that was read, absolute.'),
    parent: z.string().nullable().describe('null at the root.'),
    directories: z.array(z.string()).describe('Names of the folders in it, links to folders included. Untrusted text.'),
    truncated: z.boolean().describe('There are more than were read or listed.'),
  })
  .meta({ id: 'FolderList' });
export type FolderList = z.infer<typeof folderListSchema>;

export const resolvePathQuerySchema = z.object({
  cwd: z.string().max(4_096).default('').describe('Absolute folder that a relative path counts from.'),
  candidate: z
    .string()
    .max(4_096)
    .describe('A piece of the text of a terminal. `:line:column` at its end is taken off, `~/` is the home folder.'),
  session: z
    .string()
    .max(128)
    .optional()
    .describe('Id, alias or stable identity: the folder its program works in now is tried before `cwd`.'),
});
export type ResolvePathQuery = z.input<typeof resolvePathQuerySchema>;

/** GET /fs/resolve-terminal-path; null when it names nothing that is there. */
export const resolvedPathSchema = z
  .object({ absolute_path: z.string().describe('Untrusted text.'), is_directory: z.boolean() })
  .meta({ id: 'ResolvedPath' });
export type ResolvedPath = z.infer<typeof resolvedPathSchema>;

/** GET /api/launch. */
export const launchChoicesSchema = z
  .object({
    home: z.string(),
    default_shell: z.string().describe('What starts when nothing else is asked for.'),
    shells: z.array(z.string()).describe('Shells that this machine names in /etc/shells and has.'),
  })
  .meta({ id: 'LaunchChoices' });
export type LaunchChoices = z.infer<typeof launchChoicesSchema>;

/** GET /diagnostics/storage. */
export const storageReportSchema = z
  .object({
    directory: z.string(),
    total_bytes: z.number(),
    free_bytes: z.number().nullable().describe('Room left on its disk; null when the system does not say.'),
    entries: z
      .array(z.object({ name: z.string(), bytes: z.number(), files: z.number() }))
      .describe('Files and folders in it, the largest first.'),
    truncated: z.boolean().describe('There are more files than were counted.'),
  })
  .meta({ id: 'StorageReport' });
export type StorageReport = z.infer<typeof storageReportSchema>;
