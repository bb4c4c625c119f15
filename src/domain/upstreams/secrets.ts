/**
 * Secrets of upstream servers (UPC-9, OAU-13): values of `env`, tokens and client secrets live in the secret store under the id of their
 * server, so a rename keeps them and two servers of one name never share any. The configuration holds a mask or a flag in their place.
 */
import { isJsonObject } from '../../base/index.ts';
import { SECRET_MASK, type UpstreamConfig, type UpstreamServer } from '../../contract/index.ts';

/** What this room needs of the store of the platform. */
export interface Vault {
  has(name: string): boolean;
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string | undefined): Promise<void>;
}

const envOf = (id: string) => `upstream/${id}/env`;
const credentialOf = (id: string) => `upstream/${id}/credential`;
const clientSecretOf = (id: string) => `upstream/${id}/client-secret`;

interface VaultChange {
  name: string;
  value: string | undefined;
}

export interface TakenSecrets {
  /** To be stored as it is. */
  config: UpstreamConfig;
  changes: VaultChange[];
  problems: string[];
  /** Servers whose secrets are others than before. */
  changedIds: ReadonlySet<string>;
}

/** What goes into a header line. */
const TOKEN = /^[\x21-\x7e]+$/;

function parseValues(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

export class UpstreamSecrets {
  readonly #vault: Vault;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  async env(id: string): Promise<Record<string, string>> {
    return parseValues(await this.#vault.get(envOf(id)));
  }

  /** The bearer token that is stored for a server, if any. */
  async token(id: string): Promise<string | undefined> {
    if (!this.#vault.has(credentialOf(id))) return undefined;
    const text = await this.#vault.get(credentialOf(id));
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value) && value.type === 'bearer' && typeof value.token === 'string') return value.token;
      if (isJsonObject(value)) return undefined;
    } catch {
      // A token as it was stored before there were kinds of them.
    }
    return text;
  }

  hasToken(id: string): boolean {
    return this.#vault.has(credentialOf(id));
  }

  setToken(id: string, token: string | undefined): Promise<void> {
    return this.#vault.set(
      credentialOf(id),
      token === undefined ? undefined : JSON.stringify({ type: 'bearer', token }),
    );
  }

  static isToken(token: string): boolean {
    return TOKEN.test(token);
  }

  /** Takes the secrets out of a configuration that is about to replace `stored`. Nothing is changed yet. */
  async take(next: UpstreamConfig, stored: UpstreamConfig): Promise<TakenSecrets> {
    const changes: VaultChange[] = [];
    const problems: string[] = [];
    const changedIds = new Set<string>();
    const servers: UpstreamServer[] = [];
    for (const server of next.servers) {
      const before = changes.length;
      const old = stored.servers.find(({ id }) => id === server.id);
      const transport = await this.#takeEnv(server, changes, problems);
      const auth = this.#takeAuth(server, old, changes, problems);
      const { auth: _, ...rest } = server;
      servers.push({ ...rest, transport, ...(auth === undefined ? {} : { auth }) });
      if (changes.length > before) changedIds.add(server.id);
    }
    for (const { id } of stored.servers) {
      if (next.servers.some((server) => server.id === id)) continue;
      for (const name of [envOf(id), credentialOf(id), clientSecretOf(id)]) {
        if (this.#vault.has(name)) changes.push({ name, value: undefined });
      }
    }
    return { config: { ...next, servers }, changes, problems, changedIds };
  }

  async #takeEnv(
    { id, name, transport }: UpstreamServer,
    changes: VaultChange[],
    problems: string[],
  ): Promise<UpstreamServer['transport']> {
    const stored = await this.env(id);
    const given = transport.type === 'stdio' ? transport.env : {};
    const values: Record<string, string> = {};
    for (const [key, value] of Object.entries(given)) {
      const kept = value === SECRET_MASK ? stored[key] : value;
      if (kept === undefined)
        problems.push(`${JSON.stringify(name)}: there is no stored value behind the mask of ${key}`);
      else values[key] = kept;
    }
    const keys = Object.keys(values);
    const isSame = keys.length === Object.keys(stored).length && keys.every((key) => values[key] === stored[key]);
    if (!isSame) changes.push({ name: envOf(id), value: keys.length === 0 ? undefined : JSON.stringify(values) });
    if (transport.type !== 'stdio') return transport;
    return { ...transport, env: Object.fromEntries(keys.map((key) => [key, SECRET_MASK])) };
  }

  #takeAuth(
    { id, name, auth }: UpstreamServer,
    old: UpstreamServer | undefined,
    changes: VaultChange[],
    problems: string[],
  ): UpstreamServer['auth'] {
    const drop = (secret: string) => {
      if (this.#vault.has(secret)) changes.push({ name: secret, value: undefined });
    };
    const isOther = old?.auth !== undefined && old.auth.type !== auth?.type;
    if (auth === undefined) {
      // One that was stored for a server without a configured kind stays.
      if (!isOther) return undefined;
      drop(credentialOf(id));
      drop(clientSecretOf(id));
      return undefined;
    }
    if (auth.type === 'bearer') {
      const { token, token_exists: _, ...rest } = auth;
      if (token === undefined || token === '') {
        const isKept = token === undefined && !isOther && this.#vault.has(credentialOf(id));
        if (!isKept) drop(credentialOf(id));
        return { ...rest, token_exists: isKept };
      }
      if (!UpstreamSecrets.isToken(token))
        problems.push(`${JSON.stringify(name)}: the token holds blanks or other signs`);
      changes.push({ name: credentialOf(id), value: JSON.stringify({ type: 'bearer', token }) });
      drop(clientSecretOf(id));
      return { ...rest, token_exists: true };
    }
    const { client_secret: secret, client_secret_exists: _, ...rest } = auth;
    if (isOther) drop(credentialOf(id));
    if (secret === undefined || secret === '') {
      const isKept = secret === undefined && !isOther && this.#vault.has(clientSecretOf(id));
      if (!isKept) drop(clientSecretOf(id));
      return { ...rest, client_secret_exists: isKept };
    }
    changes.push({ name: clientSecretOf(id), value: secret });
    return { ...rest, client_secret_exists: true };
  }

  /** Stores them; the result puts back what was there. */
  async store(changes: readonly VaultChange[]): Promise<() => Promise<void>> {
    const before: VaultChange[] = [];
    const restore = async () => {
      for (const { name, value } of before.splice(0).reverse()) await this.#vault.set(name, value);
    };
    try {
      for (const { name, value } of changes) {
        before.push({ name, value: await this.#vault.get(name) });
        await this.#vault.set(name, value);
      }
    } catch (error) {
      await restore();
      throw error;
    }
    return restore;
  }
}
