/** The documents of the configuration behind one interface: `config` is merged by the server, the others are replaced. */
import { isJsonObject } from '../base/index.ts';
import type { Client, Tagged } from '../client/index.ts';
import { CONFIG_FILE_NAMES, type ConfigFileName, EXIT_CODES } from '../contract/index.ts';
import { applyChanges, type Setting } from './config-document.ts';
import { CliFailure } from './failure.ts';
import { toSafeText } from './text.ts';

export const MAIN_FILE = 'config';
export type DocumentName = typeof MAIN_FILE | ConfigFileName;
export const DOCUMENT_NAMES: readonly DocumentName[] = [MAIN_FILE, ...CONFIG_FILE_NAMES];

export function requireDocument(name: string): DocumentName {
  const bare = name.replace(/\.json$/, '');
  const known = DOCUMENT_NAMES.find((candidate) => candidate === bare);
  if (known !== undefined) return known;
  throw new CliFailure(
    EXIT_CODES.notFound,
    `There is no configuration file "${toSafeText(name)}". There are: ${DOCUMENT_NAMES.join(', ')}`,
  );
}

export function readDocument(client: Client, name: DocumentName): Promise<Tagged<unknown>> {
  return name === MAIN_FILE ? client.config.read() : client.config.readFile(name);
}

/** Stores the changes to the state that was read; another state in the meantime is refused with 412. */
export async function storeChanges(
  client: Client,
  name: DocumentName,
  base: Tagged<unknown>,
  changes: readonly Setting[],
): Promise<void> {
  const ifMatch = base.etag;
  if (name !== MAIN_FILE) {
    await client.config.writeFile(name, applyChanges(base.value, changes), { ifMatch });
    return;
  }
  // Only what changed: the view has no secrets, and what it does not show must stay.
  const body = applyChanges(
    {},
    changes.filter(({ value }) => value !== undefined),
  );
  await client.config.save(isJsonObject(body) ? body : {}, { ifMatch });
}
