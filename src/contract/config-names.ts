/** Names of the configuration, apart from its schemas: the command uses them and checks no schema. */

/** Secrets of config.json by their path; they live in the secret store under the name given here. */
export const CONFIG_SECRETS = [
  { name: 'session-token', path: ['services', 'auth', 'session_token'], flag: 'session_token_exists' },
  { name: 'relay-token', path: ['services', 'relay', 'token'], flag: 'token_exists' },
  { name: 'vapid-private-key', path: ['services', 'push', 'vapid_private_key'], flag: 'vapid_private_key_exists' },
] as const;

export type ConfigSecretName = (typeof CONFIG_SECRETS)[number]['name'];

/** The files served under `/config/<file>`. */
export const CONFIG_FILE_NAMES = [
  'repositories',
  'notes',
  'activity',
  'pane-layout',
  'keybindings',
  'ui-prefs',
  'prompt-library',
  'ai-prompts',
  'providers',
  'ai-chat',
  'ai-cron',
  'ai-watchers',
  'agents',
  'repo-settings',
  'repo-defaults',
  'notifications',
] as const;

/** Functions of the product whose prompt a person may replace (CFG-4). */
export const AI_PROMPT_SERVICES = ['diff_triage'] as const;

export type AiPromptService = (typeof AI_PROMPT_SERVICES)[number];

export type ConfigFileName = (typeof CONFIG_FILE_NAMES)[number];
