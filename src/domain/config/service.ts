/**
 * Owns config.json: the live configuration, its file and, through the secret store, its secrets.
 *
 * One write lock covers reading the file, merging, checking, storing the secrets, writing the file and changing the memory, so two
 * writers never lose each other's change, nor one made by hand since. Order within it: secrets, then file, then memory, then
 * listeners and the event; a failing file puts the secrets back as they were. Nothing is written over a file that cannot be read.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  type Disposable,
  Emitter,
  isJsonObject,
  type JsonObject,
  KeyedMutex,
  mergeJson,
} from '../../base/index.ts';
import { AppError, type ConfigSecretName, type EventData, INSTANCE_FILES } from '../../contract/index.ts';
import { removeDrafts, writeFileAtomically } from '../../platform/fs/index.ts';
import type { SecretStore } from '../../platform/secrets/index.ts';
import {
  DocumentBroken,
  describeIssue,
  formatDocument,
  formatForFile,
  makeEtag,
  matchesEtag,
  readDocument,
  refuseDepth,
} from './document.ts';
import { type ConfigLog, dropInvalid, findAsideName, foldFlatKeys, loadConfig } from './load-config.ts';
import { type Config, configSchema } from './model.ts';
import { redact, type TakenSecrets, takeSecrets } from './secrets-in-document.ts';

export interface ConfigChange {
  readonly before: Config;
  readonly after: Config;
}

export interface SaveOptions {
  /** Value of an If-Match header. */
  ifMatch?: string;
}

export interface ConfigService {
  /** The live configuration with its defaults. Replaced as a whole by a change, so read it anew each time. */
  readonly current: Config;
  /** As others may see it. */
  read(): { value: JsonObject; etag: string };
  /** Deep-merges `changes` onto the configuration (http.md 10). */
  save(changes: JsonObject, options?: SaveOptions): Promise<{ etag: string }>;
  /** Told after each change is stored, in order. */
  onChange(listener: (change: ConfigChange) => void): Disposable;
}

export interface ConfigServiceOptions {
  configDirectory: string;
  clock: Clock;
  log: ConfigLog & { warn(fields: object, message: string): void };
  publish: (name: 'config-changed', data: EventData['config-changed']) => void;
  secrets: SecretStore;
  onBroken?: (message: string) => void;
}

const LOCK = 'config';

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export async function openConfigService(options: ConfigServiceOptions): Promise<ConfigService> {
  const { configDirectory, clock, log, secrets, publish } = options;
  const path = join(configDirectory, INSTANCE_FILES.config);
  const mutex = new KeyedMutex();
  const changes = new Emitter<ConfigChange>();

  await removeDrafts(configDirectory);
  const loaded = await loadConfig({
    configDirectory,
    log,
    now: () => clock.now(),
    ...(options.onBroken === undefined ? {} : { onBroken: options.onBroken }),
  });
  const taken = takeSecrets(loaded.document);
  let document = taken.document;
  let current =
    loaded.invalidKeys.length > 0 || taken.secrets.length > 0 ? configSchema.parse(document) : loaded.config;

  const etagOf = (value: JsonObject) => makeEtag(formatDocument(value));

  /** What the file holds now: ours, or what somebody wrote by hand since. */
  async function readFromFile(): Promise<{
    document: JsonObject;
    hasInvalid: boolean;
    secrets: TakenSecrets['secrets'];
  }> {
    let value: unknown;
    try {
      value = (await readDocument(path))?.value ?? {};
      if (!isJsonObject(value)) throw new DocumentBroken('it must hold a JSON object');
    } catch (error) {
      if (error instanceof DocumentBroken && error.isEmpty) return { document: {}, hasInvalid: false, secrets: [] };
      throw new AppError('config_unreadable', { path, detail: describe(error) }, { cause: error });
    }
    const valid = dropInvalid(foldFlatKeys(value));
    const { document: clean, secrets: found } = takeSecrets(valid.document);
    return { document: clean, hasInvalid: valid.invalidKeys.length > 0, secrets: found };
  }

  /** Stores secrets; the result puts them back. */
  async function storeSecrets(list: TakenSecrets['secrets']): Promise<() => Promise<void>> {
    const before: { name: ConfigSecretName; value: string | undefined }[] = [];
    const restore = async () => {
      for (const { name, value } of before.splice(0).reverse()) await secrets.set(name, value);
    };
    try {
      for (const { name, value } of list) {
        const old = await secrets.get(name);
        const text = value === '' || value === null ? undefined : value;
        if (text !== undefined && typeof text !== 'string') {
          throw new AppError('invalid_input', { detail: `${name}: must be a text` });
        }
        if (text === old) continue;
        before.push({ name, value: old });
        await secrets.set(name, text);
      }
    } catch (error) {
      await restore();
      throw error;
    }
    return restore;
  }

  async function write(next: JsonObject, keepOld: boolean): Promise<void> {
    const text = formatForFile(next);
    try {
      // Values that are not valid go with this write; what they were can still be looked up.
      if (keepOld) await copyFile(path, await findAsideName(path, 'invalid', clock.now()));
      await writeFileAtomically(path, text);
    } catch (error) {
      throw new AppError('storage_failed', { detail: describe(error) }, { cause: error });
    }
  }

  async function save(body: JsonObject, { ifMatch }: SaveOptions): Promise<{ etag: string }> {
    refuseDepth(body);
    const stored = await readFromFile();
    const before = etagOf(stored.document);
    if (!matchesEtag(ifMatch, before, before)) throw new AppError('precondition_failed', { file: 'config.json' });
    const incoming = takeSecrets(body);
    const merged = mergeJson(stored.document, incoming.document);
    const checked = configSchema.safeParse(merged);
    if (!checked.success) throw new AppError('invalid_input', { detail: describeIssue(checked.error) });
    const restore = await storeSecrets([...stored.secrets, ...incoming.secrets]);
    try {
      await write(merged, stored.hasInvalid);
    } catch (error) {
      await restore();
      throw error;
    }
    const change: ConfigChange = { before: current, after: checked.data };
    document = merged;
    current = checked.data;
    const etag = etagOf(document);
    changes.emit(change);
    publish('config-changed', { file: 'config', etag });
    return { etag };
  }

  const service: ConfigService = {
    get current() {
      return current;
    },
    read: () => ({ value: redact(current, (name) => secrets.has(name)), etag: etagOf(document) }),
    save: (body, saveOptions = {}) => mutex.run(LOCK, () => save(body, saveOptions)),
    onChange: (listener) => changes.on(listener),
  };

  if (taken.secrets.length > 0) {
    // Somebody wrote secrets into the file; they move to where secrets live.
    try {
      await service.save({});
      log.warn({ path, names: taken.secrets.map(({ name }) => name) }, 'secrets were moved out of config.json');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.error({ path, detail: error.message }, 'config.json holds secrets, and they could not be moved out of it');
    }
  }
  return service;
}
