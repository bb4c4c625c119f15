/** How a row of the route table is described: what a person needs to know to call it, over the schemas that check it. */
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

export type Tag =
  | 'Server'
  | 'Sessions'
  | 'Agents'
  | 'Streams'
  | 'Clients'
  | 'Access'
  | 'Configuration'
  | 'Repositories'
  | 'Monitoring'
  | 'MCP'
  | 'Pages';

export interface AnswerDescription {
  readonly status: number;
  /** One sentence. */
  readonly what: string;
  /** Of a JSON answer. */
  readonly schema?: z.ZodType;
  /** Media type of an answer that is not JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteDescription {
  readonly tag: Tag;
  /** A few words, as a title. */
  readonly summary: string;
  /** Markdown. */
  readonly detail?: string;
  /** Of path parameters that are not the usual ones. */
  readonly path?: Readonly<Record<string, z.ZodType>>;
  readonly query?: z.ZodObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: {
    readonly schema: z.ZodType;
    readonly example?: unknown;
    readonly isOptional?: true;
    readonly otherTypes?: readonly string[];
  };
  /** The answer when all went well; the first is the usual one. */
  readonly answers: readonly AnswerDescription[];
  /** Refusals of this route, besides those that any request may meet. */
  readonly refuses?: readonly ErrorCode[];
  /** What a person is asked before the form of the page sends it. */
  readonly confirm?: string;
}

/** Most routes answer one JSON document. */
export function json(schema: z.ZodType, what: string, status = 200): AnswerDescription[] {
  return [{ status, what, schema }];
}
