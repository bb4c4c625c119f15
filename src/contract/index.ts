export * from './actions/session.ts';
export { DEADLINES } from './deadlines.ts';
export { AppError, ERRORS, type ErrorCode, renderError } from './errors.ts';
export { type AppEvent, EVENT_NAMES, type EventData, type EventName } from './events.ts';
export * from './frames.ts';
export * from './gap.ts';
export { LIMITS } from './limits.ts';
export * from './protocol/pty-host.ts';
