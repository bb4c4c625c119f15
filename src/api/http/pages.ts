/** Serves the workspace's files and the login link (http.md 1.5, 20). */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, loginQuerySchema } from '../../contract/index.ts';
import type { AccessService } from '../../domain/access/index.ts';
import { parseInput } from '../actions.ts';
import { cookieName } from './authentication.ts';
import type { ListenerKind } from './door.ts';
import { methodsOf } from './exposure.ts';
import type { Visit } from './types.ts';

const PAGE = 'index.html';
const API_PAGE = 'api/index.html';
const PHONE_PAGE = 'mobile.html';
/** The phone page and the addresses inside it (http.md 20). */
const PHONE_PATH = /^mobile(?:\/|$)/;
const ASSETS = 'assets/';
const NEVER_CACHED = new Set(['sw.js', 'mobile-manifest.json']);

/**
 * `host` was checked against the list of our own names, so it may stand in a policy. Terminals set styles from script. The workspace frames
 * the pages that agents name, always in a sandbox; what it runs itself stays its own.
 */
function contentPolicy(host: string, path: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ws://${host} wss://${host}`,
    "worker-src 'self' blob:",
    path === PAGE ? "frame-src 'self' http: https:" : "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function setPageHeaders(reply: FastifyReply, path: string, visit: Visit): void {
  void reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer');
  if (path.endsWith('.html')) {
    void reply
      .header('content-security-policy', contentPolicy(visit.host.host, path))
      .header('x-frame-options', 'DENY');
    // Browsers ignore it from elsewhere over plain HTTP, and complain.
    const { isLoopback, scheme } = visit.host;
    if (isLoopback || scheme === 'https') void reply.header('cross-origin-opener-policy', 'same-origin');
  }
  if (path.endsWith('.html') || NEVER_CACHED.has(path)) void reply.header('cache-control', 'no-cache');
  else if (path.startsWith(ASSETS)) void reply.header('cache-control', 'public, max-age=31536000, immutable');
  else void reply.header('cache-control', 'public, max-age=86400');
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // Missing, below a file, too long: whatever the reason, there is no such file to serve.
    return false;
  }
}

function isPhone({ headers }: FastifyRequest): boolean {
  return /Mobile/.test(headers['user-agent'] ?? '');
}

export async function servePage(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  directory: string | undefined,
): Promise<FastifyReply> {
  const rest = (request.params as { '*'?: string })['*'] ?? '';
  const methods = methodsOf(`/${rest}`);
  if (methods.length > 0) {
    void reply.header('allow', methods.join(', '));
    throw new AppError('method_not_allowed');
  }
  if (directory === undefined || !(await isFile(join(directory, PAGE)))) {
    throw new AppError('not_found', { what: 'the workspace page. Run "npm run build"' });
  }
  if (rest === '' && isPhone(request)) {
    return reply.header('cache-control', 'no-store').header('vary', 'user-agent').redirect('/mobile', 302);
  }
  const isPlain = !rest.split('/').some((part) => part.startsWith('.')) && !/[\\\0]/.test(rest);
  const isOurs = isPlain && rest !== '' && (await isFile(join(directory, rest)));
  // A page in place of a missing script would be kept for a year.
  if (!isOurs && rest.startsWith(ASSETS)) throw new AppError('not_found', { what: 'file' });
  return sendPage(reply, isOurs ? rest : PHONE_PATH.test(rest) ? PHONE_PAGE : PAGE, visit, directory);
}

function sendPage(reply: FastifyReply, path: string, visit: Visit, directory: string): FastifyReply {
  setPageHeaders(reply, path, visit);
  return reply.sendFile(path, directory, { cacheControl: false, acceptRanges: false });
}

/** The description of the API for people. */
export async function serveApiPage(
  reply: FastifyReply,
  visit: Visit,
  directory: string | undefined,
): Promise<FastifyReply> {
  if (directory === undefined || !(await isFile(join(directory, API_PAGE)))) {
    throw new AppError('not_found', { what: 'the page of the API. Run "npm run build"' });
  }
  return sendPage(reply, API_PAGE, visit, directory);
}

/** `seconds` of 0: until the browser closes. */
export function sessionCookie(
  session: string,
  { seconds, port, isSecure }: { seconds: number; port: number; isSecure: boolean },
): string {
  const age = seconds > 0 ? `; Max-Age=${seconds}` : '';
  return `${cookieName(port)}=${session}; HttpOnly; SameSite=Strict; Path=/${isSecure ? '; Secure' : ''}${age}`;
}

function isPrefetch({ headers }: FastifyRequest): boolean {
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-moz'] ?? ''}`;
  return /prefetch|prerender|preview/i.test(purpose);
}

/** The one GET that changes something: it uses the ticket up. */
export async function logIn(
  request: FastifyRequest,
  reply: FastifyReply,
  options: { access: AccessService; listener: ListenerKind; isSecure: boolean; holderOf: () => Promise<string> },
): Promise<FastifyReply> {
  const { ticket } = parseInput(loginQuerySchema, request.query);
  if (isPrefetch(request)) throw new AppError('forbidden', { reason: 'a login link is not fetched in advance' });
  const port = request.raw.socket.localPort;
  if (options.listener === 'ipc' || port === undefined) throw new AppError('not_found', { what: 'login over IPC' });
  const { access, isSecure } = options;
  // Asked before the ticket is used up, and the only wait here: of two redemptions one wins.
  const holder = await options.holderOf();
  if (access.redeemTicket(ticket, 'login') === undefined) throw new AppError('ticket_invalid');
  return reply
    .header(
      'set-cookie',
      sessionCookie(access.issueSession(holder), { seconds: access.sessionSeconds, port, isSecure }),
    )
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect('/', 303);
}
