/** The description of the API: what OpenAPI, the page over it and the written reference are made from. A door of its own: only the server needs it. */
export { ROUTE_DESCRIPTIONS } from './descriptions.ts';
export type { RouteDescription, Tag } from './model.ts';
export { describeApi, type OpenApi, type OpenApiOperation, refusalsOf } from './openapi.ts';
