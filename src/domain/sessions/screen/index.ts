export type {
  CreateScreen,
  FilteredOutput,
  LogChunk,
  LogReader,
  LogWindow,
  ScreenCheckpoint,
  ScreenEngine,
  ScreenOptions,
  ScreenSignal,
  ScreenSnapshot,
  TerminalAnswer,
} from './model.ts';
export { createScreen } from './screen-engine.ts';
