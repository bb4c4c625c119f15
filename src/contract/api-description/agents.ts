import { z } from 'zod';
import {
  detectAllSchema,
  detectedAgentSchema,
  detectedProgramsSchema,
  detectQuerySchema,
  machineAgentsSchema,
  oneAgentSchema,
  unknownAgentSchema,
} from '../actions/agent.ts';
import { json, type RouteDescription } from './model.ts';

export const agentRoutes = {
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
} as const satisfies Record<string, RouteDescription>;
