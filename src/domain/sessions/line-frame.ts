/** How a line is brought into the input of an agent (SUB-4): Ctrl-U, the text, several lines as one paste. Enter is not part of it. */

const CLEAR_LINE = '\x15';
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/** Line ends as line feeds, none at the end. What else is no text would be keys to the program, or the end of the paste: it is left out. */
export function normalizeLine(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n+$/, '');
  return lines.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** Undefined: the text has several lines, and the program would take each line end for an Enter. */
export function frameLine(text: string, hasBracketedPaste: boolean): Uint8Array | undefined {
  const line = normalizeLine(text);
  if (line.includes('\n') && !hasBracketedPaste) return undefined;
  // A tab that is typed completes a word or moves the focus; one that is pasted is a tab.
  const isPaste = hasBracketedPaste && /[\n\t]/.test(line);
  return new TextEncoder().encode(CLEAR_LINE + (isPaste ? PASTE_START + line + PASTE_END : line));
}
