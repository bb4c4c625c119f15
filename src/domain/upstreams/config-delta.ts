/**
 * The save contract (UPC-2 to UPC-5): what the caller changed between what it loaded and what it wants is applied to what is stored
 * now. So a save from an old view undoes nothing that somebody else stored meanwhile. A server is compared field by field.
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { AppError, type UpstreamConfig, type UpstreamServer } from '../../contract/index.ts';

/** Equal as JSON, whatever the order of the keys. */
export function isSame(one: unknown, two: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(two)) {
    return one.length === two.length && one.every((item, place) => isSame(item, two[place]));
  }
  if (!isJsonObject(one) || !isJsonObject(two)) return one === two;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(two).length &&
    keys.every((key) => Object.hasOwn(two, key) && isSame(one[key], two[key]))
  );
}

function byId({ servers }: UpstreamConfig): Map<string, UpstreamServer> {
  return new Map(servers.map((server) => [server.id, server]));
}

function changeFields(stored: JsonObject, base: JsonObject, wanted: JsonObject): JsonObject {
  const next: JsonObject = { ...stored };
  for (const key of new Set([...Object.keys(base), ...Object.keys(wanted)])) {
    if (isSame(base[key], wanted[key])) continue;
    if (Object.hasOwn(wanted, key)) next[key] = wanted[key];
    else delete next[key];
  }
  return next;
}

export function applyDelta(stored: UpstreamConfig, base: UpstreamConfig, wanted: UpstreamConfig): UpstreamConfig {
  const [before, after] = [byId(base), byId(wanted)];
  const found = byId(stored);
  const servers: UpstreamServer[] = [];
  for (const server of stored.servers) {
    const [old, next] = [before.get(server.id), after.get(server.id)];
    if (old === undefined && next !== undefined) {
      throw new AppError('upstreams_conflict', { detail: `a server with the id ${server.id} was added` });
    }
    // Known to neither: added by somebody else. Known before only: taken out, whatever happened to it meanwhile.
    if (old === undefined) servers.push(server);
    else if (next !== undefined) servers.push(changeFields(server, old, next) as UpstreamServer);
  }
  for (const server of wanted.servers) {
    if (found.has(server.id)) continue;
    const old = before.get(server.id);
    if (old === undefined) servers.push(server);
    else if (!isSame(old, server)) {
      throw new AppError('upstreams_conflict', { detail: `the server ${server.name} was taken out` });
    }
  }
  const { servers: _, ...rest } = stored;
  const { servers: _base, ...baseRest } = base;
  const { servers: _wanted, ...wantedRest } = wanted;
  return { ...changeFields(rest, baseRest, wantedRest), servers };
}
