/** Steps that undo a start, newest first. Each runs once; a failing one does not stop the others, all failures are told. */
export class Teardown {
  #steps: { name: string; step: () => unknown }[] = [];

  add(name: string, step: () => unknown): void {
    this.#steps.push({ name, step });
  }

  async run(): Promise<void> {
    const failures: Error[] = [];
    for (let next = this.#steps.pop(); next !== undefined; next = this.#steps.pop()) {
      try {
        await next.step();
      } catch (error) {
        failures.push(new Error(`${next.name} could not be ended`, { cause: error }));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map((failure) => failure.message).join(', '));
  }
}
