/**
 * Owns the other files of the configuration, `/config/<file>` (http.md 10.1). A document is replaced as a whole; one lock a file
 * covers the comparison with If-Match and the write, so of two writers with the same tag one is told. A file that cannot be read is
 * never taken for an empty one.
 */
import { join } from 'node:path';
import { KeyedMutex } from '../../base/index.ts';
import { AppError, CONFIG_FILES, type ConfigFileName, type EventData } from '../../contract/index.ts';
import { writeFileAtomically } from '../../platform/fs/index.ts';
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

export interface ConfigDocument {
  value: unknown;
  etag: string;
}

export interface ConfigFiles {
  /** With the defaults of a typed file. Throws not_found for a name that is not listed. */
  read(name: string): Promise<ConfigDocument>;
  write(name: string, value: unknown, options?: { ifMatch?: string }): Promise<{ etag: string }>;
}

export interface ConfigFilesOptions {
  configDirectory: string;
  publish: (name: 'config-changed', data: EventData['config-changed']) => void;
}

function requireName(name: string): ConfigFileName {
  if (!Object.hasOwn(CONFIG_FILES, name)) throw new AppError('not_found', { what: `configuration file ${name}` });
  return name as ConfigFileName;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function createConfigFiles({ configDirectory, publish }: ConfigFilesOptions): ConfigFiles {
  const mutex = new KeyedMutex();
  const pathOf = (name: ConfigFileName) => join(configDirectory, `${name}.json`);

  async function readStored(name: ConfigFileName): Promise<ConfigDocument | undefined> {
    const path = pathOf(name);
    try {
      return await readDocument(path);
    } catch (error) {
      const cause = error instanceof DocumentBroken ? {} : { cause: error };
      throw new AppError('config_unreadable', { path, detail: describe(error) }, cause);
    }
  }

  function emptyOf(name: ConfigFileName): ConfigDocument {
    const value: unknown = CONFIG_FILES[name].parse(undefined);
    return { value, etag: makeEtag(formatDocument(value)) };
  }

  return {
    async read(asked) {
      const name = requireName(asked);
      const stored = await readStored(name);
      if (stored === undefined) return emptyOf(name);
      const checked = CONFIG_FILES[name].safeParse(stored.value);
      if (!checked.success) {
        throw new AppError('config_unreadable', { path: pathOf(name), detail: describeIssue(checked.error) });
      }
      return { value: checked.data, etag: stored.etag };
    },
    async write(asked, value, { ifMatch } = {}) {
      const name = requireName(asked);
      refuseDepth(value);
      const checked = value === undefined ? undefined : CONFIG_FILES[name].safeParse(value);
      if (checked === undefined) throw new AppError('invalid_input', { detail: 'a JSON document is needed' });
      if (!checked.success) throw new AppError('invalid_input', { detail: describeIssue(checked.error) });
      return mutex.run(name, async () => {
        if (ifMatch !== undefined) {
          const stored = await readStored(name);
          if (!matchesEtag(ifMatch, stored?.etag, emptyOf(name).etag)) {
            throw new AppError('precondition_failed', { file: `${name}.json` });
          }
        }
        const text = formatForFile(value);
        try {
          await writeFileAtomically(pathOf(name), text);
        } catch (error) {
          throw new AppError('storage_failed', { detail: describe(error) }, { cause: error });
        }
        const etag = makeEtag(text);
        publish('config-changed', { file: name, etag });
        return { etag };
      });
    },
  };
}
