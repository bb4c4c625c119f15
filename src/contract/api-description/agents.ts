import { z } from 'zod';
import {
  createAgentSessionSchema,
  createdAgentSessionSchema,
  detectAllSchema,
  detectedAgentSchema,
  detectedProgramsSchema,
  detectQuerySchema,
  machineAgentsSchema,
  oneAgentSchema,
  openInAppSchema,
  resumeAgentSchema,
  resumedAgentSchema,
  unknownAgentSchema,
  verifySessionSchema,
} from '../actions/agent.ts';
import { json, type RouteDescription } from './model.ts';

export const agentRoutes = {
  'session.create-agent': {
    tag: 'Sessions',
    summary: 'Open a session with a coding agent',
    detail:
      '`agent_type` is the name of a run configuration in agents.json, else a known agent, else a program; `binary_path` is its program ' +
      'instead. The prompt is always delivered: where `{prompt}` stands in `args` or in the run configuration, else after them. Without either ' +
      'the agent gets it as TUICommander knows to give it. PATH in it is that of every terminal, and behind it what else the login shell has.',
    body: { schema: createAgentSessionSchema, example: { prompt: 'Find out why the tests fail', cwd: '~/' } },
    answers: json(createdAgentSessionSchema, 'The agent runs.', 201),
    refuses: [
      'size_out_of_range',
      'path_required',
      'path_traversal',
      'path_not_absolute',
      'path_user_home',
      'path_not_directory',
      'program_not_found',
      'session_limit',
      'spawn_failed',
      'host_unavailable',
    ],
  },
  'session.resume-agent': {
    tag: 'Sessions',
    summary: 'Take up the conversation of an agent again',
    detail:
      'Of a session that is lost, or has ended and can still be read. The agent goes on in a new session with the same identity, so its mail ' +
      'stays; of a lost one alias and name go on too. Without `agent_session` it must be known: told by a hook, an argument of the session, or ' +
      'the only conversation of Claude Code or Codex that began in that folder since.',
    body: { schema: resumeAgentSchema, example: {} },
    answers: json(resumedAgentSchema, 'The agent runs.', 201),
    refuses: [
      'session_not_found',
      'agent_runs',
      'conversation_unknown',
      'program_not_found',
      'path_not_directory',
      'session_limit',
      'spawn_failed',
      'host_unavailable',
    ],
  },
  'agents.list': {
    tag: 'Agents',
    summary: 'Coding agents of this machine',
    detail:
      'Every agent that TUICommander knows, looked for on the PATH of the login shell, on that of the server and where installers put them. ' +
      'Answers within 8 s; a version that was not known by then is there the next time.',
    answers: json(z.array(detectedAgentSchema), 'All of them, also those that are not here.'),
  },
  'agents.ides': {
    tag: 'Agents',
    summary: 'Editors of this machine',
    answers: json(z.array(z.string()), 'Their ids, such as `vscode`, `zed`, `neovim`.'),
  },
  'agents.detect': {
    tag: 'Agents',
    summary: 'Agents and editors of this machine, or one agent',
    query: detectQuerySchema,
    answers: json(z.union([machineAgentsSchema, oneAgentSchema, unknownAgentSchema]), 'What is here.'),
  },
  'agents.detect-all': {
    tag: 'Agents',
    summary: 'Where programs are',
    detail: 'By name; nothing is started.',
    body: { schema: detectAllSchema, example: { binaries: ['claude', 'codex'] } },
    answers: json(detectedProgramsSchema, 'For each name its absolute path, or null.'),
  },
  'agents.open-in-app': {
    tag: 'Agents',
    summary: 'Open a file or folder in a program of the person',
    detail:
      'An editor, at `line` and `col` where it can; a program of `custom_launchers`, with the path where `{path}` stands in its arguments, else ' +
      'behind them; `file-manager`; or `terminal`, a session in that folder. Neovim gets a session too. What is started is left alone.',
    body: { schema: openInAppSchema, example: { path: '/srv/app/main.ts', app: 'vscode', line: 12 } },
    answers: json(z.object({ ok: z.literal(true) }), 'It was started.'),
    refuses: [
      'unknown_app',
      'program_not_found',
      'path_required',
      'path_traversal',
      'path_not_absolute',
      'path_user_home',
      'not_found',
      'app_not_started',
    ],
  },
  'agents.verify-session': {
    tag: 'Agents',
    summary: 'Whether an agent still has a conversation',
    detail: 'By the files of Claude Code and Codex. False also for agents whose files are not read.',
    body: {
      schema: verifySessionSchema,
      example: { agentType: 'claude', sessionId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', cwd: '/srv/app' },
    },
    answers: json(z.boolean(), 'It can be taken up again.'),
  },
} as const satisfies Record<string, RouteDescription>;
