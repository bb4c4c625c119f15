/**
 * The configuration: config.json (http.md 11.1), the other files under `/config/<file>` (10.1, 11.2, 11.4) and what their routes
 * take. Every key is optional on disk and has its default here; unknown keys are kept everywhere.
 */
import { z } from 'zod';
import type { ConfigFileName } from '../config-names.ts';
import { LIMITS } from '../limits.ts';

const port = z.number().int().min(1).max(65_535);
const on = z.boolean().default(true);
const off = z.boolean().default(false);
const texts = z.array(z.string()).default([]);

/** bcrypt with a cost that a login can afford; a foreign hash with cost 31 would keep a thread busy for days. */
const passwordHash = z
  .string()
  .regex(
    /^(?:|\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53})$/,
    'must be a bcrypt hash; POST /auth/hash-password makes one',
  )
  .default('');

const servicesSchema = z
  .looseObject({
    server: z
      .looseObject({
        enabled: off,
        port: port.default(9_877),
        ipv6_enabled: off,
      })
      .prefault({}),
    auth: z
      .looseObject({
        username: z
          .string()
          .max(128)
          .regex(/^[^:\0]*$/, 'must not contain a colon')
          .default(''),
        password_hash: passwordHash,
        session_token_duration_secs: z.number().int().min(0).default(86_400),
        auth_rate_limit_max: z.number().int().min(0).default(5),
        auth_rate_limit_window_secs: z.number().int().min(1).default(300),
      })
      .prefault({}),
    tls: z
      .discriminatedUnion('mode', [
        z.looseObject({ mode: z.literal('off') }),
        z.looseObject({ mode: z.literal('manual'), cert_path: z.string().min(1), key_path: z.string().min(1) }),
      ])
      .default({ mode: 'off' }),
    relay: z
      .looseObject({ enabled: off, url: z.string().default(''), session_id: z.string().default('') })
      .prefault({}),
    push: z
      .looseObject({
        enabled: off,
        vapid_public_key: z.string().default(''),
        vapid_subject: z.string().default('mailto:owner@localhost'),
      })
      .prefault({}),
  })
  .meta({ id: 'Services' });

const launcherSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  executable: z.string(),
  args: z.array(z.string()),
  enabled: z.boolean(),
  platform: z.string().nullable(),
});

export const configSchema = z
  .looseObject({
    mcp_server_enabled: on,
    local_server_enabled: on,
    mcp_port: port.default(9_876),
    allowed_hosts: z.array(z.string().min(1)).default([]),
    max_sessions: z.number().int().min(1).max(1_000).default(LIMITS.maxSessions),
    collapse_tools: off,
    collapse_auto_threshold_bytes: z.number().int().min(0).default(0),
    collapse_clients: z.record(z.string(), z.boolean()).default({}),
    max_tool_name: z.number().int().min(16).max(64).default(45),
    interrupt_mail_enabled: off,
    disabled_native_tools: z.array(z.string()).default(['config', 'debug']),
    ai_terminal_mcp_enabled: off,
    progress_tracking: on,
    ego_executable: z.string().default(''),
    ego_args: z.array(z.string()).default(['acp', '-C', '{root}']),
    ego_env: z.record(z.string(), z.string()).default({}),
    services: servicesSchema.prefault({}),
    shell: z.string().min(1).nullable().default(null),
    font_family: z.string().default('JetBrains Mono'),
    font_size: z.number().positive().max(200).default(14),
    font_weight: z.number().min(1).max(1_000).default(400),
    default_font_size: z.number().positive().max(200).default(13),
    theme: z.string().default('vscode-dark'),
    ide: z.string().default(''),
    language: z.string().default('en'),
    update_channel: z.string().default('stable'),
    bell_style: z.string().default('visual'),
    cursor_style: z.string().default('bar'),
    terminal_renderer: z.string().default('webgl'),
    index_strategy: z.string().default('active_and_switch'),
    issue_filter: z.string().default('assigned'),
    confirm_before_quit: on,
    confirm_before_closing_tab: on,
    auto_show_pr_popover: on,
    auto_update_enabled: on,
    auto_update_plugins_enabled: on,
    intent_tab_title: on,
    suggest_followups: on,
    copy_on_select: on,
    osc52_clipboard: on,
    show_last_prompt: on,
    inline_blame_enabled: on,
    mcp_config_installed: off,
    tab_cycling_all_types: off,
    tab_tree_enabled: off,
    prevent_sleep_when_busy: off,
    experimental_features_enabled: off,
    ai_chat_enabled: off,
    ai_triage_enabled: off,
    ai_watchers_enabled: off,
    scrollback_reflow: off,
    split_tab_mode: z.enum(['separate', 'unified']).default('separate'),
    tab_ordering_mode: z.enum(['grouped-by-type', 'terminals-first', 'free']).default('grouped-by-type'),
    max_tab_name_length: z.number().int().min(1).max(1_000).default(25),
    standby_timeout_minutes: z.number().int().min(0).default(0),
    disabled_plugin_ids: texts,
    disabled_agents: texts,
    disabled_mcp_agents: texts,
    global_hotkey: z.string().nullable().default(null),
    custom_launchers: z.array(launcherSchema).default([]),
  })
  .meta({ id: 'Config' });

export type Config = z.infer<typeof configSchema>;

const repoDefaults = {
  base_branch: z.string().default('automatic'),
  copy_ignored_files: off,
  copy_untracked_files: off,
  setup_script: z.string().default(''),
  run_script: z.string().default(''),
  archive_script: z.string().default(''),
  worktree_storage: z.enum(['sibling', 'app-dir', 'inside-repo', 'claude-code-default']).default('sibling'),
  prompt_on_create: on,
  delete_branch_on_remove: on,
  auto_archive_merged: off,
  orphan_cleanup: z.enum(['on', 'off', 'ask']).default('ask'),
  pr_merge_strategy: z.enum(['merge', 'squash', 'rebase']).default('squash'),
  after_merge: z.enum(['archive', 'delete', 'ask']).default('archive'),
  auto_fetch_interval_minutes: z.number().int().min(0).default(0),
  auto_delete_on_pr_close: z.enum(['off', 'ask', 'auto']).default('off'),
};

/** Of one repository; null or absent inherits from the defaults. */
const repoSettingSchema = z.looseObject({
  path: z.string(),
  display_name: z.string().nullish(),
  color: z.string().nullish(),
  base_branch: z.string().nullish(),
  copy_ignored_files: z.boolean().nullish(),
  copy_untracked_files: z.boolean().nullish(),
  setup_script: z.string().nullish(),
  run_script: z.string().nullish(),
  archive_script: z.string().nullish(),
  worktree_storage: z.enum(['sibling', 'app-dir', 'inside-repo', 'claude-code-default']).nullish(),
  prompt_on_create: z.boolean().nullish(),
  delete_branch_on_remove: z.boolean().nullish(),
  auto_archive_merged: z.boolean().nullish(),
  orphan_cleanup: z.enum(['on', 'off', 'ask']).nullish(),
  pr_merge_strategy: z.enum(['merge', 'squash', 'rebase']).nullish(),
  after_merge: z.enum(['archive', 'delete', 'ask']).nullish(),
  auto_fetch_interval_minutes: z.number().int().min(0).nullish(),
  auto_delete_on_pr_close: z.enum(['off', 'ask', 'auto']).nullish(),
  mcp_upstreams: z.array(z.string()).optional(),
  branch_labels: z.record(z.string(), z.string()).optional(),
});

const runConfigSchema = z.looseObject({
  name: z.string(),
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  is_default: off,
});

const agentSettingsSchema = z.looseObject({
  run_configs: z.array(runConfigSchema).default([]),
  auto_retry_on_error: off,
  headless_template: z.string().nullable().default(null),
  intent_tab_title: z.boolean().optional(),
  suggest_followups: z.boolean().optional(),
  hook_instrumentation: z.boolean().optional(),
  progress_tracking: z.boolean().optional(),
  /** Of codex: it is started so that it asks nobody before it acts; false leaves its own settings. */
  skip_approvals: z.boolean().optional(),
});

const agentsSchema = z.looseObject({
  agents: z.record(z.string(), agentSettingsSchema).default({}),
  headless_agent: z.string().optional(),
});
/** agents.json, with its defaults. */
export type AgentsDocument = z.output<typeof agentsSchema>;

const opaqueObject = z.record(z.string(), z.unknown()).default({});

/** The files served under `/config/<file>`. */
export const CONFIG_FILES = {
  repositories: opaqueObject,
  notes: opaqueObject,
  activity: opaqueObject,
  'pane-layout': opaqueObject,
  keybindings: z.array(z.unknown()).default([]),
  'ui-prefs': opaqueObject,
  'prompt-library': opaqueObject,
  'ai-prompts': opaqueObject,
  providers: opaqueObject,
  'ai-chat': opaqueObject,
  'ai-cron': opaqueObject,
  'ai-watchers': opaqueObject,
  agents: agentsSchema.prefault({}),
  'repo-settings': z.looseObject({ repos: z.record(z.string(), repoSettingSchema).default({}) }).prefault({}),
  'repo-defaults': z.looseObject(repoDefaults).prefault({}),
  notifications: z
    .looseObject({
      enabled: on,
      volume: z.number().min(0).max(1).default(0.5),
      sounds: z
        .looseObject({ question: on, error: on, completion: on, warning: on, info: on, attention: on })
        .prefault({}),
      audio_device: z.string().optional(),
      silence_remote_completions: on,
    })
    .prefault({}),
} as const satisfies Record<ConfigFileName, z.ZodType>;

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** bcrypt reads 72 bytes and no further, and ends at a zero byte: such a password would be another one than was typed. */
export const passwordSchema = z
  .string()
  .min(1, 'must not be empty')
  .refine((text) => utf8Length(text) <= LIMITS.password, 'must not be longer than 72 bytes')
  .refine((text) => !text.includes('\0'), 'must not contain a zero byte');

export const hashPasswordSchema = z.object({ password: passwordSchema });

export const passwordHashSchema = z
  .object({ hash: z.string().describe('bcrypt, for `services.auth.password_hash`.') })
  .meta({ id: 'PasswordHash' });
export type PasswordHash = z.infer<typeof passwordHashSchema>;

/** GET /diagnostics/secrets. */
export const secretsReportSchema = z
  .object({
    store: z.enum(['keyring', 'file']).describe('Where new secrets go.'),
    state: z.enum(['ready', 'locked']),
    detail: z.string().describe('Why it is this store, or what is wrong with it, for a person.'),
    location: z.string().describe('The file, or the service name in the keyring.'),
  })
  .meta({ id: 'SecretsReport' });
export type SecretsReport = z.infer<typeof secretsReportSchema>;

const notListeningSchema = z.object({ state: z.enum(['off', 'failed']), reason: z.string() });

/** GET /diagnostics/listeners. */
export const listenersReportSchema = z
  .object({
    ipc: z.object({ path: z.string() }),
    addresses: z
      .array(z.string())
      .describe('Addresses of this machine that others may reach it by, as they stand in a link; no loopback.'),
    local: z.union([
      z.object({ state: z.literal('listening'), port: z.number(), addresses: z.array(z.string()) }),
      notListeningSchema,
    ]),
    remote: z.union([
      z.object({
        state: z.literal('listening'),
        port: z.number(),
        address: z.string(),
        tls: z.boolean(),
        reason: z.string().exactOptional().describe('Why it is not as the settings say.'),
      }),
      notListeningSchema,
    ]),
  })
  .meta({ id: 'ListenersReport' });
export type ListenersReport = z.infer<typeof listenersReportSchema>;
