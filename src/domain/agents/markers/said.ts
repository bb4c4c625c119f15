/**
 * Which rows of an agent's screen are its own words. A marker counts only there: a file that is printed, a prompt that is shown again
 * and what a person types are no words of the agent (MRK-1, STM-5).
 */

/** One row of what the agent says, without its bullet. */
export interface SaidRow {
  readonly text: string;
  /** A new message begins here. */
  readonly isStart: boolean;
}

export interface SaidLayout {
  /** The bullets that lead a message, at the left edge. */
  readonly bullets: string;
  /** Cells in front of the rows of a message; tool output stands further right. */
  readonly indent: number;
  /** Messages have no bullet: each row with exactly this indent is one of them. */
  readonly isPlain?: true;
}

const USUAL_BULLETS = '●⏺•◦';
const LAYOUTS: Readonly<Record<string, SaidLayout>> = {
  gemini: { bullets: `${USUAL_BULLETS}✦`, indent: 2 },
  opencode: { bullets: USUAL_BULLETS, indent: 5, isPlain: true },
};
const USUAL: SaidLayout = { bullets: USUAL_BULLETS, indent: 2 };

export function layoutOf(agentType: string): SaidLayout {
  return LAYOUTS[agentType] ?? USUAL;
}

/** A prompt, a box, a spinner or the output of a tool: what stands below belongs to it until a message begins. */
const OTHER_LEAD = /^\s*[❯›»>⎿└├│┃╭╰┌┏$✓✗■⚠ℹ·◐-◓\u2720-\u273f\u2801-\u28ff]/u;
const NO_TEXT = /^[\s\u2500-\u259f_─=-]*$/u;

/** The rows above `end`, oldest first; undefined where a row is not the agent's words. */
export function saidRows(rows: readonly string[], end: number, layout: SaidLayout): (SaidRow | undefined)[] {
  const said: (SaidRow | undefined)[] = [];
  // What scrolled off above may have been either; a row at the edge of a message is taken for one.
  let isMessage = true;
  for (let index = 0; index < Math.min(end, rows.length); index++) {
    const row = (rows[index] ?? '').trimEnd();
    const indent = row.length - row.trimStart().length;
    const bullet = row[indent];
    if (
      bullet !== undefined &&
      layout.bullets.includes(bullet) &&
      indent <= 1 &&
      /^\s?$/u.test(row[indent + 1] ?? '')
    ) {
      isMessage = true;
      said.push({ text: row.slice(indent + 1).trim(), isStart: true });
    } else if (OTHER_LEAD.test(row)) {
      isMessage = false;
      said.push(undefined);
    } else if (layout.isPlain === true) {
      said.push(indent === layout.indent ? { text: row.trim(), isStart: false } : undefined);
    } else if (isMessage && indent <= layout.indent && !NO_TEXT.test(row)) {
      said.push({ text: row.trim(), isStart: false });
    } else said.push(undefined);
  }
  return said;
}
