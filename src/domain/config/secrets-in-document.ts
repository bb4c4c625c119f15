/** Takes secrets out of configuration documents, and shows a configuration without them (http.md 10). */
import { isJsonObject, type JsonObject, setJsonKey } from '../../base/index.ts';
import { CONFIG_SECRETS, type Config, type ConfigSecretName } from '../../contract/index.ts';

const PASSWORD_HASH = 'password_hash';
const PASSWORD_FLAG = 'password_hash_exists';

type Path = readonly string[];

function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy without the key at `path`; the document itself when there is none. */
export function withoutKey(document: JsonObject, path: Path): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(document, key)) return document;
  const copy: JsonObject = {};
  for (const name of Object.keys(document)) {
    const inner = document[name];
    if (name !== key) setJsonKey(copy, name, inner);
    else if (rest.length > 0) setJsonKey(copy, name, isJsonObject(inner) ? withoutKey(inner, rest) : inner);
  }
  return copy;
}

export interface TakenSecrets {
  document: JsonObject;
  /** What the document said about each secret; an empty text or null removes it. Absent ones are not listed. */
  secrets: { name: ConfigSecretName; value: unknown }[];
}

/** Takes out the secrets, and the flags that only we set. */
export function takeSecrets(document: JsonObject): TakenSecrets {
  const secrets: TakenSecrets['secrets'] = [];
  let rest = document;
  for (const { name, path, flag } of CONFIG_SECRETS) {
    const value = valueAt(document, path);
    if (value !== undefined) secrets.push({ name, value });
    rest = withoutKey(withoutKey(rest, path), [...path.slice(0, -1), flag]);
  }
  rest = withoutKey(rest, ['services', 'auth', PASSWORD_FLAG]);
  return { document: rest, secrets };
}

/** The configuration as others may see it: no secret, and a flag for each. */
export function redact(config: Config, hasSecret: (name: ConfigSecretName) => boolean): JsonObject {
  let view: JsonObject = config;
  for (const { path } of CONFIG_SECRETS) view = withoutKey(view, path);
  view = withoutKey(view, ['services', 'auth', PASSWORD_HASH]);
  const services: JsonObject = { ...(isJsonObject(view.services) ? view.services : {}) };
  for (const { name, path, flag } of CONFIG_SECRETS) {
    const room = path[1];
    services[room] = { ...(isJsonObject(services[room]) ? services[room] : {}), [flag]: hasSecret(name) };
  }
  const auth = isJsonObject(services.auth) ? services.auth : {};
  services.auth = { ...auth, [PASSWORD_FLAG]: config.services.auth.password_hash !== '' };
  return { ...view, services };
}
