/** Who calls a tool, and what maps an action of a tool onto the registry. */
import type { JsonObject } from '../../base/index.ts';
import type { ActionContext } from '../actions.ts';

export interface ToolContext extends ActionContext {
  /** Whom the caller's protocol session speaks for. */
  readonly identity: string | undefined;
  /** Absent for a stateless call. */
  readonly protocolSession?: string | undefined;
  /** The first root that the client named (TRN-8), as it wrote it. */
  readonly root: string | undefined;
  /** `_meta` of the call; for tools of upstream servers. */
  readonly meta?: JsonObject | undefined;
  /** Takes what an upstream server says of its progress. Only there when the client asked for it. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
}

export type Projection = (input: Record<string, unknown>, context: ToolContext) => Promise<unknown>;
