/** The fake model API by itself, asked as the clients of the agents ask. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeModelServer, journalNow } from './server.ts';

const models = new FakeModelServer();
beforeAll(() => models.start());
afterAll(() => models.stop());

const SHELL = { type: 'object', properties: { command: { type: 'string' } } };

interface Wire {
  path: string;
  body(text: string): object;
  /** Text of a streamed answer, from the data of its pieces. */
  words(pieces: readonly unknown[]): string;
  tool: RegExp;
}

const dig = (value: unknown, ...keys: (string | number)[]): unknown => {
  let found = value;
  for (const key of keys) found = (found as Record<string | number, unknown> | undefined | null)?.[key];
  return found;
};
const joined = (pieces: readonly unknown[], ...keys: (string | number)[]) =>
  pieces.map((piece) => dig(piece, ...keys) ?? '').join('');

const WIRES: Record<string, Wire> = {
  anthropic: {
    path: '/v1/messages',
    body: (content) => ({
      stream: true,
      messages: [{ role: 'user', content }],
      tools: [{ name: 'Bash', input_schema: SHELL }],
    }),
    words: (pieces) => joined(pieces, 'delta', 'text'),
    tool: /"type":"tool_use".*"name":"Bash"/,
  },
  responses: {
    path: '/v1/responses',
    body: (content) => ({
      stream: true,
      input: [{ type: 'message', role: 'user', content }],
      tools: [{ name: 'shell', parameters: SHELL }],
    }),
    words: (pieces) =>
      pieces.map((piece) => (typeof dig(piece, 'delta') === 'string' ? dig(piece, 'delta') : '')).join(''),
    tool: /"type":"function_call".*"name":"shell"/,
  },
  chat: {
    path: '/v1/chat/completions',
    body: (content) => ({
      stream: true,
      messages: [{ role: 'user', content }],
      tools: [{ function: { name: 'bash', parameters: SHELL } }],
    }),
    words: (pieces) => joined(pieces, 'choices', 0, 'delta', 'content'),
    tool: /"tool_calls".*"name":"bash"/,
  },
  gemini: {
    path: '/v1beta/models/any:streamGenerateContent',
    body: (text) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      tools: [{ functionDeclarations: [{ name: 'run_shell_command', parametersJsonSchema: SHELL }] }],
    }),
    words: (pieces) => joined(pieces, 'candidates', 0, 'content', 'parts', 0, 'text'),
    tool: /"functionCall":\{"name":"run_shell_command"/,
  },
};

function ask({ path, body }: Wire, text: string): Promise<Response> {
  return fetch(`${models.url}${path}`, { method: 'POST', body: JSON.stringify(body(text)) });
}

const piecesOf = (stream: string): unknown[] =>
  [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json) as unknown);

const control = async (name: string) =>
  (await (await fetch(`${models.url}/control/${name}`)).json()) as { held: number; journal: object[] };

describe.each(Object.entries(WIRES))('%s', (_, wire) => {
  it('streams the words of a plain answer', async () => {
    const stream = await (await ask(wire, 'CUE:plain')).text();
    expect(wire.words(piecesOf(stream))).toBe('Understood and done.');
  });

  it('calls the tool that was offered', async () => {
    expect(await (await ask(wire, 'CUE:shell echo hello')).text()).toMatch(wire.tool);
  });

  it('refuses with the status of each kind', async () => {
    const limited = await ask(wire, 'CUE:rate-limit');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    expect((await ask(wire, 'CUE:overload')).status).toBe(529);
  });

  it('holds the last word back until the control call, and journals when each began, was first heard and ended', async () => {
    const known = models.journal.length;
    const asked = journalNow();
    const answer = await ask(wire, 'CUE:held');
    await models.changed.until('the answer to be held', () => models.heldCount === 1);
    expect((await control('journal')).held).toBe(1);
    expect(models.journal[known]).toMatchObject({ endedAt: undefined, wasCut: false });
    const released = journalNow();
    await control('release');
    expect(wire.words(piecesOf(await answer.text()))).toBe('One word after the other and the end.');
    const turn = await models.changed.until('its end', () => {
      const turn = models.journal[known];
      return turn?.endedAt === undefined ? undefined : turn;
    });
    const { beganAt, firstByteAt = 0, endedAt = 0 } = turn;
    const times = [asked, beganAt, firstByteAt, released, endedAt];
    expect([...times].sort((one, other) => one - other)).toEqual(times);
  });

  it('tells that the agent hung up', async () => {
    const known = models.journal.length;
    const aborter = new AbortController();
    const { path, body } = wire;
    await fetch(`${models.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body('CUE:held')),
      signal: aborter.signal,
    });
    await models.changed.until('the answer to be held', () => models.heldCount === 1);
    aborter.abort();
    const turn = await models.changed.until('its end', () => {
      const turn = models.journal[known];
      return turn?.endedAt === undefined ? undefined : turn;
    });
    expect(turn.wasCut).toBe(true);
    expect(models.failures).toEqual([]);
  });
});

it('answers a prompt that stands behind the result of a tool that was refused', async () => {
  const content = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'refused' }];
  const ask = async (more: object[]) => {
    const body = { stream: false, messages: [{ role: 'assistant', content: [] }, { role: 'user', content }, ...more] };
    const answer = await fetch(`${models.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ ...body, tools: [{ name: 'Bash', input_schema: SHELL }] }),
    });
    return await answer.text();
  };
  expect(await ask([])).toContain('The tool has answered.');
  expect(await ask([{ role: 'user', content: 'CUE:plain' }])).toContain('Understood and done.');
});

it('knows no other control call', async () => {
  expect((await fetch(`${models.url}/control/stop`)).status).toBe(404);
});
