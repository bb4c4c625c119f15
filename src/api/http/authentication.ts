/**
 * Finds out who the caller is (D3, http.md 1.5). Order: cookie, bearer token, stream ticket, same user by the kernel. A wrong
 * credential is never saved by a later step, and a stream ticket is used up wherever it is shown. A cookie counts only for
 * requests of our own pages: SameSite does not separate ports, so it is no proof by itself. On loopback it also counts only for
 * the user it was given to: the browser shows it to every port of the name, so another user's server may have seen it.
 *
 * Basic counts like a cookie: browsers send it by themselves once they know it. The remote listener knows the cookie, Basic and
 * tickets only, and nobody by his address; its sessions belong to the name and password they were opened with.
 *
 * The right bearer token passes even while its address is held back for failed tries: 256 random bits need no limit, and a page
 * that fails on purpose must not lock the owner out.
 */
import type { FastifyRequest } from 'fastify';
import { AppError, type Route } from '../../contract/index.ts';
import type { AccessService } from '../../domain/access/index.ts';
import { isLoopbackAddress, type SameUserCheck } from '../../platform/net/index.ts';
import type { Caller, Credential } from '../actions.ts';
import type { HostVerdict, ListenerKind, OriginVerdict } from './door.ts';

export interface AuthenticationOptions {
  listener: ListenerKind;
  access: AccessService;
  isSameUser: SameUserCheck;
  configDirectory: string;
  log: { warn(fields: object, message: string): void };
}

export interface Arrival {
  request: FastifyRequest;
  route: Route | undefined;
  host: HostVerdict;
  origin: OriginVerdict;
}

/** Sec-Fetch-Mode is not among them: Node's own fetch sends it, and browsers never send it alone. */
const HINTS = /^(?:forwarded|via|x-real-ip|x-forwarded-.*|sec-fetch-(?:site|dest|user))$/;
/** Holder of a session where the kernel cannot tell users apart, and of one given out through a tunnel. */
const ANYBODY = 'anybody';
const BROWSER = /Mozilla\//i;

export function cookieName(port: number): string {
  return `tui-session-${port}`;
}

/** All values of a cookie: another port may have planted a second one, which must not hide ours. */
export function cookieValues(header: string | undefined, name: string): string[] {
  const values: string[] = [];
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) values.push(part.slice(at + 1).trim());
  }
  return values;
}

function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** Name and password of a Basic header; the name ends at the first colon. */
function basicOf(header: string | undefined): { username: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const at = text.indexOf(':');
  return at < 0 ? undefined : { username: text.slice(0, at), password: text.slice(at + 1) };
}

function ticketOf(request: FastifyRequest, route: Route | undefined): string | undefined {
  if (route?.ticket !== 'stream') return undefined;
  const query = request.query as Record<string, unknown>;
  return typeof query.ticket === 'string' ? query.ticket : undefined;
}

/** A request of one of our own pages, or one typed by the person. Streams and changes need positive proof. */
function isOwnPage({ request, route, origin }: Arrival): boolean {
  const site = request.headers['sec-fetch-site'];
  if (origin === 'foreign') return false;
  if (origin === 'own' || site === 'same-origin') return site === undefined || site === 'same-origin';
  const needsProof = route?.ticket === 'stream' || (request.method !== 'GET' && request.method !== 'HEAD');
  return !needsProof && (site === undefined || site === 'none');
}

/** As for a cookie, or a program that is no browser, or a link that somebody followed to a page. */
function mayRestOnBasic(arrival: Arrival): boolean {
  const { request, route, origin } = arrival;
  const site = request.headers['sec-fetch-site'];
  if (origin === 'absent' && site === undefined) return true;
  return isOwnPage(arrival) || (route?.kind === 'page' && request.headers['sec-fetch-mode'] === 'navigate');
}

/**
 * The page in a tab of an agent shows a file of its own: a picture, a style, a script. It has no origin and says so, and its browser gives
 * it nothing to read. What it would read comes in another mode, and is refused like that of any other page.
 */
function isShownInTab({ request: { headers }, route }: Arrival): boolean {
  return route?.ticket === 'file' && headers.origin === 'null' && headers['sec-fetch-mode'] === 'no-cors';
}

/** Nothing may hint at a browser or at a forwarder: both speak with the owner's own connections. */
function looksLikeOwnProgram({ request, host, origin }: Arrival): boolean {
  const { headers, socket } = request.raw;
  if (!host.isLoopback || origin !== 'absent' || !isLoopbackAddress(socket.remoteAddress)) return false;
  if (headers.referer !== undefined || BROWSER.test(headers['user-agent'] ?? '')) return false;
  return !Object.keys(headers).some((name) => HINTS.test(name));
}

/** The login session that a request came in by. */
export interface Login {
  holder: string;
  /** Its answer brings the cookie. */
  isNew: boolean;
}

export interface Entry {
  caller: Caller;
  login?: Login;
}

type Enter = (credential: Credential, isLoggedIn: boolean) => Entry;

export interface Authentication {
  authenticate(arrival: Arrival): Promise<Entry>;
  /** To whom a login session is given on this connection. */
  holderOf(arrival: Pick<Arrival, 'request' | 'host'>): Promise<string>;
}

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { access, isSameUser, listener } = options;
  const isRemote = listener === 'remote';
  const nextStep =
    `run "tuic open" for a login link, or send "Authorization: Bearer" with the content of ` +
    `${options.configDirectory}/token`;

  async function holderOf({ request, host }: Pick<Arrival, 'request' | 'host'>): Promise<string> {
    const { socket } = request.raw;
    if (isRemote) return access.remoteHolder();
    if (!host.isLoopback || !isLoopbackAddress(socket.remoteAddress)) return ANYBODY;
    const uid = await isSameUser.uidOf(socket);
    return uid === undefined ? ANYBODY : `user-${uid}`;
  }

  /** Whom the login session of the cookie belongs to; undefined when there is none that counts here. */
  async function findLogin(arrival: Arrival): Promise<string | undefined> {
    const port = arrival.request.raw.socket.localPort;
    if (port === undefined) return undefined;
    for (const value of cookieValues(arrival.request.headers.cookie, cookieName(port))) {
      const holder = access.holderOfSession(value);
      if ((holder === ANYBODY && !isRemote) || (holder !== undefined && holder === (await holderOf(arrival))))
        return holder;
    }
    return undefined;
  }

  function wrongCredential(): AppError {
    return new AppError('credential_required', { next: `the one sent is not valid; ${nextStep}` });
  }

  /** Name and password. On the remote listener they open a login session; scripts on this machine have no use for one. */
  async function enterByPassword(arrival: Arrival, enter: Enter): Promise<Entry> {
    const address = arrival.request.raw.socket.remoteAddress ?? '';
    const refuse = () => (isRemote ? new AppError('login_failed') : wrongCredential());
    const seconds = access.failures.secondsToWait(address);
    if (seconds > 0) throw new AppError('rate_limited', { seconds });
    const basic = basicOf(arrival.request.headers.authorization);
    if (basic === undefined) {
      access.failures.noteFailure(address);
      throw refuse();
    }
    if (!mayRestOnBasic(arrival)) throw isRemote ? new AppError('login_required') : refuse();
    const result = await access.passwords.check({ ...basic, address });
    if (result.kind === 'held') throw new AppError('rate_limited', { seconds: result.seconds });
    if (result.kind === 'wrong') {
      options.log.warn({ listener, address }, 'a login with name and password failed');
      throw refuse();
    }
    const entry = enter('basic', true);
    return isRemote ? { ...entry, login: { holder: access.remoteHolder(), isNew: true } } : entry;
  }

  async function authenticate(arrival: Arrival): Promise<Entry> {
    const { request, route, origin } = arrival;
    const ticket = ticketOf(request, route);
    const redeemed = ticket === undefined ? undefined : access.redeemTicket(ticket, 'stream');
    const { authorization } = request.headers;
    const bearer = bearerOf(authorization);
    // A token that lies on this machine is no credential for another one.
    const isBearer = !isRemote && bearer !== undefined && access.isBearerToken(bearer);

    const clientId = request.headers['x-tuic-client'];
    const enter: Enter = (credential, isLoggedIn) => ({
      caller: { credential, isLoggedIn, isRemote, ...(typeof clientId === 'string' ? { clientId } : {}) },
    });

    if (origin === 'foreign' && !isBearer && redeemed === undefined && !isShownInTab(arrival))
      throw new AppError('origin_not_allowed');
    if (listener === 'ipc') return enter('ipc', false);
    // A login link and the files of a tab carry their own credential; their handlers judge it.
    if (route?.ticket === 'login' || route?.ticket === 'file') return enter('none', false);
    const holder = isOwnPage(arrival) ? await findLogin(arrival) : undefined;
    if (holder !== undefined) return { ...enter('cookie', true), login: { holder, isNew: false } };
    if (isBearer) return enter('bearer', false);
    if (authorization !== undefined) return enterByPassword(arrival, enter);
    if (redeemed !== undefined) return enter('ticket', redeemed.isLoggedIn);
    if (ticket !== undefined) throw new AppError('ticket_invalid');
    if (isRemote) throw new AppError('login_required');
    if (looksLikeOwnProgram(arrival) && (await isSameUser(request.raw.socket))) {
      return enter('same-user', false);
    }
    throw new AppError('credential_required', { next: nextStep });
  }

  return { authenticate, holderOf };
}
