import { LOG_LEVELS } from '../log-names.ts';
import type { NativeTool } from './tool.ts';

export const CONFIG_TOOL: NativeTool = {
  name: 'config',
  summary: 'Settings and prompts of TUICommander.',
  actions: {
    get: { text: 'all settings; secrets show as *_exists', parameters: [], isReady: true },
    save: {
      text: 'merges a partial config; keys you leave out keep their value',
      parameters: ['config'],
      isReady: true,
      isLocal: true,
    },
    list_ai_prompts: { text: 'services whose prompt can be changed', parameters: [], isReady: true },
    load_ai_prompt: { text: 'its prompt and default_prompt', parameters: ['service'], isReady: true },
    save_ai_prompt: { text: 'null or blank resets', parameters: ['service', 'prompt'], isReady: true, isLocal: true },
    list_prompts: { text: 'the prompt library', parameters: [], isReady: true },
    load_prompt: { text: 'one of it', parameters: ['id'], isReady: true },
    save_prompt: {
      text: 'adds or replaces it',
      parameters: ['id', 'label', 'text', 'pinned?'],
      isReady: true,
      isLocal: true,
    },
  },
  parameters: {
    config: { type: 'object' },
    service: { type: 'string' },
    prompt: { type: ['string', 'null'] },
    id: { type: 'string' },
    label: { type: 'string' },
    text: { type: 'string' },
    pinned: { type: 'boolean' },
  },
  annotations: {
    title: 'Settings',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
};

/** Its actions are told by action=help (TOOL-1). */
export const DEBUG_TOOL: NativeTool = {
  name: 'debug',
  summary: 'Looks into TUICommander itself. action=help tells how.',
  hasNoLines: true,
  actions: {
    agent_detection: {
      text: 'what is known of the agent in one session or in each, and by which evidence',
      parameters: ['session_id?'],
      isReady: true,
    },
    logs: {
      text: 'newest entries of the log, newest last',
      parameters: ['level?', 'source?', 'limit?'],
      isReady: true,
    },
    sessions: { text: 'every session with its inner state', parameters: [], isReady: true },
    invoke_js: {
      text:
        'runs script (an expression, or statements that return) in the workspace the person looked at last: {result} or {error}; kept in logs ' +
        'under source eval_js. window.__TUIC__ has stores(), store(name), terminals(), terminal(id), agentTypeForSession(id), activity(), ' +
        'logs(limit?), plugins(), plugin(id), pluginLogs(id, limit?)',
      parameters: ['script'],
      isReady: true,
      isLocal: true,
    },
    help: { text: 'this text', parameters: [], isReady: true },
  },
  parameters: {
    session_id: { type: 'string' },
    level: { type: 'string', enum: LOG_LEVELS },
    source: { type: 'string' },
    limit: { type: 'integer', description: 'default 50' },
    script: { type: 'string' },
  },
  annotations: { title: 'Debugging', readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};
