/** Reads text/event-stream piece by piece; cuts may fall anywhere, also inside a line end. */
export interface ServerSentEvent {
  event: string;
  data: string;
  /** The last id seen up to and including this event. */
  id: string;
}

export class EventParser {
  #line = '';
  #event = '';
  #data: string[] = [];
  #id = '';
  #afterReturn = false;
  #isFirst = true;
  readonly #onEvent: (event: ServerSentEvent) => void;

  constructor(onEvent: (event: ServerSentEvent) => void, lastId = '') {
    this.#onEvent = onEvent;
    this.#id = lastId;
  }

  push(text: string): void {
    let from = 0;
    if (this.#isFirst && text !== '') {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) from = 1;
    }
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit !== 10 && unit !== 13) {
        this.#afterReturn = false;
        continue;
      }
      if (unit === 10 && this.#afterReturn) {
        this.#afterReturn = false;
        from = at + 1;
        continue;
      }
      this.#afterReturn = unit === 13;
      this.#endLine(this.#line + text.slice(from, at));
      this.#line = '';
      from = at + 1;
    }
    this.#line += text.slice(from);
  }

  #endLine(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
  }

  #dispatch(): void {
    const event = this.#event;
    const data = this.#data;
    this.#event = '';
    this.#data = [];
    if (data.length > 0)
      this.#onEvent({ event: event === '' ? 'message' : event, data: data.join('\n'), id: this.#id });
  }
}
