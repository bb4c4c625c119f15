/**
 * Owns mcp-upstreams.json (mcp.md 10.1). A save is a change of what is stored now, under a lock that holds between processes, and it
 * gives exactly what was there before and after (UPC-6). Order of a save: read, apply, check, secrets, file; a file that cannot be
 * written puts the secrets back.
 */
import { join } from 'node:path';
import { type Clock, Emitter, type JsonObject } from '../../base/index.ts';
import {
  AppError,
  LIMITS,
  type UpstreamConfig,
  type UpstreamServer,
  upstreamConfigSchema,
} from '../../contract/index.ts';
import { readSmallFile, withFileLock, writeFileAtomically } from '../../platform/fs/index.ts';
import { applyDelta, isSame } from './config-delta.ts';
import { findProblems, type OwnAddress } from './config-rules.ts';
import { UpstreamSecrets, type Vault } from './secrets.ts';

export interface ConfigChange {
  before: UpstreamConfig;
  after: UpstreamConfig;
  /** Servers whose secrets changed; their masks look the same. */
  changedSecrets: ReadonlySet<string>;
}

export interface UpstreamConfigOptions {
  configDirectory: string;
  clock: Clock;
  vault: Vault;
  own: () => OwnAddress;
}

const FILE = 'mcp-upstreams.json';

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class UpstreamConfigStore {
  readonly secrets: UpstreamSecrets;
  readonly changes = new Emitter<ConfigChange>();
  /** What is wrong with a configuration beyond its own text: names of tools that are known now. Set by whoever knows them. */
  findCollisions: (config: UpstreamConfig) => string[] = () => [];
  readonly #options: UpstreamConfigOptions;
  readonly #path: string;

  constructor(options: UpstreamConfigOptions) {
    this.#options = options;
    this.#path = join(options.configDirectory, FILE);
    this.secrets = new UpstreamSecrets(options.vault);
  }

  /** At the start: moves what somebody wrote into the file in the clear to where secrets live. */
  async load(): Promise<UpstreamConfig> {
    const { after } = await this.#change((stored) => stored, false);
    return after;
  }

  /** What is stored now, without secrets. */
  async read(): Promise<UpstreamConfig> {
    const stored = await this.#stored();
    return (await this.secrets.take(stored, stored)).config;
  }

  async save(base: UpstreamConfig, wanted: UpstreamConfig): Promise<void> {
    this.changes.emit(await this.#change((stored) => applyDelta(stored, base, wanted), true));
  }

  /** Stores or removes the token of a server; its other settings stay as they are. */
  async setToken(name: string, token: string | undefined): Promise<void> {
    if (token !== undefined && !UpstreamSecrets.isToken(token)) {
      throw new AppError('invalid_input', { detail: 'the token holds blanks or other signs' });
    }
    const change = await withFileLock(this.#path, this.#options.clock, async () => {
      const stored = await this.#stored();
      const server = stored.servers.find((each) => each.name === name);
      if (server === undefined) throw new AppError('not_found', { what: `the MCP server ${name}` });
      await this.secrets.setToken(server.id, token);
      const after: UpstreamConfig = {
        ...stored,
        servers: stored.servers.map((each) => (each === server ? withFlag(server, token !== undefined) : each)),
      };
      if (!isSame(stored, after)) await this.#write(after);
      return { before: stored, after, changedSecrets: new Set([server.id]) };
    });
    this.changes.emit(change);
  }

  async #change(make: (stored: UpstreamConfig) => UpstreamConfig, isChecked: boolean): Promise<ConfigChange> {
    return withFileLock(this.#path, this.#options.clock, async () => {
      const before = await this.#stored();
      const next = make(before);
      const taken = await this.secrets.take(next, before);
      if (isChecked) {
        const found = [
          ...findProblems(next, this.#options.own()),
          ...taken.problems,
          ...this.findCollisions(taken.config),
        ];
        if (found.length > 0) throw new AppError('invalid_input', { detail: found.join('; ') });
      }
      const after = taken.config;
      if (isSame(before, after) && taken.changes.length === 0) return { before, after, changedSecrets: new Set() };
      const restore = await this.secrets.store(taken.changes);
      try {
        await this.#write(after);
      } catch (error) {
        await restore();
        throw error;
      }
      return { before, after, changedSecrets: taken.changedIds };
    });
  }

  async #stored(): Promise<UpstreamConfig> {
    let detail: string;
    try {
      const bytes = await readSmallFile(this.#path, LIMITS.configFile);
      if (bytes === undefined || bytes.length === 0) return upstreamConfigSchema.parse({});
      const checked = upstreamConfigSchema.safeParse(JSON.parse(bytes.toString('utf8')));
      if (checked.success) return checked.data;
      const [issue] = checked.error.issues;
      detail = `${issue?.path.join('.')}: ${issue?.message}`;
    } catch (error) {
      // A parser quotes what it read, and that may be a secret.
      detail = error instanceof SyntaxError ? 'it is no valid JSON' : describe(error);
    }
    throw new AppError('config_unreadable', { path: this.#path, detail });
  }

  async #write(config: UpstreamConfig): Promise<void> {
    try {
      await writeFileAtomically(this.#path, `${JSON.stringify(config, null, 2)}\n`);
    } catch (error) {
      throw new AppError('storage_failed', { detail: describe(error) }, { cause: error });
    }
  }
}

function withFlag(server: UpstreamServer, exists: boolean): UpstreamServer {
  if (server.auth?.type !== 'bearer') return server;
  const auth: JsonObject = { ...server.auth, token_exists: exists };
  return { ...server, auth: auth as NonNullable<UpstreamServer['auth']> };
}
