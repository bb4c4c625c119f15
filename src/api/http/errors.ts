/** Maps every failure of a request onto the table of errors, and that onto the wire (http.md 1.4). */
import type { FastifyError, FastifyReply } from 'fastify';
import { AppError, type ErrorCode, PLAIN_TEXT_ERRORS } from '../../contract/index.ts';
import type { Log } from '../../platform/log/index.ts';
import { LOGIN_NOTICE_POLICY, renderLoginNotice } from './login-notice.ts';

const PLAIN_TEXT: ReadonlySet<ErrorCode> = new Set(PLAIN_TEXT_ERRORS);

const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('body_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError('invalid_input', { detail: 'the body does not fit Content-Length' }),
  FST_ERR_BAD_URL: () => new AppError('invalid_input', { detail: 'the path is not valid' }),
  FST_ERR_NOT_FOUND: () => new AppError('not_found', { what: 'route' }),
};

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && 'statusCode' in error && typeof error.statusCode === 'number';
}

/** The refusal to answer with; undefined for a fault of ours. */
export function toRefusal(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (!isFrameworkError(error)) return undefined;
  const known = FRAMEWORK_ERRORS[error.code];
  if (known !== undefined) return known();
  const status = error.statusCode ?? 500;
  return status >= 400 && status < 500 ? new AppError('invalid_input', { detail: error.message }) : undefined;
}

/**
 * Somebody followed a link on another site to us. Browsers keep our cookie back then, also after the redirect of a login link; a
 * page that comes again by itself is a visit of our own. It says nothing, so it may be shown to anybody, and the second visit is
 * marked, so it cannot loop.
 */
const AGAIN = '/?again';
const COME_AGAIN =
  `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${AGAIN}">` +
  '<title>TUICommander</title>';

function isVisitFromElsewhere({ request }: FastifyReply): boolean {
  const { headers } = request;
  return (
    request.method === 'GET' &&
    request.url !== AGAIN &&
    request.routeOptions.config.route?.kind === 'page' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site')
  );
}

/** A person looks at the answer, not a program. */
function isNavigation({ request }: FastifyReply): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = request.headers;
  return request.method === 'GET' && mode === 'navigate' && destination === 'document';
}

export function sendError(error: unknown, reply: FastifyReply, log: Log): void {
  const refusal = toRefusal(error);
  if (refusal === undefined || refusal.status >= 500) {
    // The pattern, not the URL: a URL may carry a ticket or what a person typed.
    log.error({ err: error, route: reply.request.routeOptions.url }, 'a request failed');
  }
  const answer = refusal ?? new AppError('internal', {}, { cause: error });
  void reply.code(answer.status).header('cache-control', 'no-store');
  if (answer.code === 'credential_required') void reply.header('www-authenticate', 'Bearer realm="TUICommander"');
  if (answer.code === 'login_required' || answer.code === 'login_failed') {
    void reply.header('www-authenticate', 'Basic realm="TUICommander", charset="UTF-8"');
  }
  if (answer.code === 'rate_limited') void reply.header('retry-after', String(answer.data.seconds ?? 1));
  if (answer.code === 'body_too_large') void reply.header('connection', 'close');
  if (answer.code === 'credential_required' && isVisitFromElsewhere(reply)) {
    void reply.header('content-type', 'text/html; charset=utf-8').send(COME_AGAIN);
    return;
  }
  if ((answer.code === 'credential_required' || answer.code === 'ticket_invalid') && isNavigation(reply)) {
    void reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', LOGIN_NOTICE_POLICY)
      .header('x-content-type-options', 'nosniff')
      .send(renderLoginNotice(answer.code, answer.message));
    return;
  }
  if (PLAIN_TEXT.has(answer.code)) {
    void reply.header('content-type', 'text/plain; charset=utf-8').send(`${answer.message}\n`);
    return;
  }
  void reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ error: answer.message, code: answer.code }));
}
