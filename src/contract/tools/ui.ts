import { TOAST_LEVELS, TOAST_SOUNDS } from '../actions/ui.ts';
import type { NativeTool } from './tool.ts';

export const UI_TOOL: NativeTool = {
  name: 'ui',
  summary: "The person's screen.",
  actions: {
    tab: {
      text:
        'for anything long: opens or replaces the tab id with html or url, exactly one. url: http(s) or file in a sandboxed frame, tuic://open/<path> as text ' +
        'or picture (absolute paths begin with //, others are of the active repository). Files lie in a registered repository. Closes with your session',
      parameters: ['id', 'title', 'html?', 'url?', 'pinned?', 'focus?', 'session_id?'],
      isReady: true,
    },
    toast: {
      text: 'a short notice, when something is done',
      parameters: ['title', 'message?', 'level?', 'sound?'],
      isReady: true,
    },
    confirm: {
      text: 'asks yes or no; confirm before what cannot be undone. Blocks up to 300 s: {confirmed, reason?}',
      parameters: ['title', 'message?'],
      isReady: true,
      isLocal: true,
    },
    screenshot: {
      text: 'image file of a terminal as the person sees it, id is its session: {path, size_bytes}',
      parameters: ['id'],
      isReady: true,
      isLocal: true,
    },
  },
  parameters: {
    id: { type: 'string' },
    title: { type: 'string' },
    html: { type: 'string' },
    url: { type: 'string' },
    pinned: { type: 'boolean', description: 'default false' },
    focus: { type: 'boolean', description: 'default true; false never takes the person away' },
    session_id: { type: 'string', description: 'default: yours; not of a terminal' },
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
