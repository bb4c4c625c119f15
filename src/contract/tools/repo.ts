import type { NativeTool } from './tool.ts';

export const REPO_TOOL: NativeTool = {
  name: 'repo',
  summary: "The person's repositories.",
  actions: {
    list: {
      text: 'path, name, branch, status (clean, dirty, conflict, unknown, not-git) of each; ahead, behind with a remote',
      parameters: [],
      isReady: true,
    },
    active: { text: 'the one that the person looks at, or {active:null}', parameters: [], isReady: true },
    prs: { text: 'open pull requests with checks', parameters: ['path'], isReady: false },
    status: { text: 'ahead, behind, open_prs and failing_ci of each repository', parameters: [], isReady: false },
    issues: { text: 'GitHub issues', parameters: ['path', 'filter?'], isReady: false },
    close_issue: { text: 'closes one', parameters: ['path', 'issue_number'], isReady: false },
    reopen_issue: { text: 'opens it again', parameters: ['path', 'issue_number'], isReady: false },
    worktree_list: { text: 'linked worktrees', parameters: ['path'], isReady: false },
    worktree_create: {
      text:
        'makes a linked worktree, with a new branch or an existing one; ignored folders arrive warm. spawn_session opens a terminal in it. ' +
        'Gives worktree_path, branch',
      parameters: ['path', 'branch?', 'base_ref?', 'spawn_session?'],
      isReady: false,
    },
    worktree_remove: {
      text: 'refuses while work is not committed; force asks the person. ok:true means that all of it is gone',
      parameters: ['path', 'branch', 'delete_branch?', 'force?'],
      isReady: false,
    },
    progress_list: {
      text: 'the journal: without since the newest limit, with it the oldest after it; next_since goes on',
      parameters: ['path', 'limit?', 'since?', 'kind?'],
      isReady: true,
    },
  },
  parameters: {
    path: { type: 'string', description: 'of the repository' },
    filter: { type: 'string', description: 'default assigned' },
    issue_number: { type: 'integer' },
    branch: { type: 'string', description: 'create: default a generated name' },
    base_ref: { type: 'string' },
    spawn_session: { type: 'boolean' },
    delete_branch: { type: 'boolean' },
    force: { type: 'boolean' },
    limit: { type: 'integer', minimum: 1, maximum: 500, description: 'default 50' },
    since: { type: 'integer' },
    kind: { type: 'string', enum: ['intent', 'done', 'blocked'] },
  },
  annotations: {
    title: 'Repositories',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
};
