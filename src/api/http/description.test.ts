/** What the description of the API says against what is answered: shapes of answers, and the codes of refusals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cleanup } from '../../../test/kit/cleanup.ts';
import { startFront } from '../../../test/kit/front.ts';
import { type Answer, ApiClient } from '../../../test/kit/http.ts';
import { entryOf, pathOf } from '../../../test/kit/route-entries.ts';
import { ROUTE_DESCRIPTIONS, refusalsOf } from '../../contract/api-description/index.ts';
import { ERRORS, type ErrorCode, ROUTES, type Route, type RouteId } from '../../contract/index.ts';

const cleanup = new Cleanup();
let api: ApiClient;

beforeAll(async () => {
  const front = await startFront(cleanup);
  api = new ApiClient(front.ipc);
});

afterAll(() => cleanup.run());

const BAD_BODIES = ['{', '[]', '{}', '{"data":1,"rows":0,"cols":501,"name":5,"enabled":"x","mode":"x","pid":1}'];
const BAD_QUERY = 'limit=-1&offset=x&lifecycle=x&mode=x&format=x&after=x&since=x&level=x';

const served = ROUTES.filter((route: Route) => route.kind === 'json' || route.kind === 'bytes');
const rows = served.map((route: Route) => [`${route.method} ${route.path}`, route] as const);

function describedAnswer(route: Route, { status }: Answer) {
  const found = ROUTE_DESCRIPTIONS[route.id as RouteId].answers.find((answer) => answer.status === status);
  expect([route.id, status, found !== undefined]).toEqual([route.id, status, true]);
  return found;
}

/** A body that its schema tells: nothing is in it that has no name there, at any depth. */
function checkAnswer(route: Route, answer: Answer): void {
  const described = describedAnswer(route, answer);
  const type = String(answer.headers['content-type'] ?? '');
  if (described?.schema === undefined) {
    expect(type).toBe(described?.type ?? '');
    return;
  }
  expect(type).toContain('application/json');
  // Parsing drops what no schema names, and adds defaults to what is open.
  expect([described.schema.parse(answer.json())]).toMatchObject([answer.json()]);
  for (const name of Object.keys(described.headers ?? {})) expect(answer.headers).toHaveProperty(name.toLowerCase());
}

/** What the endpoint itself refuses has the form of its protocol, and its codes (TRN-11). */
function checkProtocolRefusal(route: Route, answer: Answer): void {
  const { error } = answer.json() as { error: { code: number; message: string } };
  expect([route.id, error.code < -32_000, error.message !== '']).toEqual(['mcp.post', true, true]);
  describedAnswer(route, answer);
}

function checkRefusal(route: Route, { status, text }: Answer): ErrorCode {
  const { code, error } = JSON.parse(text) as { code: ErrorCode; error: string };
  expect([route.id, refusalsOf(route)]).toEqual([route.id, expect.arrayContaining([code])]);
  expect([code, status, error !== '']).toEqual([code, ERRORS[code].status, true]);
  return code;
}

describe.each(rows)('description of %s', (_name, route) => {
  it('tells the shape of the answer', async () => {
    const { body, passes } = entryOf(route);
    const answer = await api.request(route.method, pathOf(route), body === undefined ? {} : { rawBody: body });
    if (passes < 400) checkAnswer(route, answer);
    else checkRefusal(route, answer);
  });

  it('names every refusal that bad input meets', async () => {
    const paths = [pathOf(route), pathOf(route).replace('known', 'nobody').replace('notes', 'nothing')];
    if (route.path.includes(':id')) paths.push(pathOf(route).replace('known', 'gone'));
    const hasBody = route.method === 'POST' || route.method === 'PUT';
    for (const path of new Set(paths)) {
      const answers = hasBody
        ? await Promise.all(BAD_BODIES.map((rawBody) => api.request(route.method, path, { rawBody })))
        : [
            await api.request(route.method, `${path}${path.includes('?') ? '&' : '?'}${BAD_QUERY}`),
            await api.request(route.method, path),
          ];
      for (const answer of answers) {
        if (answer.status < 400) describedAnswer(route, answer);
        else if (answer.text.includes('"jsonrpc"')) checkProtocolRefusal(route, answer);
        else checkRefusal(route, answer);
      }
    }
  });
});

describe('description of sessions', () => {
  it('names the refusal of an unknown one wherever there is one', async () => {
    for (const route of served.filter(({ path }) => path.includes('/:id'))) {
      const { body } = entryOf(route);
      const path = pathOf(route).replace('known', 'nobody');
      const answer = await api.request(route.method, path, body === undefined ? {} : { rawBody: body });
      if (route.id === 'session.shell-family') expect(answer.json()).toBe(null);
      else expect([route.id, checkRefusal(route, answer)]).toEqual([route.id, 'session_not_found']);
    }
  });
});
