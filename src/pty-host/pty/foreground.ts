/**
 * Which process group has the terminal (Linux). Two bytes of knowledge guard an answer: the group that had the terminal
 * when the query was read, and the one that has it now (W09). What is not known never holds an answer back.
 */
import { readFileSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

const KEPT = 16;
/** A query that was cut by a read ends within so many bytes behind the part with its escape. */
const CUT_QUERY = 64;

/** The foreground process group of the terminal that `pid` controls; undefined when the system does not tell. */
export function readForegroundGroup(pid: number): number | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined;
    throw error;
  }
  // The name in parentheses may hold spaces and parentheses. After it: state, parent, group, session, terminal, tpgid.
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 6)[5]);
  return Number.isInteger(group) && group > 0 ? group : undefined;
}

export class ForegroundMarks {
  readonly #read: () => number | undefined;
  #marks: { readonly from: number; readonly to: number; readonly group: number }[] = [];

  constructor(read: () => number | undefined) {
    this.#read = read;
  }

  /** Bytes [from, to) have just been read. */
  mark(from: number, to: number): void {
    const group = this.#read();
    if (group === undefined) return;
    const last = this.#marks.at(-1);
    if (last?.group === group && last.to === from) {
      this.#marks[this.#marks.length - 1] = { from: last.from, to, group };
      return;
    }
    this.#marks.push({ from, to, group });
    if (this.#marks.length > KEPT) this.#marks.shift();
  }

  /** False when another group than the one that asked has the terminal now. */
  isStillForeground(queryEnd: number): boolean {
    const asked = this.#marks.findLast((mark) => mark.from < queryEnd);
    if (asked === undefined || queryEnd > asked.to + CUT_QUERY) return true;
    const now = this.#read();
    return now === undefined || now === asked.group;
  }
}
