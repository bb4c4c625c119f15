import { z } from 'zod';
import {
  hashPasswordSchema,
  listenersReportSchema,
  passwordHashSchema,
  secretsReportSchema,
} from '../actions/config.ts';
import { agentTabSchema } from '../actions/tabs.ts';
import {
  answerConfirmSchema,
  clientInfoSchema,
  doneSchema,
  focusSchema,
  issuedTicketSchema,
  loginQuerySchema,
  pendingConfirmSchema,
  ticketSchema,
} from '../actions/ui.ts';
import { json, type RouteDescription } from './model.ts';

const hash = {
  tag: 'Access',
  summary: 'Hash a password',
  detail: 'For `services.auth.password_hash`. At most 72 bytes, no zero byte. Nothing is stored.',
  body: { schema: hashPasswordSchema, example: { password: 'correct horse' } },
  answers: json(passwordHashSchema, 'Its bcrypt hash.'),
} as const satisfies RouteDescription;

const rotate = {
  tag: 'Access',
  summary: 'Log out every browser but this one',
  detail: 'Makes all login sessions void and ends their streams. A browser that asks stays logged in, by a new cookie.',
  answers: json(doneSchema, 'All others have to log in again.'),
  refuses: ['secrets_unavailable', 'storage_failed'],
  confirm: 'All other browsers have to log in again.',
} as const satisfies RouteDescription;

export const accessRoutes = {
  'login.ticket': {
    tag: 'Access',
    summary: 'Get a ticket that works once',
    detail: '`login`: for the login link of a browser. `stream`: for one WebSocket or event stream. It lives 60 s.',
    body: { schema: ticketSchema, example: { purpose: 'stream' }, isOptional: true },
    answers: json(issuedTicketSchema, 'The ticket.'),
  },
  login: {
    tag: 'Access',
    summary: 'Log a browser in by its link',
    detail: 'Uses the ticket up, sets the cookie `tui-session-<port>` and leads to the workspace. Not over IPC.',
    query: loginQuerySchema,
    answers: [
      { status: 303, what: 'Logged in.', headers: { 'Set-Cookie': 'The login session.', Location: 'The workspace.' } },
    ],
    refuses: ['ticket_invalid', 'forbidden', 'not_found'],
  },
  'config.hash-password': hash,
  'auth.hash-password': hash,
  'auth.rotate-token': rotate,
  'auth.rotate-session-token': rotate,
  'diagnostics.listeners': {
    tag: 'Access',
    summary: 'Where the server listens',
    answers: json(listenersReportSchema, 'Each listener, or why it does not listen.'),
  },
  'diagnostics.secrets': {
    tag: 'Access',
    summary: 'Where secrets are kept',
    answers: json(secretsReportSchema, 'The store, never what is in it.'),
  },
  'clients.list': {
    tag: 'Clients',
    summary: 'List connected clients',
    detail: 'Windows that hold `GET /events?client_id=` open.',
    answers: json(z.array(clientInfoSchema), 'The clients.'),
  },
  'clients.focus': {
    tag: 'Clients',
    summary: 'Tell whether a window has the focus',
    body: { schema: focusSchema, example: { focused: true } },
    answers: json(doneSchema, 'Noted.'),
    refuses: ['not_found'],
  },
  'confirms.list': {
    tag: 'Clients',
    summary: 'List the questions that wait for a person',
    detail:
      'What agents ask by `ui confirm`, oldest first. A question ends by an answer, by its time, or when its caller leaves.',
    answers: json(z.array(pendingConfirmSchema), 'The questions.'),
  },
  'confirms.answer': {
    tag: 'Clients',
    summary: 'Answer a question',
    detail: 'Of two answers the first counts; the other is told 404.',
    body: { schema: answerConfirmSchema, example: { confirmed: true } },
    answers: json(doneSchema, 'Answered.'),
    refuses: ['not_found'],
  },
  'tabs.list': {
    tag: 'Clients',
    summary: 'List the tabs of agents',
    detail: 'What agents opened by `ui tab`, oldest first. A tab goes with the session that opened it, or by `DELETE`.',
    answers: json(z.array(agentTabSchema), 'The tabs.'),
  },
  'tabs.close': {
    tag: 'Clients',
    summary: 'Close a tab of an agent',
    detail: 'In every window. What it showed can no longer be read.',
    path: { tab_id: z.string().describe('Id of the tab.') },
    answers: json(doneSchema, 'Closed.'),
    refuses: ['not_found'],
  },
  'tabs.file': {
    tag: 'Clients',
    summary: 'What a tab of an agent shows',
    detail:
      'The ticket of the tab is the credential; it opens the files of its own tab, as long as that is open, and nothing else. Files lie in ' +
      'the folder of the file that was opened and in a registered repository, links included. Scripts run without an origin.',
    path: {
      ticket: z.string().describe('From `frame_url` of the tab.'),
      path: z.string().describe('From the folder of the file; may contain slashes.'),
    },
    answers: [
      {
        status: 200,
        what: 'The file.',
        type: 'application/octet-stream',
        headers: { 'Content-Security-Policy': '`sandbox allow-scripts`; `sandbox` in a preview.' },
      },
    ],
    refuses: ['tab_ticket_invalid', 'not_found', 'access_denied'],
  },
} as const satisfies Record<string, RouteDescription>;
