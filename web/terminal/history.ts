/** Turns log lines into terminal text, so that what scrolled off before this page was opened can be scrolled back to. */
import type { LogColor, LogLine, LogSpan } from '../../src/contract/index.ts';

/** Lines fetched when a terminal is opened. */
export const HISTORY_LINES = 5_000;

// The log holds text; a control character in it must not act here.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

export function renderLines(lines: readonly LogLine[]): string {
  return lines.map(renderLine).join('\r\n');
}

export function renderLine(line: LogLine): string {
  let text = '';
  let isStyled = false;
  for (const span of line.spans) {
    const codes = styleCodes(span);
    if (codes !== '') text += `\u001b[0;${codes}m`;
    else if (isStyled) text += '\u001b[0m';
    isStyled = codes !== '';
    text += span.text.replace(CONTROLS, '');
  }
  return isStyled ? `${text}\u001b[0m` : text;
}

function styleCodes(span: LogSpan): string {
  const codes: (string | number)[] = [];
  if (span.bold) codes.push(1);
  if (span.italic) codes.push(3);
  if (span.underline) codes.push(4);
  if (span.fg !== undefined) codes.push(colorCodes(38, span.fg));
  if (span.bg !== undefined) codes.push(colorCodes(48, span.bg));
  return codes.join(';');
}

function colorCodes(target: 38 | 48, color: LogColor): string {
  return 'idx' in color ? `${target};5;${color.idx}` : `${target};2;${color.rgb.join(';')}`;
}

/**
 * One write that replaces everything: reset, history, then the screen. Being one write it is parsed without a pause, so
 * no frame in between shows an empty or half drawn terminal. `rows - 1` line feeds push the last history line off the
 * screen, exactly: the screen then starts on the line behind it.
 */
export function composeScreen(history: readonly LogLine[], screen: string, rows: number): string {
  const reset = '\u001bc';
  if (history.length === 0) return reset + screen;
  return `${reset}${renderLines(history)}\r\n${'\n'.repeat(rows - 1)}\u001b[H${screen}`;
}
