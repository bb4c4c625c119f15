/** What a configuration of upstream servers must hold to (UPC-1). Every error is told at once. */
import type { UpstreamConfig, UpstreamServer } from '../../contract/index.ts';

export interface OwnAddress {
  /** Ports that our own listeners have. */
  readonly ports: readonly number[];
}

const NAME = /^[a-z0-9_-]+$/;
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){1,3}|\[::1\]|\[::ffff:7f[0-9a-f:]*\]|0\.0\.0\.0|\[::\])$/;

function addressProblem(url: string, own: OwnAddress): string | undefined {
  if (url.trim() === '') return 'the URL is empty';
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return 'the URL is none';
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'the URL must begin with http:// or https://';
  if (parsed.username !== '' || parsed.password !== '')
    return 'the URL must not hold a password; store a token instead';
  const port = parsed.port === '' ? (parsed.protocol === 'https:' ? 443 : 80) : Number(parsed.port);
  if (LOOPBACK.test(parsed.hostname) && own.ports.includes(port)) return 'the URL is that of this server itself';
  return undefined;
}

function problemsOf({ name, transport, auth }: UpstreamServer, own: OwnAddress): string[] {
  const problems: string[] = [];
  if (name === '') problems.push('a server has no name');
  else if (!NAME.test(name)) problems.push(`${quote(name)}: the name must be of a-z, 0-9, _ and -`);
  const who = quote(name);
  if (transport.type === 'http') {
    const problem = addressProblem(transport.url, own);
    if (problem !== undefined) problems.push(`${who}: ${problem}`);
  } else {
    if (transport.command.trim() === '') problems.push(`${who}: the command is empty`);
    const texts = [transport.command, ...transport.args, transport.cwd ?? '', ...Object.values(transport.env)];
    if (texts.some((text) => text.includes('\0'))) problems.push(`${who}: a zero character is in its command`);
    for (const key of Object.keys(transport.env)) {
      if (key === '' || /[=\0]/.test(key)) problems.push(`${who}: ${quote(key)} is no name of a variable`);
    }
  }
  if (auth?.type === 'oauth2' && auth.client_id.trim() === '') problems.push(`${who}: client_id is empty`);
  return problems;
}

/** Untrusted text in a message. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, place) => values.indexOf(value) !== place))];
}

export function findProblems({ servers }: UpstreamConfig, own: OwnAddress): string[] {
  return [
    ...servers.flatMap((server) => problemsOf(server, own)),
    ...repeated(servers.map(({ name }) => name)).map((name) => `${quote(name)} is the name of two servers`),
    ...repeated(servers.map(({ id }) => id)).map((id) => `${quote(id)} is the id of two servers`),
  ];
}
