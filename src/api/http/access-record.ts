/** What the access log keeps of a request: who wrote where and with which outcome, never what (http.md 19). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/index.ts';
import type { AccessEntry } from '../../contract/index.ts';
import type { ListenerKind } from './door.ts';

const CLIENT_ID = /^[\x21-\x7e]{1,64}$/;
const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

export interface AccessRecorder {
  /** A request that changes something, or tried to; undefined for one that reads. */
  ofRequest(request: FastifyRequest, reply: FastifyReply): AccessEntry | undefined;
  /** The first input over a stream. */
  ofStream(request: FastifyRequest): AccessEntry;
}

export interface AccessRecorderOptions {
  listener: ListenerKind;
  clock: Clock;
  /** The id behind any address of a session. */
  resolveSession(reference: string): string;
}

function isWrite({ method, routeOptions }: FastifyRequest): boolean {
  // The one GET that changes something uses a ticket up.
  if (routeOptions.config.route?.id === 'login') return true;
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

export function createAccessRecorder({ listener, clock, resolveSession }: AccessRecorderOptions): AccessRecorder {
  function describe(request: FastifyRequest, status: number, method: string): AccessEntry {
    const { visit } = request;
    const { id } = request.params as { id?: string };
    const reference = visit?.sessionId ?? id;
    const session = reference === undefined ? undefined : resolveSession(reference);
    const credential = visit?.caller?.credential ?? 'none';
    const { clientId } = visit?.caller ?? {};
    const fallback = listener === 'remote' ? (request.raw.socket.remoteAddress ?? 'gone') : credential;
    return {
      time_ms: clock.now(),
      listener,
      client: clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : fallback,
      credential,
      method,
      // The pattern, not the URL: a URL may carry a ticket or what a person typed.
      route: request.routeOptions.config.route?.path ?? 'unknown',
      status,
      ...(session !== undefined && SESSION_ID.test(session) ? { session_id: session } : {}),
      duration_ms: visit === null ? 0 : Math.round(clock.monotonic() - visit.arrivedAt),
    };
  }

  return {
    ofRequest: (request, reply) =>
      isWrite(request) ? describe(request, reply.statusCode, request.method.slice(0, 16)) : undefined,
    ofStream: (request) => describe(request, 101, 'WS'),
  };
}
