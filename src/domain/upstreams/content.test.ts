import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { type ContentSource, UpstreamContent } from './content.ts';

const { signal } = new AbortController();
const BOTH = { resources: {}, prompts: {}, completions: {} };

interface Fake extends ContentSource {
  status: ContentSource['status'];
  asked: [string, JsonObject][];
}

function fake(name: string, lists: Record<string, JsonObject[]>, more: Partial<ContentSource> = {}): Fake {
  const asked: Fake['asked'] = [];
  return {
    server: { name, bare: false, enabled: true },
    status: 'ready',
    capabilities: BOTH,
    tools: [],
    timeout: 1_000,
    asked,
    async read(method, params) {
      asked.push([method, params]);
      const member = {
        'resources/list': 'resources',
        'resources/templates/list': 'resourceTemplates',
        'prompts/list': 'prompts',
      }[method];
      return member === undefined ? { from: name, params } : { [member]: lists[member] ?? [] };
    },
    ...more,
  };
}

function together(upstreams: ContentSource[], warnings: object[] = []): UpstreamContent {
  return new UpstreamContent({
    upstreams: () => upstreams,
    settled: async () => {},
    longest: () => 45,
    log: { warn: (fields) => warnings.push(fields) },
  });
}

describe('resources', () => {
  it('P6: are listed as their servers told them; one address is listed once, by the first server', async () => {
    const one = { uri: 'ui://view', name: 'v', _meta: { ui: { csp: [] } }, vendor: null };
    const content = together([
      fake('a', { resources: [one] }),
      fake('b', { resources: [{ uri: 'ui://view' }, { uri: 'b:1' }] }),
    ]);
    expect(await content.resources('resources', undefined, signal)).toEqual([one, { uri: 'b:1' }]);
    expect(await content.resources('resources', new Set(['b']), signal)).toEqual([
      { uri: 'ui://view' },
      { uri: 'b:1' },
    ]);
    expect(await content.readResource('ui://view', {}, undefined, { signal })).toMatchObject({ from: 'a' });
  });

  it('N04: an address is read from the server that lists it, by its templates otherwise, and never from one that just answers', async () => {
    const a = fake('a', { resourceTemplates: [{ uriTemplate: 'file:///{path}' }] });
    const b = fake('b', { resourceTemplates: [{ uriTemplate: 'file:///notes/{name}' }] });
    const c = fake('c', {}, { tools: [{ name: 't', _meta: { ui: { resourceUri: 'ui://hidden' } } }] });
    const content = together([a, b, c]);
    const read = (uri: string, scope?: Set<string>) => content.readResource(uri, {}, scope, { signal });
    expect(await read('file:///notes/x')).toMatchObject({ from: 'b' });
    expect(await read('file:///other')).toMatchObject({ from: 'a' });
    expect(await read('ui://hidden')).toMatchObject({ from: 'c' });
    await expect(read('ghost:1')).rejects.toThrow('no MCP server lists the resource ghost:1');
    await expect(read('ui://hidden', new Set(['a', 'b']))).rejects.toThrow('ui://hidden');
    expect([a, b, c].flatMap(({ asked }) => asked).filter(([method]) => method === 'resources/read')).toHaveLength(3);
  });

  it('M08: a server that fails keeps nothing from the others, and its warning names it', async () => {
    const broken = fake('a', {}, { read: () => Promise.reject(new Error('it hangs')) });
    const warnings: object[] = [];
    const content = together([broken, fake('b', { resources: [{ uri: 'b:1' }] })], warnings);
    expect(await content.resources('resources', undefined, signal)).toEqual([{ uri: 'b:1' }]);
    expect(warnings).toMatchObject([{ upstream: 'a', list: 'resources' }]);
  });

  it('all pages are read; a cursor that comes again ends them', async () => {
    const pages: unknown[] = [];
    const content = together([
      fake(
        'a',
        {},
        {
          async read(_, { cursor }) {
            pages.push(cursor);
            return { resources: [{ uri: `a:${pages.length}` }], nextCursor: pages.length === 1 ? 'one' : 'two' };
          },
        },
      ),
    ]);
    expect(await content.resources('resources', undefined, signal)).toHaveLength(3);
    expect(pages).toEqual([undefined, 'one', 'two']);
  });
});

describe('prompts', () => {
  it('UPX-9: have the names that tools would have, and go to their server under its own', async () => {
    const content = together([
      fake('a', { prompts: [{ name: 'fix it', arguments: [{ name: 'x' }] }] }),
      fake('b', { prompts: [{ name: 'fix' }] }),
    ]);
    const listed = await content.prompts(undefined, signal);
    expect(listed).toEqual([
      { name: expect.stringMatching(/^a__fix_it_[0-9a-f]{6}$/), arguments: [{ name: 'x' }] },
      { name: 'b__fix' },
    ]);
    const got = await content.getPrompt(String(listed[0]?.name), { arguments: { x: '1' } }, undefined, { signal });
    expect(got).toEqual({ from: 'a', params: { arguments: { x: '1' }, name: 'fix it' } });
    await expect(content.getPrompt('b__fix', {}, new Set(['a']), { signal })).rejects.toThrow('no prompt "b__fix"');
  });

  it('a name is found without a list before, and its server is told of it for a completion', async () => {
    const content = together([
      fake('a', { prompts: [{ name: 'fix' }] }),
      fake('b', { prompts: [{ name: 'c' }] }, { capabilities: { prompts: {} } }),
    ]);
    const complete = (name: string) =>
      content.complete({ type: 'ref/prompt', name }, { argument: { name: 'x', value: '' } }, undefined, { signal });
    expect(await complete('a__fix')).toEqual({
      from: 'a',
      params: { argument: { name: 'x', value: '' }, ref: { type: 'ref/prompt', name: 'fix' } },
    });
    expect(await complete('b__c')).toEqual({ completion: { values: [] } });
  });
});

it('TRN-5: nothing is offered that no server has; one that connects for the first time may have everything', () => {
  const none = fake('a', {}, { capabilities: { tools: {} } });
  const off = fake('b', {}, { capabilities: undefined, status: 'disabled' });
  expect(together([none, off]).mayOffer('resources')).toBe(false);
  expect(together([none, fake('c', {}, { capabilities: undefined, status: 'connecting' })]).mayOffer('prompts')).toBe(
    true,
  );
  expect(together([fake('d', {}, { capabilities: { prompts: {} } })]).mayOffer('resources')).toBe(false);
});
