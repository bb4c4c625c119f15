/** All rows, in the order of the design's table. */
import type { Row } from '../model.ts';
import { burstRow } from './burst.ts';
import { echoRow } from './echo.ts';
import { ptyReadRow } from './pty-read.ts';

export const ROWS: readonly Row[] = [ptyReadRow, burstRow, echoRow];
