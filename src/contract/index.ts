export * from './actions/agent.ts';
export * from './actions/capture.ts';
export * from './actions/config.ts';
export * from './actions/folders.ts';
export * from './actions/logs.ts';
export * from './actions/mail.ts';
export * from './actions/process.ts';
export * from './actions/progress.ts';
export * from './actions/prompts.ts';
export * from './actions/repositories.ts';
export * from './actions/session.ts';
export * from './actions/streams.ts';
export * from './actions/tabs.ts';
export * from './actions/tasks.ts';
export * from './actions/turns.ts';
export * from './actions/ui.ts';
export * from './actions/upstreams.ts';
export * from './actions/window.ts';
export * from './capture-format.ts';
export * from './close-reason.ts';
export { type ConfigDirectoryInput, resolveConfigDirectory, resolveInstance } from './config-directory.ts';
export * from './config-names.ts';
export { DEADLINES } from './deadlines.ts';
export { AppError, ERRORS, type ErrorCode, PLAIN_TEXT_ERRORS, renderError } from './errors.ts';
export { EVENT_SCHEMAS } from './event-data.ts';
export { ADDRESSED_EVENTS, type AppEvent, EVENT_NAMES, type EventData, type EventName } from './events.ts';
export { EXIT_CODES } from './exit-codes.ts';
export * from './frames.ts';
export * from './gap.ts';
export * from './hook-marker.ts';
export { INSTANCE_FILES, type ServerRecord } from './instance-files.ts';
export { LIMITS } from './limits.ts';
export * from './log-names.ts';
export { bridgeDeadline } from './protocol/bridge-deadlines.ts';
export * from './protocol/frame-codec.ts';
export * from './protocol/host-messages.ts';
export * from './protocol/mcp.ts';
export * from './protocol/pty-host.ts';
export {
  ROUTES,
  type Route,
  type RouteExposure,
  type RouteGuard,
  type RouteId,
  type RouteKind,
  type RouteMethod,
} from './routes.ts';
export {
  findNativeTool,
  isMetaToolName,
  META_TOOL_NAMES,
  META_TOOLS,
  type MetaToolName,
  NATIVE_TOOLS,
} from './tools/index.ts';
export { CONTROL_KEYS, SPECIAL_KEYS } from './tools/session.ts';
export { isVisible, type ListedTool, listTool, type NativeTool, parameterName, visibleActions } from './tools/tool.ts';
