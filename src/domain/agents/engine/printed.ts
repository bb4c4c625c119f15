/**
 * What an agent prints of its turn: what it is about to do, what it offers to do next, limits and errors of its model.
 *
 * Promises: a marker counts once, in the turn in which it was printed; one that stands on the screen from before, or is painted again,
 * counts for nothing (MRK-6). Suggestions wait until the agent is idle with nothing left at work; then its turn is completed (MRK-5,
 * STM-31). None of it opens a gate: what may be typed is decided without it.
 */
import { DEADLINES } from '../../../contract/index.ts';
import type { ProgramActivity } from '../../sessions/index.ts';
import { keyOf, layoutOf, type Marker, readMarkers, readTrouble, readUsage, saidRows } from '../markers/index.ts';
import type { ScreenReading } from '../screens/model.ts';

export type PrintedFields = Pick<
  ProgramActivity,
  'rate_limited' | 'retry_after_ms' | 'usage_limit_pct' | 'last_error' | 'agent_intent' | 'suggested_actions'
>;

export interface PrintedLook {
  rows: readonly string[];
  reading: ScreenReading;
  agentType: string;
  epoch: number;
  at: number;
}

export interface PrintedCheckpoint {
  intent: string | undefined;
  completed: { items: string[]; epoch: number } | undefined;
}

interface Shown {
  error: string;
  count: number;
}

interface Limit {
  until: number;
  told: number;
}

/** The wait that a row tells counts down; what differs by less is the same one. */
const SAME_WAIT = 2_500;
/** Their agent tells of a wait beside its composer. */
const BELOW_COMPOSER = new Set(['opencode']);

export class PrintedEvidence {
  /** Markers on the screen at the look before; undefined before the first. */
  #seen: readonly string[] | undefined;
  #intent: string | undefined;
  /** An intent without a title may still be growing; it counts at the second look. */
  #growing: string | undefined;
  #oldIntent: string | undefined;
  #parked: { items: readonly string[]; epoch: number } | undefined;
  #completed: { items: readonly string[]; epoch: number } | undefined;
  /** The epoch in which it was seen at work. */
  #workedIn: number | undefined;
  #limit: Limit | undefined;
  #trouble: string | undefined;
  /** What stood on the screen at the last look, and when the turn began. */
  #shownTrouble: Shown | undefined;
  #oldTrouble: Shown | undefined;
  #usage: number | undefined;

  look({ rows, reading, agentType, epoch, at }: PrintedLook): void {
    const end = reading.inputTop ?? rows.length;
    if (reading.state === 'working') this.worked(epoch);
    const markers = readMarkers(saidRows(rows, end, layoutOf(agentType)));
    this.#takeMarkers(markers, reading, epoch);
    // What was offered before somebody broke in completes nothing.
    if (reading.state === 'interrupted') this.#parked = undefined;
    this.#usage = readUsage(rows) ?? this.#usage;
    const trouble = readTrouble(rows, BELOW_COMPOSER.has(agentType) ? rows.length : end, agentType);
    this.#shownTrouble = trouble;
    // What a start shows of before says nothing of now (STM-12).
    const mayBeNew = epoch > 0 || this.#workedIn === epoch;
    if (trouble !== undefined && mayBeNew && !this.#isOld(trouble)) {
      this.#takeTrouble(trouble.error, trouble.retryAfterMs, at);
    } else if (reading.state === 'working') this.#clearTrouble();
  }

  /** It stood there when the turn began; what scrolls off does not come again. */
  #isOld({ error, count }: Shown): boolean {
    const old = this.#oldTrouble;
    if (old === undefined || old.error !== error || count > old.count) return false;
    old.count = count;
    return true;
  }

  #takeMarkers(markers: readonly Marker[], reading: ScreenReading, epoch: number): void {
    const finished = markers.filter((marker) => marker.type === 'suggest' || marker.isClosed);
    const keys = finished.map(keyOf);
    const before = this.#seen;
    // A screen that is being painted may be empty for a look; an agent at work has really moved on.
    if (keys.length > 0 || before === undefined || reading.state === 'working') this.#seen = keys;
    this.#watchGrowing(
      markers.findLast(({ type }) => type === 'intent'),
      before === undefined,
    );
    if (before === undefined) return;
    for (const marker of finished.slice(overlap(before, keys))) {
      if (marker.type === 'intent') this.#setIntent(marker);
      // Before its first submission only one that was seen at work has printed it now (STM-12).
      else if (epoch > 0 || this.#workedIn === epoch) this.#parked = { items: marker.items, epoch };
    }
  }

  /** The lowest intent, as long as nothing closes it. */
  #watchGrowing(last: Marker | undefined, isFirstLook: boolean): void {
    if (last === undefined || last.type !== 'intent' || last.isClosed) {
      this.#growing = undefined;
      return;
    }
    const key = keyOf(last);
    if (isFirstLook) this.#oldIntent = key;
    if (key === this.#oldIntent) return;
    if (key === this.#growing) this.#setIntent(last);
    else this.#growing = key;
  }

  #setIntent(marker: Marker): void {
    if (marker.type === 'intent') {
      this.#intent = marker.title === undefined ? marker.text : `${marker.text} (${marker.title})`;
    }
  }

  #takeTrouble(error: string | undefined, retryAfterMs: number | undefined, at: number): void {
    this.#trouble = error;
    if (retryAfterMs === undefined) return;
    const told = Math.min(retryAfterMs, DEADLINES.rateLimitLongest);
    const until = at + told;
    if (this.#limit === undefined || Math.abs(this.#limit.until - until) > SAME_WAIT) {
      this.#limit = { until, told };
    }
  }

  #clearTrouble(): void {
    this.#trouble = undefined;
    this.#limit = undefined;
  }

  /** It is at work in this epoch: a completion from before the work is void (STM-34). */
  worked(epoch: number): void {
    this.#workedIn = epoch;
  }

  reopen(): void {
    this.#completed = undefined;
  }

  /** Somebody typed a line: what was offered is over (MRK-5, STM-25). */
  submitted(): void {
    this.#parked = undefined;
    this.#completed = undefined;
    this.#growing = undefined;
    this.#oldTrouble = this.#shownTrouble === undefined ? undefined : { ...this.#shownTrouble };
    this.#clearTrouble();
  }

  /** Another program draws now. */
  reset(): void {
    this.submitted();
    this.#seen = undefined;
    this.#intent = undefined;
    this.#usage = undefined;
    this.#oldTrouble = undefined;
    this.#shownTrouble = undefined;
    this.#oldIntent = undefined;
  }

  /** At the first idle moment with nothing at work the parked suggestions are told, once. */
  settle(epoch: number, isAtRest: boolean): void {
    if (this.#parked === undefined || !isAtRest) return;
    if (this.#parked.epoch === epoch) this.#completed = this.#parked;
    this.#parked = undefined;
  }

  isCompleted(epoch: number): boolean {
    return this.#completed?.epoch === epoch;
  }

  /** When a limit is over. */
  get dueAt(): number | undefined {
    return this.#limit?.until;
  }

  read(epoch: number, at: number): PrintedFields {
    const limit = this.#limit !== undefined && at < this.#limit.until ? this.#limit : undefined;
    const suggested = this.isCompleted(epoch) ? this.#completed?.items : undefined;
    return {
      rate_limited: limit !== undefined,
      ...(limit === undefined ? {} : { retry_after_ms: limit.told }),
      ...(this.#usage === undefined ? {} : { usage_limit_pct: this.#usage }),
      ...(this.#trouble === undefined ? {} : { last_error: this.#trouble }),
      ...(this.#intent === undefined ? {} : { agent_intent: this.#intent }),
      ...(suggested === undefined ? {} : { suggested_actions: [...suggested] }),
    };
  }

  /** What a server after this one must know; the screen it finds says nothing new by itself. */
  checkpoint(): PrintedCheckpoint {
    const completed = this.#completed;
    return {
      intent: this.#intent,
      completed: completed === undefined ? undefined : { items: [...completed.items], epoch: completed.epoch },
    };
  }

  restore({ intent, completed }: PrintedCheckpoint): void {
    this.#intent = intent;
    this.#completed = completed;
  }

  tick(at: number): void {
    if (this.#limit !== undefined && at >= this.#limit.until) this.#limit = undefined;
  }
}

/** How many at the beginning of `now` stood there before: the longest end of `before` that `now` begins with. */
export function overlap(before: readonly string[], now: readonly string[]): number {
  for (let length = Math.min(before.length, now.length); length > 0; length--) {
    if (before.slice(-length).every((key, index) => key === now[index])) return length;
  }
  // Older ones came back above, e.g. in a taller window: nothing below what was last seen is new.
  const last = before.at(-1);
  return last === undefined ? 0 : now.lastIndexOf(last) + 1;
}
