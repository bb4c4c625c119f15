/** What is told of the person's repositories (http.md 8; the routes of list and active are an addition). */
import { z } from 'zod';

export const REPOSITORY_STATES = ['clean', 'dirty', 'conflict', 'unknown', 'not-git'] as const;
export type RepositoryState = (typeof REPOSITORY_STATES)[number];

const path = z.string().describe('Absolute.');
const name = z.string().describe('As the person calls it, else the name of the folder. Untrusted text.');
const branch = z
  .string()
  .describe('The first 8 digits of the commit while HEAD is detached; empty when nothing is known. Untrusted text.');
const status = z
  .enum(REPOSITORY_STATES)
  .describe('`unknown`: git did not answer in time or refused. New files count as `dirty`.');
const group = z.string().exactOptional().describe('Name of the group that the person put it into. Untrusted text.');

export const repositoryQuerySchema = z.object({
  path: z.string().max(4_096).default('').describe('Absolute, or from `~`.'),
});

/** GET /repo/info. */
export const repositoryInfoSchema = z
  .object({
    path,
    name,
    initials: z.string().describe('Two characters.'),
    branch,
    status,
    is_git_repo: z.boolean(),
  })
  .meta({ id: 'RepoInfo' });
export type RepositoryInfo = z.infer<typeof repositoryInfoSchema>;

/** One of GET /repo/list. */
export const repositoryEntrySchema = z
  .object({
    path,
    name,
    branch,
    status,
    is_git_repo: z.boolean(),
    ahead: z.number().exactOptional().describe('Commits that the branch of the remote has not; absent without one.'),
    behind: z.number().exactOptional().describe('Commits of it that are not here; as of the last fetch.'),
    group,
  })
  .meta({ id: 'RepositoryEntry' });
export type RepositoryEntry = z.infer<typeof repositoryEntrySchema>;

/** GET /repo/active. */
export const activeRepositorySchema = z
  .union([z.object({ path, name, branch, status, group }), z.object({ active: z.null() })])
  .meta({ id: 'ActiveRepository' });
export type ActiveRepository = z.infer<typeof activeRepositorySchema>;
