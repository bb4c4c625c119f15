import type { NativeTool } from './tool.ts';

export const TOAST_SOUNDS = ['question', 'completion', 'error', 'warning', 'info', 'attention'] as const;
export const TOAST_LEVELS = ['info', 'warn', 'error'] as const;

export const UI_TOOL: NativeTool = {
  name: 'ui',
  summary: "The person's screen.",
  actions: {
    tab: {
      text:
        'opens or replaces the tab id with html or url, exactly one. url: http(s) or file in a sandboxed frame, tuic://edit/<path>?line=N in ' +
        'the editor, tuic://open/<path> in the preview (absolute paths begin with //, others are of the active repository). Closes with your session',
      parameters: ['id', 'title', 'html?', 'url?', 'pinned?', 'focus?', 'session_id?'],
      isReady: false,
    },
    toast: { text: 'a short notice', parameters: ['title', 'message?', 'level?', 'sound?'], isReady: false },
    confirm: {
      text: 'asks yes or no and blocks up to 300 s: {confirmed, reason?}',
      parameters: ['title', 'message?'],
      isReady: false,
      isLocal: true,
    },
    screenshot: { text: 'image file of the tab id: {path}', parameters: ['id'], isReady: false, isLocal: true },
  },
  rules: ['Use toast when something is done, confirm before what cannot be undone, tab for anything long.'],
  parameters: {
    id: { type: 'string' },
    title: { type: 'string' },
    html: { type: 'string' },
    url: { type: 'string' },
    pinned: { type: 'boolean', description: 'default false' },
    focus: { type: 'boolean', description: 'default true; false never takes the person away' },
    session_id: { type: 'string', description: 'default: yours' },
    message: { type: 'string' },
    level: { type: 'string', enum: TOAST_LEVELS, description: 'default info' },
    sound: {
      type: ['boolean', 'string'],
      description: `true: by level; or ${TOAST_SOUNDS.join(', ')} (attention: you are stuck without the person)`,
    },
  },
  annotations: {
    title: 'Screen',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
};

export const PLUGIN_DEV_GUIDE_TOOL: NativeTool = {
  name: 'plugin_dev_guide',
  summary: 'How to extend TUICommander by a program of your own: {content}.',
  actions: {},
  parameters: {},
  isReady: true,
  annotations: { title: 'Plugin guide', readOnlyHint: true, openWorldHint: false },
};
