/** Writes the description of the API down as docs/reference/http.md. */
import type { OpenApi, OpenApiOperation } from '../../src/contract/api-description/index.ts';

type Schema = Record<string, unknown>;

function nameOf({ $ref: reference }: Schema): string | undefined {
  return typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
}

function anchor(name: string): string {
  return `[${name}](#${name.toLowerCase().replaceAll('.', '')})`;
}

/** A type in a few words, the way TypeScript writes it. */
function typeOf(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return anchor(name);
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  const { enum: values, type, items, properties, additionalProperties, prefixItems } = schema;
  if (Array.isArray(values)) return values.map((value) => `\`${JSON.stringify(value)}\``).join(' \\| ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(variants)) return variants.map((variant) => typeOf(variant as Schema)).join(' \\| ');
  if (Array.isArray(type)) return type.join(' \\| ');
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => typeOf(item as Schema)).join(', ')}]`;
  if (type === 'array') return `${typeOf((items ?? {}) as Schema)}[]`;
  if (type === 'object' && properties !== undefined) {
    const required = new Set(schema.required as string[] | undefined);
    const fields = Object.entries(properties as Schema).map(
      ([field, inner]: [string, unknown]) => `${field}${required.has(field) ? '' : '?'}: ${typeOf(inner as Schema)}`,
    );
    return fields.length > 6 ? 'object' : `{ ${fields.join('; ')} }`;
  }
  if (type === 'object') return `map of ${typeOf((additionalProperties || {}) as Schema)}`;
  return typeof type === 'string' ? type : 'any';
}

function cell(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll('|', '\\|').replaceAll('\n', ' ') : '';
}

/** Default and bounds, when there are some. */
function rangeOf({ default: usual, minimum, maximum, maxLength }: Schema): string {
  const parts = [
    ...(usual === undefined ? [] : [`default \`${JSON.stringify(usual)}\``]),
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? [`from ${minimum}`] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [`to ${maximum}`] : []),
    ...(maxLength === undefined ? [] : [`at most ${String(maxLength)} characters`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function fieldsTable(schema: Schema): string[] {
  const required = new Set(schema.required as string[] | undefined);
  const rows = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, inner]) => {
    const mark = required.has(name) ? '' : '?';
    return `| \`${name}${mark}\` | ${typeOf(inner)}${rangeOf(inner)} | ${cell(inner.description)} |`;
  });
  return rows.length === 0 ? [] : ['| field | type | |', '|---|---|---|', ...rows, ''];
}

function codesOf(operation: OpenApiOperation): string[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    if (Number(status) < 400 || !('description' in response)) return [];
    return [`${status} ${[...response.description.matchAll(/^- (`\w+`)/gm)].map(([, code]) => code).join(', ')}`];
  });
}

function writeOperation(method: string, path: string, operation: OpenApiOperation): string[] {
  const { parameters = [], requestBody, responses } = operation;
  const lines = [`### ${method.toUpperCase()} ${path}`, '', `**${operation.summary}**`, '', operation.description, ''];
  if (parameters.length > 0) {
    lines.push('| parameter | in | type | |', '|---|---|---|---|');
    for (const { name, in: place, schema, description, required } of parameters) {
      const mark = required ? '' : '?';
      lines.push(`| \`${name}${mark}\` | ${place} | ${typeOf(schema)}${rangeOf(schema)} | ${cell(description)} |`);
    }
    lines.push('');
  }
  const body = requestBody?.content['application/json'];
  if (body?.schema !== undefined) {
    const isNamed = nameOf(body.schema) !== undefined || body.schema.properties === undefined;
    lines.push(
      `Body${requestBody?.required === true ? '' : ', may be left out'}${isNamed ? `: ${typeOf(body.schema)}` : ''}`,
      '',
    );
    if (!isNamed) lines.push(...fieldsTable(body.schema));
    if (body.example !== undefined) lines.push('```json', JSON.stringify(body.example), '```', '');
  }
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) >= 400 || !('description' in response)) continue;
    const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
    const isJson = type === 'application/json' && content?.schema !== undefined;
    const shape = isJson ? `: ${typeOf(content.schema as Schema)}` : type === undefined ? '' : `: \`${type}\``;
    lines.push(`${status}${shape}. ${response.description}`);
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      lines.push(`Header \`${name}\`: ${header.description}`);
    }
    lines.push('');
  }
  const codes = codesOf(operation);
  if (codes.length > 0) lines.push(`Refusals: ${codes.join('; ')}`, '');
  return lines;
}

export function renderReference(api: OpenApi): string {
  const lines = [
    '# HTTP reference',
    '',
    '<!-- Made from the contract by `TUIC_UPDATE_PINS=1 npx vitest run --project unit test/pins`. Do not edit. -->',
    '',
    'The same as a page with forms: `/docs/api` of a running server; as OpenAPI 3.1: `/docs/api/openapi.json`.',
    '',
    api.info.description,
    '',
    'A `?` behind a name: it may be left out.',
    '',
    '## Refusals of any request',
    '',
    '| status | code | message |',
    '|---|---|---|',
  ];
  const statusOf = (name: string) => {
    for (const path of Object.values(api.paths)) {
      for (const { responses } of Object.values(path)) {
        const found = Object.entries(responses).find(([, response]) => nameOf(response as Schema) === name);
        if (found !== undefined) return found[0];
      }
    }
    return '';
  };
  for (const [name, { description }] of Object.entries(api.components.responses)) {
    for (const [, code, message] of description.matchAll(/^- (`\w+`): (.*)$/gm)) {
      lines.push(`| ${statusOf(name)} | ${code} | ${cell(message)} |`);
    }
  }
  lines.push('');
  for (const { name, description } of api.tags) {
    lines.push(`## ${name}`, '', `${description}.`, '');
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags.includes(name)) lines.push(...writeOperation(method, path, operation));
      }
    }
  }
  lines.push('## Shapes', '');
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    lines.push(`### ${name}`, '');
    if (typeof schema.description === 'string') lines.push(schema.description, '');
    const variants = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
    if (variants !== undefined) {
      for (const variant of variants) lines.push(`- ${typeOf(variant)}`);
      lines.push('');
    }
    lines.push(...fieldsTable(schema));
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
