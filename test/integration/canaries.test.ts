/**
 * Secrets stay where they belong (http.md 10): each is planted with a text that can be found again, everything is asked for, and then
 * every answer, log line, output and file is searched.
 */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROUTES, type Route } from '../../src/contract/index.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { type Answer, ApiClient, type RequestOptions } from '../kit/http.ts';
import { processesOf } from '../kit/processes.ts';
import { startPuppet } from '../kit/puppet.ts';
import { basic, cheapHash, LOGIN, openRemote } from '../kit/remote.ts';
import { prepareServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const cleanup = cleanupAfterEach();

interface Secret {
  name: string;
  value: string;
  /** Files it lives in. */
  files?: string[];
  /** Answers that give it out on purpose. */
  answers?: RegExp;
}

it('X10: no secret is in an answer, a log line, an output or a file that is not its own', async () => {
  const configDirectory = await cleanup.temporaryDirectory();
  const broken = 'canary-in-a-broken-file';
  await writeFile(join(configDirectory, 'config.json'), `{"services": {"relay": {"token": "${broken}"`);
  const server = await prepareServer(cleanup, { configDirectory, environment: { TUIC_SECRETS: 'file' } });
  await server.start();
  const port = await openRemote(server);
  const hash = await cheapHash(LOGIN.password);
  const planted = {
    sessionKey: 'canary-session-key-0123456789abcdef',
    relay: 'canary-relay-token',
    vapid: 'canary-vapid-private-key',
    provider: 'sk-canary-provider-key',
  };
  const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
  await server.ipc.ok('PUT', '/config', {
    services: {
      auth: { password_hash: hash, session_token: planted.sessionKey },
      relay: { token: planted.relay },
      push: { vapid_private_key: planted.vapid },
    },
  });
  await server.ipc.ok('PUT', '/config/providers', { main: { api_key: planted.provider } });
  await server.ipc.ok('GET', '/diagnostics/listeners');
  const token = (await readFile(join(configDirectory, 'token'), 'utf8')).trim();

  const texts: { where: string; text: string }[] = [];
  const ask = async (
    client: ApiClient,
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> => {
    const answer = await client.request(method, path, options);
    const text = `${JSON.stringify(answer.headers)}\n${answer.body.toString('latin1')}`;
    texts.push({ where: `${answer.status} ${method} ${path}`, text });
    return answer;
  };

  const origin = `http://127.0.0.1:${port}`;
  const login = await ask(new ApiClient({ port }, { authorization: basic() }), 'GET', '/health');
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const ticket = (await ask(server.ipc, 'POST', '/login/ticket', { body: {} })).json() as { ticket: string };
  const callers = [
    server.ipc,
    server.local,
    server.local.with({ authorization: `Bearer ${token}` }),
    server.local.with({ authorization: basic() }),
    new ApiClient({ port }, { authorization: basic() }),
    new ApiClient({ port }, { cookie, origin }),
    new ApiClient({ port }),
  ];
  const reads = ROUTES.filter(
    (route: Route) =>
      route.method === 'GET' && route.kind !== 'upgrade' && route.kind !== 'stream' && route.id !== 'login',
  );
  for (const client of callers) {
    for (const route of reads) {
      const path = route.path.replace(':id', id).replace(':file', 'agents').replace('*', 'index.html');
      await ask(client, 'GET', route.id === 'session.wait' ? `${path}?timeout_ms=1` : path);
    }
  }
  await ask(server.ipc, 'GET', '/config/providers');

  // What goes wrong is where secrets like to slip out.
  const guess = 'canary-guessed-password';
  const misuses: readonly [ApiClient, string, string, RequestOptions][] = [
    [new ApiClient({ port }, { authorization: basic(guess) }), 'GET', '/sessions', {}],
    [new ApiClient({ port }, { authorization: `Bearer ${token}` }), 'GET', '/sessions', {}],
    [server.local.with({ authorization: `Bearer ${token}x` }), 'GET', '/sessions', {}],
    [server.local, 'GET', `/sessions?token=${token}&ticket=${ticket.ticket}`, {}],
    [server.local, 'GET', `/no/such/page?key=${planted.provider}`, {}],
    [server.ipc, 'POST', '/auth/hash-password', { body: { password: guess.repeat(10) } }],
    [server.ipc, 'POST', '/auth/hash-password', { rawBody: `{"password":"${guess}"` }],
    [server.ipc, 'PUT', '/config', { body: { services: { auth: { password_hash: guess } } } }],
    [server.ipc, 'PUT', '/config', { body: { services: { relay: { token: [planted.relay] } } } }],
    [server.ipc, 'PUT', '/config', { rawBody: `{"services":{"relay":{"token":"${planted.relay}"` }],
    [server.ipc, 'PUT', '/config', { body: { mcp_port: planted.relay } }],
    [server.ipc, 'PUT', '/config/agents', { body: { agents: planted.provider } }],
    [server.ipc, 'POST', '/sessions/unknown/write', { body: { data: guess } }],
  ];
  for (const [client, method, path, options] of misuses) {
    const { status } = await ask(client, method, path, options);
    expect([path, status >= 400 || path.startsWith('/sessions?') || path.startsWith('/no/')]).toEqual([path, true]);
  }
  const streamTicket = (await ask(server.ipc, 'POST', '/login/ticket', { body: { purpose: 'stream' } })).json() as {
    ticket: string;
  };
  const events = await openEvents({ port: server.port }, { query: { ticket: streamTicket.ticket } });
  await ask(server.ipc, 'PUT', '/config', { body: { services: { relay: { token: planted.relay } } } });
  await events.event('config-changed');
  events.cut();
  texts.push({ where: 'events', text: JSON.stringify(events.events) });
  const viewer = await openStream({ port }, id, { format: 'bytes', headers: { authorization: basic() } });
  await viewer.frame('snapshot');
  viewer.cut();
  const { environment } = (await puppet.do('environment')) as { environment: Record<string, string> };
  texts.push({ where: 'environment of a session', text: JSON.stringify(environment) });
  await ask(new ApiClient({ port }, { cookie, origin }), 'POST', '/api/auth/rotate-token', { body: {} });
  await server.restart();
  for (const { arguments: words } of processesOf(configDirectory)) texts.push({ where: 'argv', text: words.join(' ') });
  await server.stop();

  texts.push({ where: 'output', text: (server.output + server.errors).replace(/^workspace: .*$/gm, '') });
  for (const name of await readdir(configDirectory, { recursive: true })) {
    const path = join(configDirectory, name);
    if (!(await stat(path)).isFile()) continue;
    texts.push({ where: name, text: (await readFile(path)).toString('latin1') });
  }
  expect(texts.filter(({ where }) => where.startsWith('logs/')).join('').length).toBeGreaterThan(0);

  const secrets: Secret[] = [
    { name: 'bearer token', value: token, files: ['token'] },
    // Rotated away, so it is nowhere at all.
    { name: 'session key', value: planted.sessionKey },
    { name: 'relay token', value: planted.relay, files: ['secrets.json'] },
    { name: 'push key', value: planted.vapid, files: ['secrets.json'] },
    {
      name: 'provider key',
      value: planted.provider,
      files: ['providers.json'],
      answers: /^200 GET \/config\/providers$/,
    },
    { name: 'password', value: LOGIN.password },
    { name: 'password hash', value: hash, files: ['config.json'] },
    { name: 'guessed password', value: guess },
    { name: 'Basic credential', value: basic().slice('Basic '.length) },
    { name: 'login ticket', value: ticket.ticket, answers: /^200 POST \/login\/ticket$/ },
    { name: 'stream ticket', value: streamTicket.ticket, answers: /^200 POST \/login\/ticket$/ },
    // Logging in brings it, and it is of no use after the rotation.
    { name: 'login cookie', value: cookie.split('.')[1] ?? '', answers: /^\d+ (GET|POST) / },
  ];
  for (const { name, value, files = [], answers } of secrets) {
    expect(value.length, name).toBeGreaterThan(15);
    const found = texts.filter(({ where, text }) => text.includes(value) && !files.includes(where));
    const misuse = found.filter(({ where }) => answers === undefined || !answers.test(where));
    expect(`${name}: ${misuse.map(({ where }) => where).join(', ')}`).toBe(`${name}: `);
    for (const file of files) {
      const own = texts.find(({ where }) => where === file);
      expect(own?.text.includes(value), `${name} is in ${file}`).toBe(true);
    }
  }
  const broke = texts.filter(({ where, text }) => text.includes(broken) && !where.startsWith('config.json.broken-'));
  expect(broke.map(({ where }) => where)).toEqual([]);
});
