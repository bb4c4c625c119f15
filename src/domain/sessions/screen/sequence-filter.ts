/**
 * The byte-level half of the engine: it sees every byte once, before the parser and before any viewer.
 *
 * Owns the position inside a sequence across chunks. Promises:
 * - what it hands on has the length and the offsets of what came in; only digits of over-large parameters, bytes of a CSI of
 *   more than HOLD_MAX bytes and (in a replay) queries are overwritten in place;
 * - what it hands on never ends inside a CSI, a bare ESC or a UTF-8 character: these are held back (at most HOLD_MAX bytes)
 *   until they are whole, since the parser and browser terminals decode characters cut after a byte 0x80 wrongly;
 * - slices: where the parser may stop. Each ends outside of characters and CSIs, costs a bounded time, and ends right after a
 *   terminal query, so that the answer shows the state at the query.
 *
 * It follows the parser's state table exactly, UTF-8 encoded C1 controls and invalid UTF-8 included: where the two disagree a
 * program could hide a sequence from the filter.
 */
import { controlCost, PLAIN_FINALS, plainControlEnd, plainCost, readControl } from './control-sequence.ts';
import {
  type ControlSequence,
  classifyApplicationString,
  classifyCommand,
  classifyControl,
  classifyDeviceString,
  type Query,
} from './queries.ts';
import { codePointAt, DROPPED, droppedSize, INCOMPLETE, sizeOf, unfinishedCharacter } from './utf8.ts';

/** Longest sequence that is held back until it is whole. */
export const HOLD_MAX = 256;
/** Payload bytes of a string sequence that are looked at (OSC 7501 allows 4096 for the whole sequence). */
export const STRING_MAX = 4_096;
/** Bytes of plain output the parser takes in one go. */
export const SLICE_BYTES = 4_096;
/** The same while characters are inserted: each moves the rest of its row. */
export const SLICE_BYTES_INSERTING = 512;
/** Work units (about one printed cell each) after which a slice ends. */
export const SLICE_COST = 32_768;
const GROUND = 0;
const ESCAPE = 1;
const ESCAPE_INTERMEDIATE = 2;
const CSI_ENTRY = 3;
const CSI_PARAM = 4;
const CSI_INTERMEDIATE = 5;
const CSI_IGNORE = 6;
/** Rest of a sequence that was too long to hold; overwritten by NULs. */
const DISCARD_CSI = 7;
const DISCARD_ESCAPE = 8;
const OSC = 9;
const DCS_ENTRY = 10;
const DCS_PARAM = 11;
const DCS_INTERMEDIATE = 12;
const DCS_PASSTHROUGH = 13;
const DCS_IGNORE = 14;
const OTHER_STRING = 15;

/** A string sequence that a stretch of output may end in. */
export type OpenString = 'osc' | 'dcs' | 'other';

export interface Slice {
  end: number;
  /** Where a reader who starts afresh must begin: start of the string sequence that is open at `end`, else `end`. */
  resume: number;
  open: OpenString | undefined;
  query: Query | undefined;
}

export interface FilterEvents {
  bell(offset: number): void;
  /** Of all but the plain ones (colours, cursor movement, erasing). */
  control(sequence: ControlSequence, offset: number): void;
  /** ESC c. */
  reset(offset: number): void;
  command(code: number, data: string, offset: number): void;
  /** [start, end) asks the terminal something. */
  query(query: Query, start: number, end: number): void;
}

export interface Filtered {
  /** Offset of `bytes`: earlier than what came in when bytes were held back. */
  offset: number;
  bytes: Uint8Array;
  slices: Slice[];
}

export class SequenceFilter {
  readonly #events: FilterEvents;
  /** The program has switched insert mode on. */
  insertMode = false;
  #state = GROUND;
  #cols: number;
  #rows: number;
  #held: Uint8Array = new Uint8Array(0);
  /** Offset just past everything taken in. */
  #end: number;
  /** Start of the sequence in progress. */
  #sequenceStart = 0;
  #payload = Buffer.alloc(256);
  #payloadLength = 0;
  #payloadTooLong = false;

  constructor(offset: number, cols: number, rows: number, events: FilterEvents, open?: OpenString) {
    this.#end = offset;
    this.#cols = cols;
    this.#rows = rows;
    this.#events = events;
    if (open !== undefined) {
      // The head of this string is gone: its end is awaited, its content ignored.
      this.#state = open === 'osc' ? OSC : open === 'dcs' ? DCS_IGNORE : OTHER_STRING;
      this.#sequenceStart = offset;
      this.#payloadTooLong = true;
    }
  }

  get end(): number {
    return this.#end;
  }

  get #sliceBytes(): number {
    return this.insertMode ? SLICE_BYTES_INSERTING : SLICE_BYTES;
  }

  get heldBytes(): number {
    return this.#held.length;
  }

  resize(cols: number, rows: number): void {
    this.#cols = cols;
    this.#rows = rows;
  }

  /** Bytes up to `to` are gone: forgets the sequence in progress. */
  skipTo(to: number): void {
    this.#state = GROUND;
    this.#held = new Uint8Array(0);
    this.#end = to;
  }

  /** Hands out what is held back: nothing will follow. */
  flush(): Filtered {
    const bytes = this.#held;
    const offset = this.#end - bytes.length;
    this.#held = new Uint8Array(0);
    this.#state = GROUND;
    const slices = bytes.length === 0 ? [] : [{ end: this.#end, resume: this.#end, open: undefined, query: undefined }];
    return { offset, bytes, slices };
  }

  push(chunk: Uint8Array): Filtered {
    let bytes = chunk;
    if (this.#held.length > 0) {
      bytes = new Uint8Array(this.#held.length + chunk.length);
      bytes.set(this.#held);
      bytes.set(chunk, this.#held.length);
    }
    const offset = this.#end - this.#held.length;
    this.#end += chunk.length;
    const slices: Slice[] = [];
    const released = this.#scan(bytes, offset, slices);
    this.#held = new Uint8Array(bytes.subarray(released));
    return { offset, bytes: released < bytes.length ? bytes.subarray(0, released) : bytes, slices };
  }

  /** Returns how many bytes may be handed on. */
  #scan(bytes: Uint8Array, base: number, slices: Slice[]): number {
    const length = bytes.length;
    let index = 0;
    let sliceStart = 0;
    let cost = 0;
    let released = length;
    // Held bytes are scanned again from the start of their sequence.
    if (this.#state >= ESCAPE && this.#state <= CSI_IGNORE) this.#state = GROUND;

    const cut = (at: number, query: Query | undefined): void => {
      if (at <= sliceStart && query === undefined) return;
      const open = this.#openString();
      const end = base + at;
      slices.push({ end, resume: open === undefined ? end : this.#sequenceStart, open, query });
      sliceStart = at;
      cost = 0;
    };

    scanning: while (index < length) {
      const isBoundary = this.#state === GROUND || this.#state >= DISCARD_CSI;
      if (isBoundary && index - sliceStart >= this.#sliceBytes && ((bytes[index] ?? 0) & 0xc0) !== 0x80)
        cut(index, undefined);
      let byte = bytes[index] ?? 0;
      if (this.#state === GROUND) {
        const limit = Math.min(length, sliceStart + this.#sliceBytes + 4);
        // Plain text: run to the next byte that may mean something.
        while (index < limit && byte !== 0x1b && byte !== 0xc2 && byte !== 0x07) byte = bytes[++index] ?? 0;
        if (index >= length) break;
        if (index >= limit) {
          if ((byte & 0xc0) === 0x80 && index - sliceStart < this.#sliceBytes + 8) {
            index++;
            continue;
          }
          cut(index, undefined);
          continue;
        }
      }
      if (byte >= 0x80) {
        const code = codePointAt(bytes, index, length);
        if (code === INCOMPLETE) {
          released = index;
          break;
        }
        const size = code === DROPPED ? droppedSize(bytes, index, length) : sizeOf(code);
        if (code !== DROPPED) {
          if (code >= 0x80 && code < 0xa0) {
            this.#control1(code, base, index, size, cut);
          } else {
            this.#nonAscii(bytes, index, size);
          }
        }
        index += size;
        continue;
      }
      switch (this.#state) {
        case GROUND:
          if (byte === 0x1b) {
            const next = plainControlEnd(bytes, index, length);
            if (next > 0) {
              cost += plainCost(bytes[next - 1] ?? 0, this.#cols, this.#rows);
              index = next;
              if (cost >= SLICE_COST) cut(index, undefined);
              break;
            }
            this.#state = ESCAPE;
            this.#sequenceStart = base + index;
          } else {
            this.#events.bell(base + index + 1);
          }
          index++;
          break;
        case OSC:
        case DCS_ENTRY:
        case DCS_PARAM:
        case DCS_INTERMEDIATE:
        case DCS_PASSTHROUGH:
        case DCS_IGNORE:
        case OTHER_STRING: {
          if (byte === 0x1b) {
            if (index + 1 >= length) {
              released = index;
              break scanning;
            }
            const isTerminator = bytes[index + 1] === 0x5c;
            const next = isTerminator ? index + 2 : index;
            this.#endString(true, '\x1b\\', base, next, cut);
            if (isTerminator) this.#state = GROUND;
            else {
              this.#state = ESCAPE;
              this.#sequenceStart = base + index;
            }
            index = isTerminator ? next : index + 1;
          } else if (byte === 0x18 || byte === 0x1a) {
            this.#endString(false, '', base, index + 1, cut);
            this.#state = GROUND;
            index++;
          } else if (byte === 0x07 && this.#state === OSC) {
            this.#endString(true, '\x07', base, index + 1, cut);
            this.#state = GROUND;
            index++;
          } else {
            this.#stringByte(byte);
            index++;
          }
          break;
        }
        case DISCARD_CSI:
        case DISCARD_ESCAPE:
          if (byte === 0x1b) {
            this.#state = ESCAPE;
            this.#sequenceStart = base + index;
          } else if (byte === 0x18 || byte === 0x1a) {
            this.#state = GROUND;
          } else if (byte >= 0x20) {
            bytes[index] = 0;
            const final = byte >= (this.#state === DISCARD_CSI ? 0x40 : 0x30) && byte !== 0x7f;
            if (final) this.#state = GROUND;
          }
          index++;
          break;
        default:
          index++;
          if (this.#sequenceByte(byte, base, index)) {
            cost += this.#finishSequence(bytes, base, index, cut);
            if (cost >= SLICE_COST) cut(index, undefined);
          }
      }
    }

    if (this.#state === GROUND && released === length) released -= unfinishedCharacter(bytes);
    if (this.#state >= ESCAPE && this.#state <= CSI_IGNORE) {
      const start = this.#sequenceStart - base;
      if (length - start <= HOLD_MAX) {
        released = Math.min(released, start);
      } else {
        this.#discard(bytes, start, released);
      }
    }
    cut(released, undefined);
    return released;
  }

  #openString(): OpenString | undefined {
    if (this.#state === OSC) return 'osc';
    if (this.#state >= DCS_ENTRY && this.#state <= DCS_IGNORE) return 'dcs';
    return this.#state === OTHER_STRING ? 'other' : undefined;
  }

  #discard(bytes: Uint8Array, start: number, end: number): void {
    for (let index = start; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (byte >= 0x20 || byte === 0x1b) bytes[index] = 0;
    }
    this.#state = this.#state >= CSI_ENTRY ? DISCARD_CSI : DISCARD_ESCAPE;
  }

  /** A C1 control, encoded in UTF-8. */
  #control1(
    code: number,
    base: number,
    index: number,
    size: number,
    cut: (at: number, query: Query | undefined) => void,
  ): void {
    if (this.#openString() !== undefined) {
      if (code === 0x9c) {
        this.#endString(true, '\x9c', base, index + size, cut);
        this.#state = GROUND;
        return;
      }
      // Any other C1 leaves the string without running it.
      this.#dropString();
    }
    this.#sequenceStart = base + index;
    switch (code) {
      case 0x90:
        this.#state = DCS_ENTRY;
        break;
      case 0x98:
      case 0x9e:
      case 0x9f:
        this.#state = OTHER_STRING;
        break;
      case 0x9b:
        this.#state = CSI_ENTRY;
        break;
      case 0x9d:
        this.#state = OSC;
        break;
      default:
        this.#state = GROUND;
    }
    this.#startPayload();
  }

  #nonAscii(bytes: Uint8Array, index: number, size: number): void {
    switch (this.#state) {
      case GROUND:
      case CSI_IGNORE:
      case DCS_IGNORE:
        break;
      case OSC:
      case DCS_PASSTHROUGH:
        for (let at = 0; at < size; at++) this.#collect(bytes[index + at] ?? 0);
        break;
      default:
        // Everywhere else the parser takes it for an error and goes back to the ground state.
        this.#state = GROUND;
        this.#dropString();
    }
  }

  #startPayload(): void {
    this.#payloadLength = 0;
    this.#payloadTooLong = false;
  }

  #dropString(): void {
    this.#payloadLength = 0;
    this.#payloadTooLong = true;
  }

  #collect(byte: number): void {
    if (this.#payloadTooLong) return;
    if (this.#payloadLength >= STRING_MAX) {
      this.#dropString();
      return;
    }
    if (this.#payloadLength >= this.#payload.length) {
      const grown = Buffer.alloc(Math.min(STRING_MAX, this.#payload.length * 4));
      grown.set(this.#payload);
      this.#payload = grown;
    }
    this.#payload[this.#payloadLength++] = byte;
  }

  /** A byte inside a string sequence that does not end it. */
  #stringByte(byte: number): void {
    switch (this.#state) {
      case OSC:
        if (byte >= 0x20) this.#collect(byte);
        return;
      case OTHER_STRING:
      case DCS_PASSTHROUGH:
        this.#collect(byte);
        return;
      case DCS_IGNORE:
        return;
    }
    if (byte < 0x20 || byte === 0x7f) return;
    this.#collect(byte);
    if (byte >= 0x40) this.#state = DCS_PASSTHROUGH;
    else if (byte < 0x30) this.#state = DCS_INTERMEDIATE;
    else if (this.#state === DCS_INTERMEDIATE) this.#state = DCS_IGNORE;
    else if (byte >= 0x3c && this.#state === DCS_PARAM) this.#state = DCS_IGNORE;
    else this.#state = DCS_PARAM;
  }

  #endString(
    completed: boolean,
    terminator: string,
    base: number,
    next: number,
    cut: (at: number, query: Query | undefined) => void,
  ): void {
    const state = this.#state;
    const start = this.#sequenceStart;
    const usable = completed && !this.#payloadTooLong;
    const text = usable ? this.#payload.toString('utf8', 0, this.#payloadLength) : '';
    this.#startPayload();
    if (this.#payload.length > 1024) this.#payload = Buffer.alloc(256);
    this.#state = GROUND;
    if (!usable) return;
    const end = base + next;
    let query: Query | undefined;
    if (state === OSC) {
      const match = /^(\d{1,6})(?:;(.*))?$/s.exec(text);
      if (match === null) return;
      const code = Number(match[1]);
      const data = match[2] ?? '';
      query = classifyCommand(code, data, terminator);
      if (query === undefined) this.#events.command(code, data, end);
      else if (query.kind === 'color') this.#events.command(code, data, end);
    } else if (state === DCS_PASSTHROUGH) {
      query = classifyDeviceString(text);
    } else if (state === OTHER_STRING) {
      query = classifyApplicationString(text);
    }
    if (query !== undefined) {
      this.#events.query(query, start, end);
      cut(next, query);
    }
  }

  /** Takes one byte of an escape or control sequence; true when it is the final one (or the sequence is over otherwise). */
  #sequenceByte(byte: number, base: number, next: number): boolean {
    if (byte === 0x18 || byte === 0x1a) {
      this.#state = GROUND;
      return false;
    }
    if (byte === 0x1b) {
      this.#state = ESCAPE;
      this.#sequenceStart = base + next - 1;
      return false;
    }
    if (byte < 0x20) return false;
    switch (this.#state) {
      case ESCAPE:
        return this.#afterEscape(byte);
      case ESCAPE_INTERMEDIATE:
        if (byte < 0x30 || byte === 0x7f) return false;
        return true;
      case CSI_ENTRY:
      case CSI_PARAM:
        if (byte === 0x7f) return false;
        if (byte >= 0x40) return true;
        if (byte < 0x30) this.#state = CSI_INTERMEDIATE;
        else if (byte >= 0x3c && this.#state === CSI_PARAM) this.#state = CSI_IGNORE;
        else this.#state = CSI_PARAM;
        return false;
      case CSI_INTERMEDIATE:
        if (byte === 0x7f) return false;
        if (byte >= 0x40) return true;
        if (byte >= 0x30) this.#state = CSI_IGNORE;
        return false;
      default:
        if (byte >= 0x40 && byte !== 0x7f) this.#state = GROUND;
        return false;
    }
  }

  #afterEscape(byte: number): boolean {
    if (byte === 0x7f) return false;
    if (byte < 0x30) {
      this.#state = ESCAPE_INTERMEDIATE;
      return false;
    }
    switch (byte) {
      case 0x5b:
        this.#state = CSI_ENTRY;
        return false;
      case 0x5d:
        this.#state = OSC;
        this.#startPayload();
        return false;
      case 0x50:
        this.#state = DCS_ENTRY;
        this.#startPayload();
        return false;
      case 0x58:
      case 0x5e:
      case 0x5f:
        this.#state = OTHER_STRING;
        this.#startPayload();
        return false;
      default:
        return true;
    }
  }

  /** The sequence [#sequenceStart, next) is complete. Returns its cost. */
  #finishSequence(
    bytes: Uint8Array,
    base: number,
    next: number,
    cut: (at: number, query: Query | undefined) => void,
  ): number {
    const isControl = this.#state >= CSI_ENTRY;
    this.#state = GROUND;
    const start = this.#sequenceStart - base;
    const final = bytes[next - 1] ?? 0;
    if (!isControl) return this.#finishEscape(bytes, base, start, next, final);
    for (let at = start; at < next; at++) if (bytes[at] === 0x07) this.#events.bell(base + next);
    const sequence = readControl(bytes, start, next);
    const isPlain = sequence.prefix === '' && sequence.intermediates === '' && PLAIN_FINALS[final] === 1;
    if (!isPlain) this.#events.control(sequence, base + next);
    if (sequence.key === 'h' && sequence.params.includes(4)) this.insertMode = true;
    if ((sequence.key === 'l' && sequence.params.includes(4)) || sequence.key === '!p') this.insertMode = false;
    const query = isPlain ? undefined : classifyControl(sequence);
    if (query !== undefined) {
      this.#events.query(query, base + start, base + next);
      cut(next, query);
      return 0;
    }
    return controlCost(sequence, this.#cols, this.#rows);
  }

  #finishEscape(bytes: Uint8Array, base: number, start: number, next: number, final: number): number {
    if (final === 0x38 && bytes[next - 2] === 0x23) return this.#cols * this.#rows;
    if (next - start === 2 || bytes[next - 2] === 0x1b) {
      if (final === 0x63) {
        this.insertMode = false;
        this.#events.reset(base + next);
        return this.#cols * this.#rows;
      }
      if (final === 0x4d) return this.#rows;
    }
    return 1;
  }
}
