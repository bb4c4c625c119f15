export { createGit, type Git, GitFailed } from './git.ts';
export type { GitHead } from './head.ts';
export type { WorkTreeStatus } from './status.ts';
