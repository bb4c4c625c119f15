export type { UpstreamContent } from './content.ts';
export type { UpstreamRegistry, VisibleTool } from './registry.ts';
export { createUpstreamService, type UpstreamService, type UpstreamServiceOptions } from './service.ts';
export { UpstreamNeedsLogin } from './upstream.ts';
