/**
 * How the actions of native tools map onto the registry: each takes the tool's arguments, asks the same action that the REST routes
 * ask, and projects the answer onto the shape of mcp.md 2. Absent values are left out, never null (TOOL-2).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import {
  AppError,
  CONTROL_KEYS,
  LOG_LEVELS,
  type NativeTool,
  type SessionInfo,
  SPECIAL_KEYS,
  type SubmitReceipt,
  WAIT_TARGETS,
} from '../../contract/index.ts';
import { findAgent } from '../../domain/agents/index.ts';
import type { MailService } from '../../domain/mail/index.ts';
import type { PeerService } from '../../domain/peers/index.ts';
import type { RepositoryService } from '../../domain/repositories/index.ts';
import type { SessionService } from '../../domain/sessions/index.ts';
import { type Actions, parseInput, runAction } from '../actions.ts';
import { createMailProjections, createTaskProjections } from './mail-projections.ts';
import { createOriginFinder } from './origin.ts';
import { createProgressProjections } from './progress-projections.ts';
import { createSpawnProjection } from './spawn-projection.ts';
import type { Projection } from './tool-context.ts';

const KEYS: Readonly<Record<(typeof SPECIAL_KEYS)[number], string>> = {
  enter: '\r',
  return: '\r',
  tab: '\t',
  escape: '\x1b',
  esc: '\x1b',
  backspace: '\x7f',
  delete: '\x1b[3~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
};
const CONTROL_MASK = 0x1f;

/** The bytes of a key as a terminal sends them (SES-5). */
export function keyBytes(name: string): string {
  const key = name.trim().toLowerCase();
  if (Object.hasOwn(KEYS, key)) return KEYS[key as keyof typeof KEYS];
  const letter = /^ctrl\+([a-z])$/.exec(key)?.[1];
  if (letter !== undefined && CONTROL_KEYS.some((each) => each === letter)) {
    return String.fromCharCode(letter.charCodeAt(0) & CONTROL_MASK);
  }
  const known = [...SPECIAL_KEYS, ...CONTROL_KEYS.map((each) => `ctrl+${each}`)].join(', ');
  throw new AppError('invalid_input', { detail: `special_key: ${name} is none of ${known}` });
}

const reference = z.object({ session_id: z.string().min(1) });
const createSchema = z.object({
  cwd: z.string().optional(),
  shell: z.string().optional(),
  rows: z.number().int().optional(),
  cols: z.number().int().optional(),
});
const pty_description = z.string().nullable().optional();
const inputSchema = reference.extend({
  input: z.string().optional(),
  special_key: z.string().optional(),
  pty_description,
});
const submitSchema = reference.extend({
  input: z.string(),
  timeout_ms: z.number().int().min(0).optional(),
  pty_description,
});
const outputSchema = reference.extend({
  limit: z.number().int().min(1).default(8_192),
  since_cursor: z.number().int().min(0).optional(),
  from_line: z.number().int().min(0).optional(),
  format: z.enum(['text', 'raw']).default('text'),
});
const resizeSchema = reference.extend({ rows: z.number().int().default(24), cols: z.number().int().default(80) });
const waitSchema = reference.extend({
  until: z.enum(WAIT_TARGETS).optional(),
  timeout_ms: z.number().int().min(0).optional(),
});
const logsSchema = z.object({
  level: z.enum(LOG_LEVELS).optional(),
  source: z.string().optional(),
  limit: z.number().int().min(1).max(1_000).default(50),
});

/** AGT-13: these are told also when they are not here; the rest of the catalogue would only cost the reader. */
const ALWAYS_TOLD = new Set(['claude', 'codex', 'aider', 'goose']);

interface ListEntry {
  session_id: string;
  tuic_session?: string | undefined;
  is_caller: boolean;
  alias?: string | undefined;
  display_name?: string;
  cwd?: string;
  worktree_path?: string;
  worktree_branch?: string;
  shell_state?: string;
  agent_state?: string;
  lifecycle?: string;
}

/** The entry of a session in `session list` (SES-1). Members that are absent are not even undefined: lists are long, and asked for often. */
function listEntry(info: SessionInfo, identity: string | undefined): ListEntry {
  const { state, lifecycle } = info;
  const entry: ListEntry = {
    session_id: info.session_id,
    tuic_session: info.tuic_session,
    is_caller: identity !== undefined && info.tuic_session === identity && lifecycle === 'live',
    alias: info.alias,
  };
  if (info.display_name !== undefined) entry.display_name = info.display_name;
  if (info.cwd !== null) entry.cwd = info.cwd;
  if (info.worktree_path !== null) entry.worktree_path = info.worktree_path;
  if (info.worktree_branch !== null) entry.worktree_branch = info.worktree_branch;
  if (state?.shell_state !== undefined) entry.shell_state = state.shell_state;
  if (state?.agent_state !== undefined) entry.agent_state = state.agent_state;
  if (lifecycle !== 'live') entry.lifecycle = lifecycle;
  return entry;
}

function endOf(info: SessionInfo) {
  return {
    exited: info.lifecycle === 'exited',
    lost: info.lifecycle === 'lost' ? true : undefined,
    exit_code: info.lifecycle === 'lost' ? undefined : info.exit_code,
  };
}

const isEnter = (key: string | undefined) => /^\s*(?:enter|return)\s*$/i.test(key ?? '');

/** An address that leads nowhere is an outcome like any other refusal (SUB-7). */
function unknownReceipt(): SubmitReceipt {
  return {
    submission_id: randomUUID(),
    submitted: false,
    write_state: 'not_started',
    acknowledged: false,
    reason: 'unknown_session',
    retry_safe: true,
    turn_epoch: 0,
    composer_state: 'unknown',
  };
}

/** WAIT-5: an address that leads nowhere is named in the refusal. */
async function naming<T>(ref: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'session_not_found') throw new AppError('unknown_session', { ref });
    throw error;
  }
}

export interface ProjectionDependencies {
  actions: Actions;
  sessions: SessionService;
  repositories: Pick<RepositoryService, 'rootOf'>;
  /** Reads who a caller is. */
  peers: Pick<PeerService, 'get'>;
  mail: Pick<MailService, 'ensurePeer'>;
  debugTool: NativeTool;
}

export function createProjections({
  actions,
  sessions,
  repositories,
  peers,
  mail,
  debugTool,
}: ProjectionDependencies): Readonly<Record<string, Readonly<Record<string, Projection>>>> {
  /** SES-12: compared after the address was resolved. A lost session is ended by a person only (SES-10). */
  function refuseEnding(ref: string, identity: string | undefined): SessionInfo {
    const info = sessions.get(ref);
    if (identity !== undefined && info.tuic_session === identity && info.lifecycle === 'live') {
      throw new AppError('forbidden', { reason: 'this is your own session; end it by leaving your program' });
    }
    if (info.lifecycle === 'lost') {
      throw new AppError('forbidden', { reason: 'the session is lost, and a person decides when it goes' });
    }
    return info;
  }

  const agentOf = (ref: string) => sessions.get(ref).state?.agent_type ?? '';
  const session: Record<string, Projection> = {
    list: async (_input, context) =>
      (await runAction(actions['session.list'], {}, context)).map((info) => listEntry(info, context.identity)),
    create: async (input, context) => {
      const { session_id } = await runAction(actions['session.create'], parseInput(createSchema, input), context);
      return { session_id };
    },
    input: async (input, context) => {
      const { session_id, input: text = '', special_key, pty_description } = parseInput(inputSchema, input);
      if (text !== '' && isEnter(special_key) && findAgent(agentOf(session_id))?.isPrefillOnly === true) {
        return runAction(actions['session.enter-line'], { id: session_id, input: text, pty_description }, context);
      }
      const data = text + (special_key === undefined ? '' : keyBytes(special_key));
      if (data === '') throw new AppError('invalid_input', { detail: 'input or special_key is needed' });
      return runAction(actions['session.write'], { id: session_id, data, pty_description }, context);
    },
    submit: async (input, context) => {
      const { session_id: id, ...prompt } = parseInput(submitSchema, input);
      try {
        return await runAction(actions['session.submit'], { id, ...prompt }, context);
      } catch (error) {
        if (error instanceof AppError && error.code === 'session_not_found') return unknownReceipt();
        throw error;
      }
    },
    output: async (input, context) => {
      const { session_id: id, format, ...query } = parseInput(outputSchema, input);
      if (format === 'text') {
        const output = await runAction(actions['session.plain-output'], { id, ...query }, context);
        return { ...output, ...endOf(sessions.get(id)) };
      }
      const output = await runAction(actions['session.output'], { id, format, limit: query.limit }, context);
      return { ...output, ...endOf(sessions.get(id)) };
    },
    status: async (input) => {
      const { session_id } = parseInput(reference, input);
      const info = sessions.get(session_id);
      return {
        session_id: info.session_id,
        awaiting_input: info.state?.awaiting_input ?? false,
        rate_limited: info.state?.rate_limited ?? false,
        delivery_uncertain: false,
        shell_state: info.state?.shell_state,
        agent_state: info.state?.agent_state,
        agent_type: info.state?.agent_type,
        last_activity_ms: sessions.lastActivity(session_id),
        exit_code: info.exit_code,
        lifecycle: info.lifecycle === 'live' ? undefined : info.lifecycle,
      };
    },
    wait: async (input, context) => {
      const { session_id: id, ...wanted } = parseInput(waitSchema, input);
      return naming(id, () => runAction(actions['session.wait'], { id, ...wanted }, context));
    },
    resize: async (input, context) => {
      const { session_id: id, rows, cols } = parseInput(resizeSchema, input);
      return runAction(actions['session.resize'], { id, rows, cols }, context);
    },
    close: async (input, context) => {
      const { session_id } = parseInput(reference, input);
      const { session_id: id } = refuseEnding(session_id, context.identity);
      return runAction(actions['session.close'], { id, mode: 'close' }, context);
    },
    kill: async (input, context) => {
      const { session_id } = parseInput(reference, input);
      const { session_id: id } = refuseEnding(session_id, context.identity);
      return runAction(actions['session.close'], { id, mode: 'kill' }, context);
    },
    pause: async (input, context) => {
      const { session_id: id } = parseInput(reference, input);
      return runAction(actions['session.pause'], { id }, context);
    },
    resume: async (input, context) => {
      const { session_id: id } = parseInput(reference, input);
      return runAction(actions['session.resume'], { id }, context);
    },
    process_stats: async (_input, context) => {
      const processes = await runAction(actions['process.stats'], {}, context);
      return {
        processes: processes.map(({ session_id, name, pid, rss_kb, cpu_pct }) => ({
          session_id,
          name,
          pid,
          rss_kb,
          cpu_pct,
        })),
      };
    },
  };

  const config: Record<string, Projection> = {
    get: async (_input, context) => (await runAction(actions['config.read'], {}, context)).value,
    save: async (input, context) => {
      const { config: changes } = parseInput(z.object({ config: z.record(z.string(), z.unknown()) }), input);
      const refused = Object.keys(changes).find((key) => /^ego_(executable|args|env)$/.test(key));
      if (refused !== undefined) {
        throw new AppError('forbidden', { reason: `${refused} decides what runs on this machine; a person sets it` });
      }
      await runAction(actions['config.save'], { changes }, context);
      return { ok: true };
    },
    list_ai_prompts: async (_input, context) => ({ services: await runAction(actions['ai-prompt.list'], {}, context) }),
    load_ai_prompt: (input, context) => runAction(actions['ai-prompt.load'], input, context),
    save_ai_prompt: (input, context) => runAction(actions['ai-prompt.save'], input, context),
    list_prompts: async (_input, context) => {
      const prompts = await runAction(actions['prompt.list'], {}, context);
      return { prompts: prompts.map(({ id, label, pinned }) => ({ id, label, pinned })) };
    },
    load_prompt: (input, context) => runAction(actions['prompt.load'], input, context),
    save_prompt: (input, context) => runAction(actions['prompt.save'], input, context),
  };

  const { progress, progress_list } = createProgressProjections(actions, { sessions, peers });
  const repo: Record<string, Projection> = {
    progress_list,
    list: (_input, context) => runAction(actions['repository.list'], {}, context),
    active: (_input, context) => runAction(actions['repository.active'], {}, context),
  };

  const agent: Record<string, Projection> = {
    detect: async (_input, context) => {
      const found = await runAction(actions['agent.list'], {}, context);
      return found
        .filter(({ name, path }) => path !== null || ALWAYS_TOLD.has(name))
        .map(({ name, path, version }) => ({ name, path: path ?? undefined, version: version ?? undefined }));
    },
    stats: (_input, context) => runAction(actions['server.stats'], {}, context),
    metrics: (_input, context) => runAction(actions['server.metrics'], {}, context),
    spawn: createSpawnProjection({ actions, sessions, repositories, mail }),
    ...createMailProjections(actions, mail),
  };

  const task = createTaskProjections(actions);

  const origin = createOriginFinder({ sessions, peers, repositories });
  const ui: Record<string, Projection> = {
    toast: async ({ title, message, level, sound }, context) =>
      runAction(actions['ui.toast'], { title, message, level, sound, ...(await origin(context)) }, context),
    confirm: async ({ title, message }, context) =>
      runAction(actions['ui.confirm'], { title, message, ...(await origin(context)) }, context),
    screenshot: (input, context) => runAction(actions['ui.screenshot'], input, context),
    tab: async ({ session_id, ...tab }, context) => {
      const { id, title, html, url, pinned, focus } = tab;
      if (session_id !== undefined) {
        sessions.get(parseInput(reference, { session_id }).session_id);
        // Every session has a terminal today, and that is no place for a tab (UI-1).
        return { ok: false, warning: 'session_id names a terminal, so no tab was opened. Leave session_id out' };
      }
      const input = { id, title, html, url, pinned, focus, ...(await origin(context)) };
      return runAction(actions['ui.tab'], input, context);
    },
  };

  const debug: Record<string, Projection> = {
    agent_detection: async (input, context) => {
      const { session_id: id } = parseInput(reference.partial(), input);
      return { sessions: await runAction(actions['session.evidence'], { id }, context) };
    },
    logs: async (input, context) => {
      const { limit, ...filters } = parseInput(logsSchema, input);
      // The registry limits before it filters; here the newest that match are meant.
      const entries = await runAction(actions['logs.list'], filters, context);
      return { entries: entries.slice(-limit) };
    },
    sessions: async (_input, context) => ({
      sessions: await runAction(actions['session.list'], { lifecycle: 'all' }, context),
    }),
    invoke_js: (input, context) => runAction(actions['debug.invoke-js'], input, context),
    help: async () => ({
      actions: Object.entries(debugTool.actions)
        .filter(([, action]) => action.isReady)
        .map(([name, { parameters, text }]) => `${name}(${parameters.join(', ')}): ${text}`),
    }),
  };

  /** Of a tool without actions the only one has no name. */
  const plugin_dev_guide: Record<string, Projection> = {
    '': (_input, context) => runAction(actions['plugins.docs'], {}, context),
  };

  return { session, agent, task, repo, progress, ui, plugin_dev_guide, config, debug };
}
