/** Reads request bodies: JSON in UTF-8 or nothing, and on one row pictures. Other types are refused, so that no page can send one without a preflight. */
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, LIMITS, PICTURE_TYPES, type RouteId } from '../../contract/index.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new AppError('invalid_input', { detail: 'the body is not valid UTF-8' }, { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = error instanceof SyntaxError ? error.message : String(error);
    throw new AppError('invalid_input', { detail: `the body is not valid JSON (${detail})` }, { cause: error });
  }
}

/** Rows whose body is a document of any JSON type; everywhere else it is the set of arguments. */
const DOCUMENTS: ReadonlySet<string> = new Set<RouteId>(['config.file.write']);

/** Rows that judge the text themselves, since their refusals have a form of their own. */
const TEXTS: ReadonlySet<string> = new Set<RouteId>(['mcp.post']);

/** Rows that take a picture as well. */
const PICTURES: ReadonlySet<string> = new Set<RouteId>(['screenshots.upload']);

export function readDocument(bytes: Uint8Array): unknown {
  return bytes.length === 0 ? undefined : parse(decode(bytes));
}

export function readJson(bytes: Uint8Array): Record<string, unknown> {
  const value = readDocument(bytes);
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_input', { detail: 'the body must be a JSON object' });
  }
  return value as Record<string, unknown>;
}

/**
 * Refused by its announced length on every route, also where a body is not read at all. One that is not much too large is
 * read to its end first: closed under a caller that still writes, its own write fails, and it never reads why.
 */
export async function checkLength(request: FastifyRequest): Promise<void> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length <= LIMITS.requestBody) return;
  if (length <= LIMITS.refusedBody) {
    request.raw.resume();
    // A caller that leaves early wants no answer.
    await finished(request.raw, { writable: false }).catch(() => undefined);
  }
  throw new AppError('body_too_large');
}

export function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const id = request.routeOptions.config.route?.id ?? '';
      if (TEXTS.has(id)) {
        done(null, decode(body as Buffer));
        return;
      }
      const isDocument = DOCUMENTS.has(id);
      done(null, isDocument ? readDocument(body as Buffer) : readJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser([...PICTURE_TYPES], { parseAs: 'buffer' }, (request, body, done) => {
    if (PICTURES.has(request.routeOptions.config.route?.id ?? '')) done(null, body);
    else done(new AppError('invalid_input', { detail: 'Content-Type must be application/json' }));
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, {});
    else done(new AppError('invalid_input', { detail: 'Content-Type must be application/json' }));
  });
}
