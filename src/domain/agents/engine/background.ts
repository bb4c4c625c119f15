/**
 * Work that an agent left running beside its turn, as the process table has it (STM-32, STM-33).
 *
 * Each confirmed idle sets a boundary: nobody is told that the agent is idle before the table was read after it. What ran before
 * anything was asked of the agent are its helpers and stays out.
 */
export class BackgroundWork {
  readonly #hasTable: boolean;
  #helpers = new Set<string>();
  #work: readonly string[] = [];
  #boundary: number | undefined;

  /** Without a table there is nothing to wait for. */
  constructor(hasTable: boolean) {
    this.#hasTable = hasTable;
  }

  get isRunning(): boolean {
    return this.#work.length > 0;
  }

  /** The table must be read before idle may be told. */
  get isPending(): boolean {
    return this.#boundary !== undefined;
  }

  /** The table is to be read: for a boundary, or to see whether the work is over. */
  get isWanted(): boolean {
    return this.#hasTable && (this.isPending || this.isRunning);
  }

  idle(at: number): void {
    if (this.#hasTable) this.#boundary = at;
  }

  /** Working evidence voids the boundary and keeps what is known of the work. */
  busy(): void {
    this.#boundary = undefined;
  }

  /** `work` of a table read at `at`; null: it could not be read, and what was known stays. */
  take(work: readonly string[] | null, at: number, epoch: number): void {
    if (this.#boundary !== undefined && at >= this.#boundary) this.#boundary = undefined;
    if (work === null) return;
    if (epoch === 0) this.#helpers = new Set(work);
    this.#work = work.filter((name) => !this.#helpers.has(name));
  }

  /** Another program is in front. */
  reset(): void {
    this.#helpers.clear();
    this.#work = [];
    this.#boundary = undefined;
  }

  checkpoint(): { helpers: string[]; work: string[] } {
    return { helpers: [...this.#helpers], work: [...this.#work] };
  }

  restore({ helpers, work }: { helpers: readonly string[]; work: readonly string[] }): void {
    this.#helpers = new Set(helpers);
    this.#work = work;
  }
}
