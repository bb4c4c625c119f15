/** All rows, in the order of the design's table. */
import type { Row } from '../model.ts';
import { bridgeStartRow } from './bridge-start.ts';
import { burstRow } from './burst.ts';
import { echoRow } from './echo.ts';
import { exitLossRow } from './exit-loss.ts';
import { floodRow } from './flood.ts';
import { interruptRow } from './interrupt.ts';
import { mcpCallRow } from './mcp-call.ts';
import { memoryRow } from './memory.ts';
import { proxiedCallRow } from './proxied-call.ts';
import { ptyReadRow } from './pty-read.ts';
import { restartRow } from './restart.ts';
import { stalledChildRow } from './stalled-child.ts';
import { startRow } from './start.ts';
import { toolSearchRow } from './tool-search.ts';
import { viewerBackRow } from './viewer-back.ts';
import { workspaceRow } from './workspace.ts';

export const ROWS: readonly Row[] = [
  ptyReadRow,
  exitLossRow,
  burstRow,
  echoRow,
  floodRow,
  interruptRow,
  memoryRow,
  stalledChildRow,
  restartRow,
  viewerBackRow,
  startRow,
  bridgeStartRow,
  mcpCallRow,
  proxiedCallRow,
  toolSearchRow,
  workspaceRow,
];
