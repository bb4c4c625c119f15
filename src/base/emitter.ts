import { type Disposable, toDisposable } from './disposable.ts';

export type Listener<T> = (value: T) => void;

/** A typed event source. Listeners added or removed during an emission do not take part in it. */
export class Emitter<T> {
  #listeners = new Set<Listener<T>>();

  get size(): number {
    return this.#listeners.size;
  }

  on(listener: Listener<T>): Disposable {
    const own: Listener<T> = (value) => listener(value);
    this.#listeners.add(own);
    return toDisposable(() => this.#listeners.delete(own));
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  clear(): void {
    this.#listeners.clear();
  }
}
