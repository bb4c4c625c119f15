export { createProcessInspector, type MachineState, type ProcessInspector, TICKS_PER_SECOND } from './inspector.ts';
export { createProcessTable, type ProcessEntry, type ProcessTable, parseStat } from './process-table.ts';
export { type ProgramEnd, type ProgramRun, runProgram, signalGroup } from './run-program.ts';
export { type DetachedProgram, type StartDetached, startDetached } from './start-detached.ts';
