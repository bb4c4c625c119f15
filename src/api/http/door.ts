/**
 * Who may speak to a listener at all, before anything is known about the caller (D4): one Host that is ours, a target in origin
 * form, upgrades only where there is something to upgrade to, and no foreign Origin without a credential that browsers do not
 * send by themselves. Pure functions over the request; nothing here asks the domain.
 */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../contract/index.ts';

export type ListenerKind = 'ipc' | 'local' | 'remote';

export interface DoorRules {
  readonly listener: ListenerKind;
  /** Further Host names, with or without a port. */
  readonly allowedHosts: readonly string[];
  /** True for the addresses of this machine, which the remote listener answers to. */
  readonly isOwnAddress: (host: string) => boolean;
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** What the Host header says about the caller's way to us. */
export interface HostVerdict {
  /** In lower case, as sent. */
  host: string;
  isLoopback: boolean;
  /** `http` or `https`: how the connection itself was made. */
  scheme: 'http' | 'https';
}

function schemeOf({ socket }: IncomingMessage): HostVerdict['scheme'] {
  return 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') count++;
  }
  return count;
}

function isListed(allowedHosts: readonly string[], name: string, port: number | undefined, ownPort: number): boolean {
  for (const entry of allowedHosts) {
    const wanted = HOST.exec(entry.toLowerCase());
    if (wanted === null || wanted[1] !== name) continue;
    // Without a port the entry stands for the name behind a tunnel (no port) and for our own port.
    if (wanted[2] === undefined ? port === undefined || port === ownPort : Number(wanted[2]) === port) return true;
  }
  return false;
}

export function checkTarget(request: IncomingMessage): void {
  if (countHosts(request.rawHeaders) !== 1) {
    throw new AppError('invalid_input', { detail: 'exactly one Host header is needed' });
  }
  if (!request.url?.startsWith('/')) {
    throw new AppError('invalid_input', { detail: 'the request target must be a path' });
  }
}

export function checkHost(request: IncomingMessage, rules: DoorRules): HostVerdict {
  const host = (request.headers.host ?? '').toLowerCase();
  // A Unix socket has no name and no page can reach it; whatever a client calls it is fine.
  const scheme = schemeOf(request);
  if (rules.listener === 'ipc') return { host, isLoopback: false, scheme };
  const [, name, digits] = HOST.exec(host) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  const ownPort = request.socket.localPort;
  if (name === undefined || ownPort === undefined) throw new AppError('host_not_allowed');
  const usualPort = scheme === 'https' ? HTTPS_PORT : HTTP_PORT;
  if ((port ?? usualPort) === ownPort) {
    if (LOOPBACK_NAMES.has(name)) return { host, isLoopback: true, scheme };
    if (rules.listener === 'remote' && rules.isOwnAddress(name)) return { host, isLoopback: false, scheme };
  }
  if (isListed(rules.allowedHosts, name, port, ownPort)) return { host, isLoopback: false, scheme };
  throw new AppError('host_not_allowed');
}

/** Only WebSocket upgrades exist; other offers (h2c) are ignored, as HTTP allows. */
export function wantsWebSocket(request: IncomingMessage): boolean {
  return /(^|[\s,])websocket([\s,/]|$)/i.test(request.headers.upgrade ?? '');
}

export type OriginVerdict = 'absent' | 'own' | 'foreign';

export function judgeOrigin(request: IncomingMessage, verdict: HostVerdict, rules: DoorRules): OriginVerdict {
  const origin = request.headers.origin?.toLowerCase();
  if (origin === undefined) return 'absent';
  if (rules.listener === 'ipc') return 'foreign';
  if (origin === `${verdict.scheme}://${verdict.host}`) return 'own';
  // Behind a tunnel that ends TLS the page's origin is https; only names the owner listed can be meant.
  return !verdict.isLoopback && origin === `https://${verdict.host}` ? 'own' : 'foreign';
}
