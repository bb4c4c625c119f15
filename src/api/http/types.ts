import type { Route } from '../../contract/index.ts';
import type { Caller } from '../actions.ts';
import type { Login } from './authentication.ts';
import type { Deadline } from './deadline.ts';
import type { HostVerdict, OriginVerdict } from './door.ts';

/** What the hooks find out about a request, before its handler runs. */
export interface Visit {
  readonly host: HostVerdict;
  readonly origin: OriginVerdict;
  readonly deadline: Deadline;
  readonly arrivedAt: number;
  caller?: Caller;
  login?: Login;
  /** A session that the request made, or one that it changed without naming it. */
  sessionId?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }
  interface FastifyRequest {
    visit: Visit | null;
  }
}
