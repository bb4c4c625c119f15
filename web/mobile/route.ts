/** Addresses of the phone page: /mobile, and /mobile/session/<id or alias>. */
import type { Route } from './phone-state.ts';

const SESSION = /^\/mobile\/session\/([^/]+)\/?$/;

export function readRoute(path: string): Route {
  const encoded = SESSION.exec(path)?.[1];
  if (encoded === undefined) return { page: 'list' };
  try {
    return { page: 'session', reference: decodeURIComponent(encoded) };
  } catch (error) {
    // A cut or mistyped escape names no session.
    if (error instanceof URIError) return { page: 'list' };
    throw error;
  }
}

export function routePath(route: Route): string {
  return route.page === 'list' ? '/mobile' : `/mobile/session/${encodeURIComponent(route.reference)}`;
}
