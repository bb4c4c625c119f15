/** A line of a session's log as text: with its colours on a terminal, bare elsewhere. Control characters never get through. */
import type { LogColor, LogLine, LogSpan } from '../contract/index.ts';
import { toSafeText } from './text.ts';

function colorCodes(color: LogColor | undefined, base: 38 | 48): string[] {
  if (color === undefined) return [];
  return 'idx' in color ? [`${base};5;${color.idx}`] : [`${base};2;${color.rgb.join(';')}`];
}

function styleSpan(span: LogSpan): string {
  const codes = [
    ...(span.bold ? ['1'] : []),
    ...(span.italic ? ['3'] : []),
    ...(span.underline ? ['4'] : []),
    ...colorCodes(span.fg, 38),
    ...colorCodes(span.bg, 48),
  ];
  const text = toSafeText(span.text);
  return codes.length === 0 ? text : `\x1b[${codes.join(';')}m${text}\x1b[0m`;
}

export function lineText({ spans }: LogLine): string {
  return toSafeText(spans.map(({ text }) => text).join('')).trimEnd();
}

export function styledLine(line: LogLine): string {
  return line.spans.map(styleSpan).join('').trimEnd();
}
