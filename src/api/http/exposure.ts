/** Which rows of the route table a listener serves, and to whom (D2, http.md 1.6, 1.7). */
import type { FastifyRequest } from 'fastify';
import { AppError, ROUTES, type Route } from '../../contract/index.ts';
import type { Caller } from '../actions.ts';
import type { ListenerKind } from './door.ts';

export function isServedOn(route: Route, listener: ListenerKind): boolean {
  return listener !== 'remote' || route.exposure === 'everywhere';
}

function matches(path: string, parts: readonly string[]): boolean {
  const wanted = path.split('/');
  return (
    wanted.length === parts.length &&
    wanted.every((part, at) => part === parts[at] || (part.startsWith(':') && parts[at] !== ''))
  );
}

/** The rows of the API that this path belongs to; the workspace's GET * is none. */
function rowsOf(pathname: string): Route[] {
  const parts = pathname.split('/');
  return ROUTES.filter(({ path }) => matches(path, parts));
}

/** Methods of the API on this path; empty when the path is no API path. */
export function methodsOf(pathname: string): string[] {
  return [...new Set(rowsOf(pathname).map(({ method }) => method))];
}

/** A path whose rows are absent here does not exist, for any method: it is not the workspace's page either. */
export function createAbsence(listener: ListenerKind): { isAbsent(request: FastifyRequest): boolean } {
  return {
    isAbsent(request) {
      if (listener !== 'remote') return false;
      const rows = rowsOf(decodePath(request.url));
      const here = rows.filter((route) => isServedOn(route, listener));
      if (here.length === 0) return rows.length > 0;
      return (
        rows.some(({ method }) => method === request.method) && !here.some(({ method }) => method === request.method)
      );
    },
  };
}

function decodePath(url: string): string {
  const path = url.split(/[?#;]/, 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    // The router refuses it too.
    return path;
  }
}

export function checkGuard(route: Route | undefined, caller: Caller | undefined): void {
  if (route === undefined || route.guard === 'none' || caller?.isRemote === false) return;
  if (route.guard === 'localOrAuth' && caller?.isLoggedIn === true) return;
  throw new AppError('forbidden', { reason: 'this is possible on the machine of the server only' });
}
