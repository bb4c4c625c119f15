export type {
  ActivityEvidence,
  ActivityReader,
  ComposerState,
  ForegroundProgram,
  ProgramActivity,
  ScreenRows,
  TypingClaim,
  TypingOutcome,
  TypingRefusal,
} from './activity.ts';
export { strippedEnvironment } from './environment.ts';
export type { HostSupervisor } from './host-supervisor.ts';
export { checkSize, DEFAULT_SHELL, expandPath } from './launch.ts';
export type {
  OpenViewer,
  ProcessRoot,
  PublishEvent,
  SessionAgent,
  SessionService,
  TypedLines,
  Viewer,
  ViewerSink,
} from './model.ts';
export type {
  RawTap,
  SessionDependencies,
  SessionLog,
  SessionSettings,
} from './ports.ts';
export { createScreen } from './screen/index.ts';
export { createSessionService, type RunningSessionService } from './service.ts';
export { sessionMigrations } from './session-store.ts';
export type { TypedLine } from './writer.ts';
