/** The description of the API (issue 3.8): valid OpenAPI, every route of the table and nothing else, pinned, and written down. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { describeApi, ROUTE_DESCRIPTIONS } from '../../src/contract/api-description/index.ts';
import { ROUTES, type Route } from '../../src/contract/index.ts';
import { checkPin, comparePin } from './pin.ts';
import { renderReference } from './reference.ts';

// The version of the package would make each release a change of the pin.
const api = describeApi('0.0.0');
const REFERENCE = join(import.meta.dirname, '../../docs/reference/http.md');

function* operations() {
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) yield { path, method, operation };
  }
}

async function validate(document: object) {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>);
  return { valid, errors, version: validator.version };
}

describe('description of the API', () => {
  it('is valid OpenAPI 3.1, by a validator that can say no', async () => {
    expect(await validate(api)).toEqual({ valid: true, errors: undefined, version: '3.1' });
    expect((await validate({ ...api, paths: { '/health': { get: { responses: 7 } } } })).valid).toBe(false);
  });

  it('holds every route of the table and nothing else', () => {
    const described = [...operations()].map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const served = ROUTES.map(
      ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
    );
    expect(described.sort()).toEqual(served.sort());
    expect(Object.keys(ROUTE_DESCRIPTIONS).sort()).toEqual(ROUTES.map(({ id }) => id).sort());
  });

  it('names which listener has a route, and how a stream speaks', () => {
    for (const { operation } of operations()) {
      const route: Route | undefined = ROUTES.find(({ id }) => id === operation.operationId);
      expect([operation.operationId, operation['x-tuic-listeners'].includes('remote')]).toEqual([
        operation.operationId,
        route?.exposure === 'everywhere',
      ]);
      expect([operation.operationId, operation['x-tuic-stream'] !== undefined]).toEqual([
        operation.operationId,
        route?.kind === 'upgrade' || route?.kind === 'stream',
      ]);
    }
  });

  it('has no reference that leads nowhere, and no component that nobody refers to', () => {
    const text = JSON.stringify(api);
    const wanted = new Set([...text.matchAll(/"#\/components\/(\w+\/[\w.]+)"/g)].map(([, name]) => name));
    const there = ['schemas', 'responses'].flatMap((kind) =>
      Object.keys(api.components[kind as 'schemas' | 'responses']).map((name) => `${kind}/${name}`),
    );
    expect(there.sort()).toEqual([...wanted].sort());
    expect(text).not.toContain('$defs');
  });

  it.each(Object.entries(ROUTE_DESCRIPTIONS).filter(([, { body }]) => body !== undefined))(
    '%s: its example is a valid body',
    (_id, { body }) => {
      expect(body?.example).toBeDefined();
      expect(body?.schema.safeParse(body.example).error?.issues).toBeUndefined();
    },
  );

  it('is the pinned one', () => expect(checkPin('openapi', api)).toEqual([]));

  it('docs/reference/http.md is made from it and current', () => {
    const text = renderReference(api);
    if (process.env.TUIC_UPDATE_PINS === '1') {
      mkdirSync(dirname(REFERENCE), { recursive: true });
      writeFileSync(REFERENCE, text);
    }
    expect(comparePin(readFileSync(REFERENCE, 'utf8').split('\n'), text.split('\n'))).toEqual([]);
    for (const { method, path } of operations()) expect(text).toContain(`### ${method.toUpperCase()} ${path}\n`);
  });
});
