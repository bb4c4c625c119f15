/** What stands in a program's input line, from what was typed at it. */

export type InputEvent = { type: 'submitted'; text: string } | { type: 'interrupt' } | { type: 'escape' };

export class InputLineBuffer {
  #content = '';

  get content(): string {
    return this.#content;
  }

  feed(bytes: Uint8Array): InputEvent[] {
    const events: InputEvent[] = [];
    const text = Buffer.from(bytes).toString('utf8');
    if (text === '\x1b') return [{ type: 'escape' }];
    let isPaste = false;
    for (const [part] of text.matchAll(/\x1b\[20[01]~|\x1b\[[\d;]*[A-Za-z~]|[\s\S]/gu)) {
      if (part === '\x1b[200~') isPaste = true;
      else if (part === '\x1b[201~') isPaste = false;
      else if (part === '\r' && !isPaste) {
        events.push({ type: 'submitted', text: this.#content });
        this.#content = '';
      } else if (part === '\x03') {
        events.push({ type: 'interrupt' });
        this.#content = '';
      } else if (part === '\x15') this.#content = '';
      else if (part === '\x7f') this.#content = this.#content.slice(0, -1);
      else if (!part.startsWith('\x1b') && (part >= ' ' || isPaste))
        this.#content = (this.#content + part).slice(-4096);
    }
    return events;
  }

  reset(_to: 'unknown' | 'empty'): void {
    this.#content = '';
  }
}
