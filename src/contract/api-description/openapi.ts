/**
 * OpenAPI 3.1 from the route table, its descriptions and the table of errors. Pure: the same contract gives the same document,
 * to the byte. Schemas that carry an id become components; refusals that any request may meet stand there once.
 */
import { z } from 'zod';
import { ERRORS, type ErrorCode, PLAIN_TEXT_ERRORS } from '../errors.ts';
import { ROUTES, type Route, type RouteId } from '../routes.ts';
import { ROUTE_DESCRIPTIONS } from './descriptions.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import type { AnswerDescription, RouteDescription } from './model.ts';

export type JsonSchema = Record<string, unknown>;

export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface OpenApiContent {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, OpenApiContent>;
}

export interface OpenApiOperation {
  operationId: RouteId;
  tags: string[];
  summary: string;
  description: string;
  parameters?: OpenApiParameter[];
  requestBody?: { required: boolean; content: Record<string, OpenApiContent> };
  responses: Record<string, OpenApiResponse | { $ref: string }>;
  /** Listeners that serve it. */
  'x-tuic-listeners': string[];
  'x-tuic-stream'?: 'websocket' | 'server-sent-events';
  /** What a form asks a person before it sends this. */
  'x-tuic-confirm'?: string;
}

export interface OpenApi {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    securitySchemes: Record<string, Record<string, string>>;
    schemas: Record<string, JsonSchema>;
    responses: Record<string, OpenApiResponse>;
  };
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';

/** Any request may meet these, at the door or on the way. */
const COMMON: Readonly<Record<string, readonly ErrorCode[]>> = {
  InvalidInput: ['invalid_input'],
  Unauthorized: ['credential_required', 'login_required', 'login_failed', 'ticket_invalid'],
  Forbidden: ['host_not_allowed', 'origin_not_allowed'],
  Timeout: ['request_timeout'],
  TooLarge: ['body_too_large'],
  RateLimited: ['rate_limited'],
  Internal: ['internal'],
};

const PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  id: z.string().describe('Id, alias (`pr-1`) or identity of the session.'),
  request_id: z.string().describe('Id of the question or request.'),
  client_id: z.string().describe('Id that the client gave to `GET /events`.'),
};

const ERROR: JsonSchema = {
  type: 'object',
  description: 'Every refusal that is JSON. Decide by `code`; `error` is for a person.',
  properties: { error: { type: 'string' }, code: { type: 'string', enum: Object.keys(ERRORS) } },
  required: ['error', 'code'],
};

type Schemas = Record<string, JsonSchema>;

/** Collects named schemas, so that each is written once. */
function createSchemaWriter(components: Schemas) {
  function moveReferences(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(moveReferences);
    if (typeof value !== 'object' || value === null) return value;
    const moved = Object.entries(value).map(([key, inner]): [string, unknown] => {
      const isReference = key === '$ref' && typeof inner === 'string';
      return [key, isReference ? inner.replace('#/$defs/', '#/components/schemas/') : moveReferences(inner)];
    });
    return Object.fromEntries(moved);
  }

  /** `input`: what may be sent, or how an answer looks, open for what comes later. `output`: the value after its defaults. */
  return function write(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonSchema {
    const { $schema, $defs = {}, ...rest } = z.toJSONSchema(schema, { io }) as JsonSchema & { $defs?: Schemas };
    for (const [name, definition] of Object.entries($defs)) components[name] = moveReferences(definition) as JsonSchema;
    return moveReferences(rest) as JsonSchema;
  };
}

type WriteSchema = ReturnType<typeof createSchemaWriter>;

/** `/sessions/:id` → `/sessions/{id}`, and a trailing star is a parameter of its own. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
}

function describeParameter(
  write: WriteSchema,
  place: 'path' | 'query',
  name: string,
  schema: z.ZodType,
): OpenApiParameter {
  const { description, ...rest } = write(schema, 'output');
  return {
    name,
    in: place,
    required: place === 'path' || !schema.safeParse(undefined).success,
    ...(typeof description === 'string' ? { description } : {}),
    schema: rest,
  };
}

function describeParameters(write: WriteSchema, route: Route, description: RouteDescription): OpenApiParameter[] {
  const names = [...templateOf(route.path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const path = names.map((name) => {
    const schema = description.path?.[name] ?? PARAMETERS[name];
    if (schema === undefined) throw new Error(`${route.id}: the path parameter ${name} is not described`);
    return describeParameter(write, 'path', name, schema);
  });
  const query = Object.entries(description.query?.shape ?? {}).map(([name, schema]) =>
    describeParameter(write, 'query', name, schema as z.ZodType),
  );
  const headers = Object.entries(description.headers ?? {}).map(
    ([name, text]): OpenApiParameter => ({
      name,
      in: 'header',
      required: false,
      description: text,
      schema: { type: 'string' },
    }),
  );
  return [...path, ...query, ...headers];
}

function describeAnswer(write: WriteSchema, answer: AnswerDescription): OpenApiResponse {
  const headers = Object.entries(answer.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const content =
    answer.schema !== undefined
      ? { [JSON_TYPE]: { schema: write(answer.schema) } }
      : answer.type !== undefined
        ? { [answer.type]: { schema: { type: 'string' } } }
        : undefined;
  return {
    description: answer.what,
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
    ...(content === undefined ? {} : { content }),
  };
}

function describeRefusals(codes: readonly ErrorCode[]): OpenApiResponse {
  const lines = codes.map((code) => `- \`${code}\`: ${ERRORS[code].message}`);
  const texts = codes.filter((code) => PLAIN_TEXT_ERRORS.includes(code));
  const others = codes.filter((code) => !PLAIN_TEXT_ERRORS.includes(code));
  const examples = others.map((code) => [code, { summary: code, value: { error: ERRORS[code].message, code } }]);
  return {
    description: lines.join('\n'),
    content: {
      ...(others.length > 0
        ? { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) } }
        : {}),
      ...(texts.length > 0 ? { [TEXT_TYPE]: { schema: { type: 'string' } } } : {}),
    },
  };
}

/** All codes that a route may answer, besides its own answers. */
export function refusalsOf(route: Route): ErrorCode[] {
  const { refuses = [] } = ROUTE_DESCRIPTIONS[route.id as RouteId];
  const byGuard: ErrorCode[] = route.guard === 'none' ? [] : ['forbidden'];
  const byAbsence: ErrorCode[] = route.exposure === 'local' ? ['not_found'] : [];
  return [...new Set([...Object.values(COMMON).flat(), ...byGuard, ...byAbsence, ...refuses])];
}

function describeResponses(
  write: WriteSchema,
  route: Route,
  description: RouteDescription,
): OpenApiOperation['responses'] {
  const responses: OpenApiOperation['responses'] = {};
  for (const answer of description.answers) responses[answer.status] = describeAnswer(write, answer);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of refusalsOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    const common = Object.entries(COMMON).find(([, list]) => list.join() === codes.join());
    responses[status] =
      common === undefined ? describeRefusals(codes) : { $ref: `#/components/responses/${common[0]}` };
  }
  return responses;
}

function describeListeners({ exposure, guard }: Route): string {
  if (exposure === 'local') return 'Served over IPC and local TCP only; the remote listener does not have it.';
  if (guard === 'none') return 'Served on every listener.';
  return 'Served on every listener: to callers on this machine, and to whoever is logged in remotely.';
}

function describeOperation(write: WriteSchema, route: Route): OpenApiOperation {
  const id = route.id as RouteId;
  const description = ROUTE_DESCRIPTIONS[id];
  const { body, confirm } = description;
  const parameters = describeParameters(write, route, description);
  return {
    operationId: id,
    tags: [description.tag],
    summary: description.summary,
    description: [...(description.detail === undefined ? [] : [description.detail]), describeListeners(route)].join(
      '\n\n',
    ),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.isOptional !== true,
            content: {
              [JSON_TYPE]: {
                schema: write(body.schema),
                ...(body.example === undefined ? {} : { example: body.example }),
              },
              ...Object.fromEntries(
                (body.otherTypes ?? []).map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
              ),
            },
          },
        }),
    responses: describeResponses(write, route, description),
    'x-tuic-listeners': route.exposure === 'local' ? ['ipc', 'local'] : ['ipc', 'local', 'remote'],
    ...(route.kind === 'upgrade' ? { 'x-tuic-stream': 'websocket' } : {}),
    ...(route.kind === 'stream' ? { 'x-tuic-stream': 'server-sent-events' } : {}),
    ...(confirm === undefined ? {} : { 'x-tuic-confirm': confirm }),
  };
}

/** `version` is that of the server. */
export function describeApi(version: string): OpenApi {
  const schemas: Schemas = { Error: ERROR };
  const write = createSchemaWriter(schemas);
  const paths: OpenApi['paths'] = {};
  for (const route of ROUTES) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(write, route) };
  }
  const responses = Object.entries(COMMON).map(([name, codes]) => [name, describeRefusals(codes)]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'TUICommander',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that this description came from' }],
    security: [{}, { bearer: [] }, { password: [] }, { cookie: [] }],
    tags: Object.entries(TAGS).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Local TCP: the content of `token` in the configuration directory.',
        },
        password: { type: 'http', scheme: 'basic', description: 'Name and password of the remote listener.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tui-session-9876',
          description: 'Login session of a browser. The number is the port.',
        },
      },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(responses),
    },
  };
}
