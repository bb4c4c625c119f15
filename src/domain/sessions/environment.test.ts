import { describe, expect, it } from 'vitest';
import { buildEnvironment, isStripped, STRIPPED_VARIABLES } from './environment.ts';

const ours = { version: '1.2.3', configDirectory: '/config', identity: 'id', hookNonce: 'ab12', cwd: '/work' };

describe('environment of a session (D14)', () => {
  it('T22: the variables that are taken away, listed', () => {
    expect([...STRIPPED_VARIABLES].sort()).toMatchInlineSnapshot(`
      [
        "AGENT_SESSION_ID",
        "AI_AGENT",
        "ALACRITTY_*",
        "CLAUDECODE",
        "CLAUDE_AGENT_SDK_*",
        "CLAUDE_CODE_*",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_*",
        "COLORFGBG",
        "COLUMNS",
        "CURSOR_AGENT",
        "CURSOR_TRACE_ID",
        "FORCE_COLOR",
        "GEMINI_CLI",
        "GHOSTTY_*",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CEILING_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_*",
        "GIT_DIR",
        "GIT_EXEC_PATH",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_*",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_OPTIONAL_LOCKS",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REFLOG_ACTION",
        "GIT_WORK_TREE",
        "GNOME_TERMINAL_*",
        "INIT_CWD",
        "INVOCATION_ID",
        "ITERM_*",
        "JOURNAL_STREAM",
        "KITTY_*",
        "KONSOLE_*",
        "LC_TERMINAL",
        "LC_TERMINAL_VERSION",
        "LINES",
        "LISTEN_FDNAMES",
        "LISTEN_FDS",
        "LISTEN_PID",
        "NODE_CHANNEL_FD",
        "NODE_CHANNEL_SERIALIZATION_MODE",
        "NODE_ENV",
        "NODE_OPTIONS",
        "NODE_UNIQUE_ID",
        "NOTIFY_SOCKET",
        "NO_COLOR",
        "NPM_LIFECYCLE_*",
        "OLDPWD",
        "OPENCODE",
        "OPENCODE_*",
        "RUNNER_TRACKING_ID",
        "SHLVL",
        "STY",
        "TERMCAP",
        "TERMINAL_EMULATOR",
        "TERMINFO",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "TERM_SESSION_ID",
        "TMUX",
        "TMUX_*",
        "TUIC_*",
        "VITEST",
        "VITEST_*",
        "VSCODE_*",
        "VTE_VERSION",
        "WEZTERM_*",
        "WINDOW",
        "WINDOWID",
        "WT_PROFILE_ID",
        "WT_SESSION",
        "ZELLIJ",
        "ZELLIJ_*",
        "_",
        "npm_*",
      ]
    `);
  });

  it('T22: every one of them is taken away, also when it comes as one of a family', () => {
    const server = Object.fromEntries(
      STRIPPED_VARIABLES.map((pattern) => [pattern.endsWith('*') ? `${pattern.slice(0, -1)}ANYTHING` : pattern, 'x']),
    );
    const kept = buildEnvironment({ ...ours, server });
    const known = [
      'TERM',
      'COLORTERM',
      'TERM_PROGRAM',
      'TERM_PROGRAM_VERSION',
      'TUIC_SESSION',
      'TUIC_CONFIG_DIR',
      'TUIC_HOOK_NONCE',
      'PWD',
    ];
    expect(Object.keys(kept).sort()).toEqual(known.sort());
  });

  it('keeps what belongs to the person', () => {
    for (const name of [
      'PATH',
      'HOME',
      'LANG',
      'SSH_AUTH_SOCK',
      'DISPLAY',
      'EDITOR',
      'GIT_AUTHOR_NAME',
      'GIT_SSH_COMMAND',
    ]) {
      expect(isStripped(name)).toBe(false);
    }
    const kept = buildEnvironment({
      ...ours,
      server: { HOME: '/home/me', GIT_EDITOR: 'vi', EMPTY: '', GONE: undefined },
    });
    expect(kept).toMatchObject({ HOME: '/home/me', GIT_EDITOR: 'vi', EMPTY: '' });
    expect(kept).not.toHaveProperty('GONE');
  });

  it('says what the terminal is; the caller may add, but not change the identity', () => {
    const built = buildEnvironment({
      ...ours,
      server: { TERM: 'dumb', TERM_PROGRAM: 'other' },
      instance: 'test',
      requested: { FOO: 'bar', TUIC_SESSION: 'forged', TUIC_HOOK_NONCE: 'forged', NO_COLOR: '1' },
    });
    expect(built).toEqual({
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      TERM_PROGRAM: 'tuicommander',
      TERM_PROGRAM_VERSION: '1.2.3',
      TUIC_SESSION: 'id',
      TUIC_CONFIG_DIR: '/config',
      TUIC_INSTANCE: 'test',
      TUIC_HOOK_NONCE: 'ab12',
      PWD: '/work',
      FOO: 'bar',
      NO_COLOR: '1',
    });
  });

  it('folders that npm start put on PATH are gone', () => {
    const path = '/srv/app/node_modules/.bin:/opt/npm/node-gyp-bin:/usr/bin:/bin';
    expect(buildEnvironment({ ...ours, server: { PATH: path } }).PATH).toBe('/usr/bin:/bin');
  });
});
