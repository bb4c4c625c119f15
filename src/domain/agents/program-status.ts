/**
 * OSC 7501, the program status protocol (STM-52..56): what a program says of itself, as a bounded table of records.
 *
 * Promises: what is no record changes nothing but the count of what was dropped; a record stands until the next one of its
 * id, `clear` of it or of a parent, or `endTurn`; text is cut and never more than text.
 */
import { LIMITS } from '../../contract/index.ts';

export const PROGRAM_STATES = ['idle', 'working', 'done', 'blocked', 'error'] as const;
export type ProgramState = (typeof PROGRAM_STATES)[number];

export const QUESTION_KINDS = ['permission', 'question', 'auth'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface ProgramRecord {
  /** Empty for the program itself; `a/b` is a child of `a`. */
  id: string;
  state: ProgramState;
  kind: QuestionKind | undefined;
  app: string | undefined;
  /** 0 to 100. */
  progress: number | undefined;
  title: string | undefined;
  message: string | undefined;
}

type Fields = ReadonlyMap<string, string>;

export interface ParsedStatus extends Omit<ProgramRecord, 'state'> {
  state: ProgramState | 'clear';
}

/** `data` is what follows `7501;`. Undefined for a query and for what is no status. */
export function parseProgramStatus(data: string): ParsedStatus | undefined {
  const fields: Fields = new Map(
    data.split(':').flatMap((part) => {
      const equals = part.indexOf('=');
      return equals > 0 ? [[part.slice(0, equals), part.slice(equals + 1)] as const] : [];
    }),
  );
  const state = fields.get('state');
  if (state === undefined || !isState(state)) return undefined;
  const id = fields.get('id') ?? '';
  if (!/^[A-Za-z0-9._\-/]{0,128}$/.test(id)) return undefined;
  const kind = QUESTION_KINDS.find((known) => known === fields.get('kind'));
  return {
    id,
    state,
    kind: state === 'blocked' ? kind : undefined,
    app: word(fields.get('app')),
    progress: percentage(fields.get('progress')),
    title: text(fields.get('title')),
    message: text(fields.get('msg')),
  };
}

function isState(value: string): value is ProgramState | 'clear' {
  return value === 'clear' || (PROGRAM_STATES as readonly string[]).includes(value);
}

const word = (value: string | undefined) =>
  value !== undefined && /^[A-Za-z0-9._-]{1,64}$/.test(value) ? value : undefined;

function percentage(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,3}$/.test(value) && Number(value) <= 100 ? Number(value) : undefined;
}

/** Base64 of UTF-8; what is not both is no text. */
function text(value: string | undefined): string | undefined {
  if (value === undefined || value === '' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return undefined;
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
    return decoded === '' ? undefined : decoded.slice(0, LIMITS.statusText);
  } catch {
    return undefined;
  }
}

export class ProgramStatusTable {
  readonly #records = new Map<string, ProgramRecord>();
  #dropped = 0;
  #hasSpoken = false;

  /** Sequences that were no record, or one too many. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A record was ever there: heuristics about questions keep silent then (STM-43). */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** What the program itself says; undefined without a standing record. */
  get own(): ProgramRecord | undefined {
    return this.#records.get('');
  }

  /** Records below the program: work that goes on beside it. */
  get children(): ProgramRecord[] {
    return [...this.#records.values()].filter(({ id }) => id !== '');
  }

  /** A child says that it works or waits: the program has work in the background (STM-55). */
  get hasLiveChild(): boolean {
    return this.children.some(({ state }) => state === 'working' || state === 'blocked');
  }

  /** Takes one sequence; false when it changed nothing. */
  take(data: string): boolean {
    const parsed = parseProgramStatus(data);
    if (parsed === undefined) {
      this.#dropped++;
      return false;
    }
    this.#hasSpoken = true;
    const { state } = parsed;
    if (state === 'clear') return this.#clear(parsed.id);
    if (!this.#records.has(parsed.id) && this.#records.size >= LIMITS.statusRecords) {
      this.#dropped++;
      return false;
    }
    this.#records.set(parsed.id, { ...parsed, state });
    return true;
  }

  #clear(id: string): boolean {
    let isChanged = false;
    for (const known of [...this.#records.keys()]) {
      if (id === '' || known === id || known.startsWith(`${id}/`)) isChanged = this.#records.delete(known) || isChanged;
    }
    return isChanged;
  }

  /** A prompt of the shell: the program that spoke is not in front any more (STM-56). */
  endTurn(): boolean {
    let isChanged = false;
    for (const [id, { state }] of [...this.#records]) {
      if (state === 'working' || state === 'blocked') isChanged = this.#records.delete(id) || isChanged;
    }
    return isChanged;
  }

  /** A new turn of the program: what it said of itself in the one before is over; its children go on. */
  forgetOwn(): void {
    this.#records.delete('');
  }

  /** The program has ended. */
  end(): void {
    this.#records.clear();
  }

  /** For the checkpoint (STM-50). */
  state(): ProgramRecord[] {
    return [...this.#records.values()];
  }

  restore(records: readonly ProgramRecord[]): void {
    for (const record of records.slice(0, LIMITS.statusRecords)) this.#records.set(record.id, record);
    this.#hasSpoken = this.#hasSpoken || records.length > 0;
  }
}
