/** A terminal's text as a file. */
import type { LogLine } from '../../src/contract/index.ts';

const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
const LONGEST_NAME = 60;

export function plainLine(line: LogLine): string {
  return line.spans
    .map((span) => span.text.replace(CONTROLS, ''))
    .join('')
    .trimEnd();
}

/** Names come from programs: what is left is safe as a file name everywhere. `.ansi` holds colours. */
export function textFileName(label: string, hasColors: boolean, time: Date): string {
  const clean = label
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, LONGEST_NAME);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const stamp = `${day}-${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}`;
  return `${clean === '' ? 'terminal' : clean}-${stamp}.${hasColors ? 'ansi' : 'txt'}`;
}
