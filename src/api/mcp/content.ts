/** Resources, prompts and completion of upstream servers for both legs of /mcp. Without such a server these methods do not exist. */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { AppError, ERRORS } from '../../contract/index.ts';
import { type UpstreamContent, UpstreamNeedsLogin } from '../../domain/upstreams/index.ts';
import { RemoteError } from '../../platform/mcp-links/index.ts';
import { forwardedParams, RPC_ERRORS } from './message.ts';
import type { ScopedCaller, ServiceScope } from './service-scope.ts';

export interface ContentMethodsOptions {
  content: UpstreamContent;
  scope: ServiceScope;
  log: { error(fields: object, message: string): void };
}

export type ContentOutcome = { result: JsonObject } | { error: { code: number; message: string; data?: unknown } };

const KINDS = {
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'prompts/list': 'prompts',
  'prompts/get': 'prompts',
  'completion/complete': 'completions',
} as const;
export type ContentMethod = keyof typeof KINDS;

export class ContentMethods {
  readonly #options: ContentMethodsOptions;

  constructor(options: ContentMethodsOptions) {
    this.#options = options;
  }

  /** What `initialize` and `server/discover` declare besides our own. */
  capabilities(): JsonObject {
    const { content } = this.#options;
    return {
      ...(content.mayOffer('resources') ? { resources: { listChanged: true } } : {}),
      ...(content.mayOffer('prompts') ? { prompts: { listChanged: true } } : {}),
      ...(content.mayOffer('completions') ? { completions: {} } : {}),
    };
  }

  has(method: unknown): method is ContentMethod {
    if (typeof method !== 'string' || !Object.hasOwn(KINDS, method)) return false;
    return this.#options.content.mayOffer(KINDS[method as ContentMethod]);
  }

  async answer(
    method: ContentMethod,
    params: JsonObject,
    caller: ScopedCaller & { signal: AbortSignal },
  ): Promise<ContentOutcome> {
    try {
      const result = await this.#run(method, params, caller);
      // Never made up: what is no result is no success (P6).
      if (!isJsonObject(result))
        return { error: { code: RPC_ERRORS.internal, message: `The answer to ${method} is no object` } };
      return { result };
    } catch (error) {
      return { error: this.#tell(error, method) };
    }
  }

  async #run(
    method: ContentMethod,
    params: JsonObject,
    caller: ScopedCaller & { signal: AbortSignal },
  ): Promise<unknown> {
    const { content } = this.#options;
    const scope = await this.#options.scope(caller);
    const { signal } = caller;
    const passed = forwardedParams(params);
    switch (method) {
      case 'resources/list':
        return { resources: await content.resources('resources', scope, signal) };
      case 'resources/templates/list':
        return { resourceTemplates: await content.resources('resourceTemplates', scope, signal) };
      case 'prompts/list':
        return { prompts: await content.prompts(scope, signal) };
      case 'resources/read':
        return content.readResource(required(params, 'uri'), passed, scope, { signal });
      case 'prompts/get':
        return content.getPrompt(required(params, 'name'), passed, scope, { signal });
      case 'completion/complete':
        if (!isJsonObject(params.ref)) throw new AppError('invalid_input', { detail: 'params.ref must be an object' });
        return content.complete(params.ref, passed, scope, { signal });
    }
  }

  #tell(error: unknown, method: string) {
    if (error instanceof RemoteError) {
      const { code, message, data } = error;
      return { code, message, ...(data === undefined ? {} : { data }) };
    }
    if (error instanceof AppError) return { code: ERRORS[error.code].rpc, message: error.message };
    // A login that is missing tells its own text (mcp.md 1.7).
    if (error instanceof UpstreamNeedsLogin) return { code: RPC_ERRORS.internal, message: error.message };
    this.#options.log.error({ err: error, method }, 'a method of other servers failed');
    return { code: RPC_ERRORS.internal, message: new AppError('internal').message };
  }
}

function required(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw new AppError('invalid_input', { detail: `params.${name} must be a string` });
  return value;
}
