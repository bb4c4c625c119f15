/**
 * The environment of a new session (D14, T22): the server's own, without what only tells "I run inside an agent, a
 * multiplexer, an editor or a package script" and without git's repository variables, plus ours.
 */

/** Variables a session never inherits. Names ending in `*` are prefixes. */
export const STRIPPED_VARIABLES = [
  // agents
  'CLAUDECODE',
  'CLAUDE_CODE_*',
  'CLAUDE_AGENT_SDK_*',
  'AI_AGENT',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_*',
  'GEMINI_CLI',
  'OPENCODE',
  'OPENCODE_*',
  'CURSOR_AGENT',
  'CURSOR_TRACE_ID',
  'AGENT_SESSION_ID',
  // multiplexers
  'TMUX',
  'TMUX_*',
  'STY',
  'WINDOW',
  'ZELLIJ',
  'ZELLIJ_*',
  // terminals around the server
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_SESSION_ID',
  'TERMCAP',
  'TERMINFO',
  'LC_TERMINAL',
  'LC_TERMINAL_VERSION',
  'ITERM_*',
  'KITTY_*',
  'WEZTERM_*',
  'GHOSTTY_*',
  'ALACRITTY_*',
  'KONSOLE_*',
  'WT_SESSION',
  'WT_PROFILE_ID',
  'VTE_VERSION',
  'WINDOWID',
  'GNOME_TERMINAL_*',
  'TERMINAL_EMULATOR',
  'VSCODE_*',
  'COLORFGBG',
  // size and colour decisions made for another terminal
  'COLUMNS',
  'LINES',
  'NO_COLOR',
  'FORCE_COLOR',
  'CLICOLOR',
  'CLICOLOR_FORCE',
  // git repository variables: they would turn every git call of the session to the server's repository
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_CEILING_DIRECTORIES',
  'GIT_CONFIG',
  'GIT_CONFIG_*',
  'GIT_EXEC_PATH',
  'GIT_INTERNAL_*',
  'GIT_QUARANTINE_PATH',
  'GIT_REFLOG_ACTION',
  'GIT_OPTIONAL_LOCKS',
  // npm start and node's own wiring
  'npm_*',
  'NPM_LIFECYCLE_*',
  'INIT_CWD',
  'NODE_OPTIONS',
  'NODE_ENV',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'VITEST',
  'VITEST_*',
  // service managers and the shell that started the server
  'INVOCATION_ID',
  'JOURNAL_STREAM',
  'NOTIFY_SOCKET',
  'LISTEN_FDS',
  'LISTEN_PID',
  'LISTEN_FDNAMES',
  'RUNNER_TRACKING_ID',
  'OLDPWD',
  'SHLVL',
  '_',
  // ours, from an outer session
  'TUIC_*',
] as const;

export interface SessionEnvironment {
  /** The server's own environment. */
  server: Readonly<Record<string, string | undefined>>;
  version: string;
  configDirectory: string;
  instance?: string | undefined;
  identity: string;
  /** By which its hooks are believed (STM-51); never one that was inherited or asked for. */
  hookNonce: string | undefined;
  cwd: string;
  /** The caller's additions; they may set anything but our own identity. */
  requested?: Readonly<Record<string, string>> | undefined;
}

export function isStripped(name: string): boolean {
  return STRIPPED_VARIABLES.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** The server's own environment without what no program of a person shall see. */
export function strippedEnvironment(server: SessionEnvironment['server']): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(server)) {
    if (value !== undefined && !isStripped(name)) environment[name] = value;
  }
  if (environment.PATH !== undefined) environment.PATH = withoutPackageScripts(environment.PATH);
  return environment;
}

export function buildEnvironment(input: SessionEnvironment): Record<string, string> {
  const environment = strippedEnvironment(input.server);
  Object.assign(environment, input.requested);
  Object.assign(environment, {
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    TERM_PROGRAM: 'tuicommander',
    TERM_PROGRAM_VERSION: input.version,
    TUIC_SESSION: input.identity,
    TUIC_CONFIG_DIR: input.configDirectory,
    PWD: input.cwd,
  });
  if (input.instance !== undefined) environment.TUIC_INSTANCE = input.instance;
  if (input.hookNonce === undefined) delete environment.TUIC_HOOK_NONCE;
  else environment.TUIC_HOOK_NONCE = input.hookNonce;
  return environment;
}

/** `npm start` puts node_modules/.bin folders of the project before everything else; a session must not see them. */
function withoutPackageScripts(path: string): string {
  return path
    .split(':')
    .filter((entry) => !/(^|\/)node_modules\/\.bin$/.test(entry) && !/\/node-gyp-bin$/.test(entry))
    .join(':');
}
