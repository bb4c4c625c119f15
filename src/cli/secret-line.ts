/** A line that is typed unseen: the few keys that a person uses in it. */
export class SecretLine {
  #characters: string[] = [];
  #isDone = false;

  get text(): string {
    return this.#characters.join('');
  }

  /** What is typed behind Enter belongs to nobody. */
  take(typed: string): 'open' | 'done' | 'interrupted' {
    for (const character of typed) {
      if (this.#isDone) break;
      switch (character) {
        case '\r':
        case '\n':
        case '\x04':
          this.#isDone = true;
          break;
        case '\x03':
          return 'interrupted';
        case '\x7f':
        case '\b':
          this.#characters.pop();
          break;
        case '\x15':
          this.#characters = [];
          break;
        default:
          this.#characters.push(character);
      }
    }
    return this.#isDone ? 'done' : 'open';
  }
}
