/** The handshake with a server, by whichever era it speaks, and what is asked of every server in the same way. */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { LIMITS, MCP_SERVER_NAME, STANDARD_REVISION } from '../../contract/index.ts';
import { LinkFailure, type McpLink, RemoteError, type RequestOptions } from './model.ts';

const MODERN_REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

export interface ServerInfo {
  name: string;
  version: string;
}

export interface OpenOptions {
  version: string;
  timeout: number;
  signal?: AbortSignal;
}

export class McpSession {
  readonly #link: McpLink;
  readonly #claim: JsonObject | undefined;
  readonly server: ServerInfo;
  readonly hasTools: boolean;
  /** As the server declared them. */
  readonly capabilities: JsonObject;

  private constructor(link: McpLink, claim: JsonObject | undefined, answer: JsonObject) {
    this.#link = link;
    this.#claim = claim;
    const info = isJsonObject(answer.serverInfo) ? answer.serverInfo : metaInfo(answer);
    this.server = {
      name: typeof info.name === 'string' ? info.name : '',
      version: typeof info.version === 'string' ? info.version : '',
    };
    // A server that declares nothing at all is asked all the same (UPX-6).
    const { capabilities } = answer;
    this.capabilities = isJsonObject(capabilities) ? capabilities : {};
    this.hasTools = !isJsonObject(capabilities) || Object.keys(capabilities).length === 0 || 'tools' in capabilities;
  }

  static async open(link: McpLink, { version, timeout, signal }: OpenOptions): Promise<McpSession> {
    const clientInfo = { name: MCP_SERVER_NAME, version };
    const limits: RequestOptions = { timeout, signal };
    try {
      const params = { protocolVersion: STANDARD_REVISION, capabilities: {}, clientInfo };
      const answer = await link.request('initialize', params, limits);
      if (!isJsonObject(answer)) throw new LinkFailure('broken', 'maybe', 'its answer to initialize is no object');
      const revision = typeof answer.protocolVersion === 'string' ? answer.protocolVersion : STANDARD_REVISION;
      link.adopt({ revision, isModern: false });
      link.notify('notifications/initialized');
      return new McpSession(link, undefined, answer);
    } catch (error) {
      if (!mayBeModern(error)) throw error;
      const claim = {
        [`${META}protocolVersion`]: MODERN_REVISION,
        [`${META}clientInfo`]: clientInfo,
        [`${META}clientCapabilities`]: {},
      };
      link.adopt({ revision: MODERN_REVISION, isModern: true });
      let answer: unknown;
      try {
        answer = await link.request('server/discover', { _meta: claim }, limits);
      } catch {
        // It speaks neither; what it said to the usual handshake tells more.
        throw error;
      }
      if (!isJsonObject(answer)) throw error;
      return new McpSession(link, claim, answer);
    }
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    if (this.#claim === undefined) return this.#link.request(method, params, options);
    const meta = isJsonObject(params._meta) ? params._meta : {};
    return this.#link.request(method, { ...params, _meta: { ...meta, ...this.#claim } }, options);
  }

  /** All pages. Undefined when the server did not tell a list (UPX-6). */
  async listTools(options: RequestOptions): Promise<JsonObject[] | undefined> {
    const tools: JsonObject[] = [];
    let cursor: unknown;
    for (let page = 0; page < LIMITS.upstreamPages; page++) {
      const answer = await this.request('tools/list', cursor === undefined ? {} : { cursor }, options);
      if (!isJsonObject(answer) || !Array.isArray(answer.tools)) return page === 0 ? undefined : tools;
      for (const tool of answer.tools as unknown[]) {
        if (tools.length < LIMITS.upstreamTools && isJsonObject(tool) && typeof tool.name === 'string')
          tools.push(tool);
      }
      if (typeof answer.nextCursor !== 'string' || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor;
    }
    return tools;
  }
}

function metaInfo({ _meta: meta }: JsonObject): JsonObject {
  const info = isJsonObject(meta) ? meta[`${META}serverInfo`] : undefined;
  return isJsonObject(info) ? info : {};
}

/** A server of the modern era alone refuses the old handshake, by its own error or by the status of the answer. */
function mayBeModern(error: unknown): boolean {
  return error instanceof RemoteError || (error instanceof LinkFailure && error.kind === 'refused');
}
