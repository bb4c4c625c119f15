/** Colours that the program has changed: palette index, or COLOR_TEXT and the two after it, to the specification as given. */

export const COLOR_TEXT = 256;
export const COLOR_GROUND = 257;
export const COLOR_CURSOR = 258;

const COLOR_SPEC = /^(#([0-9a-f]{3}){1,4}|rgb:[0-9a-f]{1,4}\/[0-9a-f]{1,4}\/[0-9a-f]{1,4})$/i;
const INDEX = /^\d{1,3}$/;

/** Commands that change or restore colours. */
export const COLOR_COMMANDS = [4, 10, 11, 12, 104, 110, 111, 112];

export class ColorTable {
  readonly #colors = new Map<number, string>();

  get(key: number): string | undefined {
    return this.#colors.get(key);
  }

  entries(): [number, string][] {
    return [...this.#colors].sort(([one], [other]) => one - other);
  }

  restore(entries: readonly [number, string][]): void {
    this.clear();
    for (const [key, specification] of entries) this.#colors.set(key, specification);
  }

  clear(): void {
    this.#colors.clear();
  }

  apply(code: number, data: string): void {
    const parts = data.split(';');
    if (code === 4) {
      for (let index = 0; index + 1 < parts.length; index += 2) {
        const name = parts[index] ?? '';
        if (INDEX.test(name) && Number(name) < COLOR_TEXT) this.#set(Number(name), parts[index + 1] ?? '');
      }
    } else if (code <= 12) {
      for (const [index, part] of parts.entries()) {
        const key = code - 10 + COLOR_TEXT + index;
        if (key <= COLOR_CURSOR) this.#set(key, part);
      }
    } else if (code === 104) {
      const names = data === '' ? [...this.#colors.keys()] : parts.filter((part) => INDEX.test(part)).map(Number);
      for (const name of names) if (name < COLOR_TEXT) this.#colors.delete(name);
    } else {
      this.#colors.delete(code - 110 + COLOR_TEXT);
    }
  }

  #set(key: number, specification: string): void {
    if (COLOR_SPEC.test(specification)) this.#colors.set(key, specification);
  }
}
