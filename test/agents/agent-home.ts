/**
 * A home folder of its own for each run of a real agent: no setting of the person counts, no question of a first start comes,
 * and every word goes to the fake model API.
 */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const AGENT_NAMES = ['claude', 'codex', 'opencode', 'gemini'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** Those that TUIC_RECORD names, or all. */
export function chosenAgents(): AgentName[] {
  const list = process.env.TUIC_RECORD?.split(',');
  return AGENT_NAMES.filter((name) => list === undefined || list.includes(name));
}

/** Set by scripts/agents.mjs. */
export function agentProgram(name: AgentName): string {
  const folder = process.env.TUIC_AGENTS;
  if (folder === undefined) throw new Error('TUIC_AGENTS is not set; run "npm run test:agents"');
  return join(folder, name);
}

export interface AgentHome {
  home: string;
  /** A trusted project. */
  project: string;
  env: Record<string, string>;
}

/**
 * Writes the settings of `name` below `home`. `modelUrl` is the fake model API. With `asks` it asks a person before it runs a
 * command, also where a run without a person would then stand still.
 */
export async function makeAgentHome(
  name: AgentName,
  home: string,
  modelUrl: string,
  { asks = false } = {},
): Promise<AgentHome> {
  const project = join(home, 'project');
  await mkdir(project, { recursive: true });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
  const own = await SETTINGS[name]({ home, project, modelUrl, asks });
  return { home, project, env: { ...env, ...own } };
}

interface Place {
  home: string;
  project: string;
  modelUrl: string;
  asks: boolean;
}

async function put(home: string, path: string, content: string | object): Promise<void> {
  const file = join(home, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

const SETTINGS: Record<AgentName, (place: Place) => Promise<Record<string, string>>> = {
  async claude({ home, project, modelUrl }) {
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    await put(home, '.claude.json', {
      hasCompletedOnboarding: true,
      theme: 'dark',
      projects: { [project]: trusted },
    });
    return {
      ANTHROPIC_BASE_URL: modelUrl,
      // A token, not a key: a key would be asked about.
      ANTHROPIC_AUTH_TOKEN: 'test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    };
  },
  async codex({ home, project, modelUrl }) {
    const lines = [
      'model = "test-model"',
      'model_provider = "test"',
      'approval_policy = "on-request"',
      'sandbox_mode = "read-only"',
      'check_for_update_on_startup = false',
      '',
      '[model_providers.test]',
      'name = "test"',
      `base_url = "${modelUrl}/v1"`,
      'wire_api = "responses"',
      'env_key = "TEST_MODEL_KEY"',
      'request_max_retries = 0',
      '',
      `[projects."${project}"]`,
      'trust_level = "trusted"',
      '',
    ];
    await put(home, '.codex/config.toml', lines.join('\n'));
    return { TEST_MODEL_KEY: 'test', CODEX_HOME: join(home, '.codex') };
  },
  async opencode({ home, modelUrl, asks }) {
    await put(home, '.config/opencode/opencode.json', {
      provider: {
        test: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${modelUrl}/v1`, apiKey: 'test' },
          models: { 'test-model': {} },
        },
      },
      model: 'test/test-model',
      small_model: 'test/test-model',
      autoupdate: false,
      ...(asks ? { permission: { bash: 'ask' } } : {}),
    });
    return { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' };
  },
  async gemini({ home, modelUrl }) {
    await put(home, '.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    });
    return { GEMINI_API_KEY: 'test', GOOGLE_GEMINI_BASE_URL: modelUrl };
  },
};

/** Enters our endpoint with a bearer token, as the guide tells a person to (docs/guide/mcp-clients.md). */
export async function enterHttpServer(name: AgentName, home: AgentHome, url: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const add = async (path: string, key: string, entry: object) => {
    const settings = JSON.parse(await readFile(join(home.home, path), 'utf8')) as Record<string, object>;
    await put(home.home, path, { ...settings, [key]: { tuicommander: entry } });
  };
  switch (name) {
    case 'claude':
      return add('.claude.json', 'mcpServers', { type: 'http', url, headers });
    case 'gemini':
      return add('.gemini/settings.json', 'mcpServers', { httpUrl: url, headers });
    case 'opencode':
      return add('.config/opencode/opencode.json', 'mcp', { type: 'remote', url, headers });
    case 'codex':
      return appendFile(
        join(home.home, '.codex/config.toml'),
        `\n[mcp_servers.tuicommander]\nurl = "${url}"\nhttp_headers = { Authorization = "${headers.Authorization}" }\n`,
      );
  }
}
