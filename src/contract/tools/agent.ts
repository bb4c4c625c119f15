import type { NativeTool } from './tool.ts';

export const AGENT_TOOL: NativeTool = {
  name: 'agent',
  summary: 'Coding agents in TUICommander terminals, and mail between them.',
  earlySummary: { until: 'spawn', text: 'Coding agents of this machine.' },
  actions: {
    spawn: {
      text:
        'starts an agent with a task: session_id, task_id, name. Your identity makes you its parent, and its changes of state reach your ' +
        'inbox. The prompt is always delivered; {prompt} in args places it',
      parameters: [
        'prompt',
        'name?',
        'cwd?',
        'agent_type?',
        'model?',
        'print_mode?',
        'output_format?',
        'binary_path?',
        'args?',
        'rows?',
        'cols?',
      ],
      isReady: true,
      isLocal: true,
    },
    wait: {
      text: 'blocks until mail is there: {met, timed_out, new_messages, messages, next_since}; the mail stays in the inbox',
      parameters: ['timeout_ms?', 'since?'],
      isReady: true,
      isLocal: true,
    },
    detect: { text: 'agents of this machine; without path: not installed', parameters: [], isReady: true },
    stats: { text: 'running sessions and free slots', parameters: [], isReady: true },
    metrics: { text: 'counters since the start', parameters: [], isReady: true },
    register: {
      text:
        'names you, or repairs your identity; a terminal is bound by itself. replaces moves the mail of an identity you had. ' +
        'orchestrator=true|false declares or removes the role, absent keeps it',
      parameters: ['tuic_session?', 'replaces?', 'name?', 'project?', 'orchestrator?'],
      isReady: true,
      isLocal: true,
    },
    list_peers: { text: 'whom you can write to', parameters: ['project?'], isReady: true, isLocal: true },
    send: {
      text: 'stores a message of at most 64 KB, then delivers it; delivery_path says how. Same client_key within 24 h: stored once',
      parameters: ['to', 'message', 'reply_to?', 'thread?', 'priority?', 'client_key?'],
      isReady: true,
      isLocal: true,
    },
    inbox: {
      text:
        'the oldest unread mail; your position is kept. has_more: call again. missed_count: dropped unread. since=0 replays, query ' +
        'searches, message_id asks what became of a message',
      parameters: ['since?', 'limit?', 'query?', 'message_id?'],
      isReady: true,
      isLocal: true,
    },
  },
  rules: [
    {
      needs: 'send',
      text:
        'An orchestrator is never typed at: mail stays in its inbox. With mail_wake=managed_pty_lifecycle its idle terminal gets one line that ' +
        'says to read it; with none it has to call wait or inbox.',
    },
    { needs: 'wait', text: 'Use wait instead of polling.' },
  ],
  parameters: {
    prompt: { type: 'string' },
    name: { type: 'string', description: 'shown to people and peers' },
    cwd: { type: 'string', description: 'absolute or ~/; default: yours' },
    agent_type: { type: 'string', description: 'run configuration or agent, default claude' },
    model: { type: 'string' },
    print_mode: { type: 'boolean', description: 'claude: answer and exit' },
    output_format: { type: 'string', description: 'claude' },
    binary_path: { type: 'string', description: 'absolute' },
    args: { type: 'array', items: { type: 'string' } },
    rows: { type: 'integer', minimum: 1, maximum: 500 },
    cols: { type: 'integer', minimum: 1, maximum: 500 },
    pty_description: { type: ['string', 'null'], description: 'default: from prompt; null or "": none' },
    timeout_ms: { type: 'integer', description: 'default 60000, at most 300000' },
    since: { type: 'integer', description: 'next_since of an earlier answer; default: where you are' },
    limit: { type: 'integer', minimum: 1, maximum: 100, description: 'default 50' },
    query: { type: 'string' },
    message_id: { type: 'string' },
    tuic_session: { type: 'string', description: 'UUID' },
    replaces: { type: 'string', description: 'UUID' },
    project: { type: 'string' },
    orchestrator: { type: 'boolean' },
    to: { type: 'string', description: 'tuic_session, session_id or alias' },
    message: { type: 'string' },
    reply_to: { type: 'string', description: 'message id' },
    thread: { type: 'string', maxLength: 64 },
    priority: { type: 'string', enum: ['normal', 'interrupt'] },
    client_key: { type: 'string', maxLength: 128 },
  },
  annotations: {
    title: 'Agents and mail',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
};

export const TASK_TOOL: NativeTool = {
  name: 'task',
  summary:
    'The task behind a spawned agent, for work that outlasts a wait. A handle is answered to its owner only, for 24 h after its end.',
  actions: {
    get: {
      text: 'status working|input_required|completed|failed|cancelled, result, error_detail; never blocks, ask each poll_interval_ms',
      parameters: ['task_id'],
      isReady: true,
    },
    cancel: {
      text: 'marks it cancelled; the agent runs on (session action=kill ends it). cancelled:false: it had ended before',
      parameters: ['task_id'],
      isReady: true,
      isLocal: true,
    },
  },
  parameters: { task_id: { type: 'string' } },
  annotations: {
    title: 'Tasks',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

export const PROGRESS_TOOL: NativeTool = {
  name: 'progress',
  summary: 'Writes one line into the journal of your repository: a finished step (done), or what blocks you (blocked).',
  actions: {},
  parameters: {
    type: { type: 'string', enum: ['done', 'blocked'] },
    text: { type: 'string', maxLength: 2_000 },
    step: { type: 'string', maxLength: 200 },
  },
  required: ['type', 'text'],
  isReady: true,
  annotations: {
    title: 'Progress journal',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
};
